// Where the window leaves a margin, the first citation of each work is told there, beside its paragraph (look.css).
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const told = new Set();
  for (const link of document.querySelectorAll("article section > p a[href^='#reference-']")) {
    const reference = link.dataset.tooltip ?? link.title;
    if (!reference || told.has(reference)) continue;
    told.add(reference);
    const note = document.createElement("span");
    note.className = "margin-note";
    note.setAttribute("aria-hidden", "true"); // the link says the same, and leads to it
    note.textContent = reference;
    link.closest("p").before(note);
  }
});
