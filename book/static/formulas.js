// Typesets what site/formulas.py has written; the first and last two letters are the marks \( \) or \[ \].
"use strict";
for (const one of document.querySelectorAll(".math")) {
  katex.render(one.textContent.trim().slice(2, -2), one, {
    displayMode: one.tagName === "DIV",
    throwOnError: false,
  });
  // A comma after a formula, or the s of "client k's", stays on its line. No space follows a Chinese comma, and Chromium breaks
  // lines before one unless both are in one block.
  const next = one.nextSibling,
    text = next?.nodeType === Node.TEXT_NODE ? next.data : "",
    chinese = text.match(/^[，。；：、？！）”》]+/)?.[0],
    mark = chinese ?? text.match(/^[^\s\u2013\u2014]{1,4}(?=\s|$)/)?.[0];
  if (mark && one.tagName === "SPAN") {
    const together = document.createElement("span");
    Object.assign(together.style, chinese ? { display: "inline-block" } : { whiteSpace: "nowrap" });
    next.data = text.slice(mark.length);
    one.replaceWith(together);
    // The formula may break between its parts, and not after the last.
    const parts = [...one.querySelectorAll(".katex-html > .base")],
      before = document.createElement("span");
    one.style.whiteSpace = "nowrap";
    before.style.whiteSpace = "normal";
    before.append(...parts.slice(0, -1));
    parts.at(-1)?.before(before);
    together.append(one, mark);
  }
}
// A displayed formula that is wider than its column gets smaller, by a quarter at most; beyond that it scrolls.
const fit = () => {
  const all = [...document.querySelectorAll("div.math")];
  for (const one of all) one.style.fontSize = "";
  const wide = all.map((one) => one.scrollWidth / one.clientWidth);
  all.forEach((one, n) => {
    if (wide[n] > 1) one.style.fontSize = `${Math.max(0.75, 0.99 / wide[n])}em`;
  });
};
document.fonts.ready.then(fit);
addEventListener("resize", fit);
document.addEventListener("toggle", fit, true); // what unfolds had no width before
