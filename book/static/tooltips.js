// What a link leads to, for who hovers over it, reaches it by keyboard or touches it: the title that the page was built with, in a box that stays.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const box = document.createElement("div"),
    margin = 12;
  Object.assign(box, { id: "link-tooltip", className: "link-tooltip", hidden: true });
  box.setAttribute("role", "tooltip");
  document.body.append(box);
  let shown = null,
    leaving = 0,
    touched = false;
  const hide = () => {
    clearTimeout(leaving);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  };
  const soon = () => {
    clearTimeout(leaving);
    leaving = setTimeout(hide, 250);
  };
  const formula = (tex) => {
    const one = document.createElement("span");
    if (window.katex) katex.render(tex, one, { throwOnError: false });
    else one.textContent = tex;
    return one;
  };
  const place = () => {
    const at = shown.getClientRects()[0],
      size = box.getBoundingClientRect(),
      wide = document.documentElement.clientWidth;
    const below = at.bottom + 6 + size.height < innerHeight;
    box.style.left = `${Math.max(margin, Math.min(at.left, wide - size.width - margin))}px`;
    box.style.top = `${below ? at.bottom + 6 : Math.max(margin, at.top - 6 - size.height)}px`;
  };
  const show = (link) => {
    clearTimeout(leaving);
    if (shown === link) return;
    hide();
    shown = link;
    link.setAttribute("aria-describedby", box.id);
    // A definition may hold formulas between dollars: every other piece.
    box.replaceChildren(
      ...link.dataset.tooltip.split("$").map((piece, n) => (n % 2 ? formula(piece) : piece)),
    );
    box.hidden = false;
    place();
  };
  for (const link of document.querySelectorAll("article a[title]:not(.headerlink)")) {
    link.dataset.tooltip = link.title;
    link.removeAttribute("title"); // the browser's own would stand over the box
    link.addEventListener("mouseenter", () => touched || show(link));
    link.addEventListener("mouseleave", soon);
    link.addEventListener("focus", () => touched || show(link));
    link.addEventListener("blur", soon);
    link.addEventListener("pointerdown", (event) => {
      touched = event.pointerType === "touch";
    });
    // A finger cannot hover: its first touch says what the link leads to, the second follows it.
    link.addEventListener("click", (event) => {
      if (!touched || shown === link) return;
      event.preventDefault();
      show(link);
    });
  }
  box.addEventListener("mouseenter", () => clearTimeout(leaving));
  box.addEventListener("mouseleave", soon);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener(
    "pointerdown",
    (event) => event.target.closest(".link-tooltip, a[data-tooltip]") || hide(),
  );
  addEventListener(
    "scroll",
    () => {
      const at = shown?.getBoundingClientRect();
      if (at && at.bottom > 0 && at.top < innerHeight) place();
      else hide();
    },
    { passive: true },
  );
});
