// Shows what the address leads to: opens the folds around it, and goes there again when formulas and fonts have their size, unless the reader has moved.
"use strict";
(() => {
  const target = () => {
    try {
      return document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null; // the address holds a percent sign of its own
    }
  };
  const show = () => {
    const there = target();
    for (let fold = there?.closest("details"); fold; fold = fold.parentElement.closest("details"))
      fold.open = true;
    there?.scrollIntoView();
  };
  let moved = false;
  for (const way of ["wheel", "touchmove", "keydown", "pointerdown"])
    addEventListener(way, () => (moved = true), { once: true, passive: true });
  addEventListener("hashchange", show);
  addEventListener("load", () =>
    document.fonts.ready.then(() => moved || !location.hash || show()),
  );
})();
