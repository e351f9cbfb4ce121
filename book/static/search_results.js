// A hit in the glossary is called by its term; the search alone would call each of them "Glossary".
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const list = document.getElementById("search-results");
  if (!list) return;
  const names = () =>
    new Map(
      Object.entries(Search._index.indexentries).flatMap(([name, hits]) =>
        hits.map(([, id]) => [id, name]),
      ),
    );
  // The index writes names in lower case; the id keeps the letters and writes everything else as a dash, or, of Chinese terms, is a number.
  const called = (id, name) =>
    name && /^term-\d+$/.test(id)
      ? name
      : [...id.slice(5)]
          .map((letter, n) => (letter === "-" && name.length === id.length - 5 ? name[n] : letter))
          .join("");
  new MutationObserver(() => {
    for (const hit of list.querySelectorAll('a[href*="glossary.html#term-"]:not([data-named])')) {
      const id = decodeURIComponent(hit.hash.slice(1));
      hit.dataset.named = "";
      hit.textContent = `${called(id, names().get(id) ?? "")} · ${hit.textContent}`;
    }
  }).observe(list, { childList: true, subtree: true });
});
