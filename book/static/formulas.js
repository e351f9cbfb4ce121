// Typesets what site/formulas.py has written; the first and last two letters are the marks \( \) or \[ \].
"use strict";
// A browser may break a line on either side of a formula, so a comma would start a line and a bracket end one. What stays with a formula
// are brackets before it and, after it, punctuation or up to four letters, as in "client k's". In Chinese no space follows punctuation.
const BEFORE = /[\p{Ps}\p{Pi}]+$/u,
  AFTER = /^(?:[^\s\u2e80-\u9fff]{1,4}(?=\s|$)|[\p{Pe}\p{Pf}\p{Po}\p{Pd}]+)/u;
const taken = (text, pattern) => {
  const found = (text?.nodeType === Node.TEXT_NODE && text.data.match(pattern)?.[0]) || "";
  if (found) text.data = text.data.replace(pattern, "");
  return found;
};
const keepTogether = (formula) => {
  let last = formula; // if it ends a passage in bold or italics, the punctuation after the passage moves into it
  while (!last.nextSibling && /^(?:STRONG|EM)$/.test(last.parentNode.tagName))
    last = last.parentNode;
  const before = taken(formula.previousSibling, BEFORE),
    after = taken(last.nextSibling, AFTER);
  if (!before && !after) return;
  const together = document.createElement("span");
  together.style.whiteSpace = "nowrap";
  formula.style.whiteSpace = "inherit"; // Chromium would else break after the formula's last part
  formula.replaceWith(together);
  together.append(before, formula, after);
  for (const part of formula.querySelectorAll(".katex-html > .base:not(:last-child)")) {
    const inside = document.createElement("wbr"); // a long formula may still be broken
    inside.style.whiteSpace = "normal";
    part.after(inside);
  }
};
for (const one of document.querySelectorAll(".math")) {
  katex.render(one.textContent.trim().slice(2, -2), one, {
    displayMode: one.tagName === "DIV",
    throwOnError: false,
  });
  if (one.tagName === "SPAN") keepTogether(one);
}
// A displayed formula that is wider than its column gets smaller, by a quarter at most; beyond that it scrolls, by the arrow keys as well.
const fit = () => {
  const all = [...document.querySelectorAll("div.math")];
  for (const one of all) one.style.fontSize = "";
  const wide = all.map((one) => one.scrollWidth / one.clientWidth);
  all.forEach((one, n) => {
    if (wide[n] > 1) one.style.fontSize = `${Math.max(0.75, 0.99 / wide[n])}em`;
  });
  const scrolls = all.map((one) => one.scrollWidth > one.clientWidth);
  all.forEach((one, n) => {
    if (scrolls[n]) one.tabIndex = 0;
    else one.removeAttribute("tabindex");
  });
};
document.fonts.ready.then(fit);
addEventListener("resize", fit);
document.addEventListener("toggle", fit, true); // what unfolds had no width before
