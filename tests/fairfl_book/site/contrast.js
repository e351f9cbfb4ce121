// The texts of a page that stand out too little: [ratio, colour, ground, text] of each whose contrast is under what WCAG 2.1 AA asks for.
// A page's own ground is the nearest ancestor's that is opaque, with the translucent ones between laid over it.
() => {
  const parsed = (colour) => {
    const one = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    one.clearRect(0, 0, 1, 1);
    one.fillStyle = colour;
    one.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = one.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const cache = new Map();
  const rgba = (colour) => {
    if (!cache.has(colour)) cache.set(colour, parsed(colour));
    return cache.get(colour);
  };
  const over = (top, below) =>
    [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const ground = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    const dark = document.documentElement.dataset.theme === "dark";
    return layers.reduceRight(
      (below, top) => over(top, below),
      dark ? [18, 18, 18, 1] : [255, 255, 255, 1],
    );
  };
  // Letters with a halo of paper bring their own ground; others stand on the last opaque shape that was drawn beneath their middle.
  const beneath = (element, page) => {
    if (getComputedStyle(element).stroke !== "none") return page;
    const { x, y, width, height } = element.getBoundingClientRect(),
      middle = [x + width / 2, y + height / 2];
    const shapes = [...element.closest("svg").querySelectorAll("rect, circle, ellipse")].filter(
      (shape) => {
        const box = shape.getBoundingClientRect(),
          fill = getComputedStyle(shape).fill;
        return (
          shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING &&
          fill !== "none" &&
          box.left <= middle[0] &&
          middle[0] <= box.right &&
          box.top <= middle[1] &&
          middle[1] <= box.bottom
        );
      },
    );
    return shapes.reduce((below, shape) => {
      const style = getComputedStyle(shape),
        colour = [...rgba(style.fill)];
      colour[3] *= Number(style.opacity) * Number(style.fillOpacity);
      return over(colour, below);
    }, page);
  };
  const light = (colour) => {
    const [r, g, b] = colour
      .slice(0, 3)
      .map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faded = (element) => {
    let all = 1;
    for (let one = element; one; one = one.parentElement)
      all *= Number(getComputedStyle(one).opacity);
    return all;
  };
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement,
      text = walker.currentNode.textContent.trim();
    if (
      !text ||
      !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
      !element.getClientRects().length
    )
      continue;
    if (element.closest(".katex-mathml, script, style, [disabled], .off, title, desc")) continue;
    const drawn = element.closest("svg"),
      style = getComputedStyle(element),
      page = ground(drawn ? drawn : element),
      below = drawn ? beneath(element, page) : page;
    const colour = [...rgba(drawn ? style.fill : style.color)];
    colour[3] *= faded(element);
    const seen = over(colour, below);
    const [one, two] = [light(seen), light(below)].sort((a, b) => b - a),
      ratio = (one + 0.05) / (two + 0.05);
    const size = parseFloat(style.fontSize),
      large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      const key = `${seen.slice(0, 3).map(Math.round)} on ${below.slice(0, 3).map(Math.round)}`;
      if (!found.has(key))
        found.set(key, [
          Math.round(ratio * 100) / 100,
          key,
          `${element.tagName}.${element.getAttribute("class")}`,
          text.slice(0, 40),
        ]);
    }
  }
  return [...found.values()];
};
