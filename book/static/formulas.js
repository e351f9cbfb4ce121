// Typesets what site/formulas.py has written; the first and last two letters are the marks \( \) or \[ \].
"use strict";
for (const one of document.querySelectorAll(".math")) {
  katex.render(one.textContent.trim().slice(2, -2), one, { displayMode: one.tagName === "DIV", throwOnError: false });
  // A comma after a formula, or the s of "client k's", stays on its line.
  const next = one.nextSibling, mark = next?.nodeType === Node.TEXT_NODE && next.data.match(/^[^\s\u2013\u2014]{1,4}(?=\s|$)/)?.[0];
  if (mark && one.tagName === "SPAN") {
    const together = document.createElement("span");
    together.style.whiteSpace = "nowrap";
    next.data = next.data.slice(mark.length);
    one.replaceWith(together);
    together.append(one, mark);
  }
}
