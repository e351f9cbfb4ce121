// The page Search: finds passages in the index that the site was built with, from a server and from disk.
"use strict";
(() => {
  const form = document.querySelector("form.book-search");
  if (!form) return;
  const field = form.querySelector("input"),
    status = form.querySelector(".search-status"),
    list = form.querySelector(".search-hits"),
    said = JSON.parse(list.dataset.said),
    root = document.documentElement.dataset.content_root,
    own = document.documentElement.lang.slice(0, 2);
  if (!globalThis.MiniSearch || !globalThis.SEARCH_INDEX) {
    status.textContent = said.broken;
    return;
  }
  const { words, FORMULA, HAN } = searchWords,
    LISTED = new Set(["term", "symbol", "work"]), // kinds that say which page they are on
    AT_ONCE = 20, // hits shown before the button
    LENGTH = 260; // letters of an excerpt

  const { find, passages, ready } = searchRanking(SEARCH_INDEX, own, root);

  // Text with the found words marked and its formulas typeset.
  const shown = (text, found) => {
    const out = [];
    let at = 0;
    const plain = (piece) => {
      let done = 0;
      for (const one of words(piece)) {
        if (!found.has(one.word) || one.end <= done) continue;
        const from = Math.max(done, one.at),
          mark = document.createElement("mark");
        mark.textContent = piece.slice(from, one.end);
        out.push(piece.slice(done, from), mark);
        done = one.end;
      }
      out.push(piece.slice(done));
    };
    for (const formula of text.matchAll(FORMULA)) {
      plain(text.slice(at, formula.index));
      const one = document.createElement("span"),
        tex = formula[0].slice(2, -2);
      if (globalThis.katex) katex.render(tex, one, { throwOnError: false });
      else one.textContent = tex;
      out.push(one);
      at = formula.index + formula[0].length;
    }
    plain(text.slice(at));
    return out;
  };
  // The part of a long text with most of the words, cut between words and not inside a formula.
  const excerpt = (text, found) => {
    if (text.length <= LENGTH * 1.3) return text;
    const formulas = [...text.matchAll(FORMULA)].map((one) => [
        one.index,
        one.index + one[0].length,
      ]),
      inside = (at) => formulas.find(([from, to]) => from < at && at < to),
      marks = [...words(text)].filter((one) => found.has(one.word) && !inside(one.at)),
      near = (one) =>
        new Set(
          marks.filter((w) => w.at >= one.at && w.at < one.at + LENGTH - 60).map((w) => w.word),
        ).size;
    let best = marks[0];
    for (const one of marks) if (near(one) > near(best)) best = one;
    let from = Math.max(0, (best?.at ?? 0) - 60);
    if (from) from = text.slice(0, from).search(/[\s，。；：]\S*$/u) + 1;
    let to = from + LENGTH;
    to = inside(to)?.[1] ?? to;
    from = inside(from)?.[0] ?? from;
    if (to < text.length) to += Math.max(0, text.slice(to).search(/[\s，。；：]|$/u));
    return `${from ? "… " : ""}${text.slice(from, to)}${to < text.length ? " …" : ""}`;
  };
  const span = (className, ...inside) => {
    const one = document.createElement("span");
    one.className = className;
    one.append(...inside);
    return one;
  };
  // A term's definition is there in both languages, one a line.
  const inOwn = (text, found) => {
    const lines = text.split("\n"),
      told = lines.find((line) => HAN.test(line) === (own === "zh")) ?? lines[0];
    const has = (line) => [...words(line)].some((one) => found.has(one.word));
    return has(told) ? told : (lines.find(has) ?? told);
  };
  const item = ({ id, terms }) => {
    const { url, kind, where, name, text, language } = passages[id],
      found = new Set(terms),
      li = document.createElement("li"),
      link = document.createElement("a"),
      named = kind && kind !== "heading" && name;
    link.href = url;
    link.append(
      ...shown(named ? name : [where.at(-1), ...(name && !kind ? [name] : [])].join(" › "), found),
    );
    const badge = kind ? [span("search-kind", said[kind])] : [],
      trail = LISTED.has(kind) ? [] : named ? where : where.slice(0, -1);
    li.append(span("search-trail", ...badge, ...shown(trail.join(" › "), new Set())), link);
    if (text) {
      const p = document.createElement("p");
      p.append(...shown(excerpt(inOwn(text, found), found), found));
      li.append(p);
    }
    if (language && language !== own) li.lang = language;
    return li;
  };

  const filled = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const more = (hits) => {
    list.append(...hits.slice(0, AT_ONCE).map(item));
    const left = hits.slice(AT_ONCE);
    if (!left.length) return;
    const li = document.createElement("li"),
      button = document.createElement("button");
    li.className = "search-more";
    button.type = "button";
    button.className = "btn btn-sm btn-outline-primary";
    button.textContent = filled(said.more, { n: Math.min(left.length, AT_ONCE) });
    button.addEventListener("click", () => {
      li.remove();
      const before = list.children.length;
      more(left);
      list.children[before].querySelector("a").focus();
    });
    li.append(button);
    list.append(li);
  };
  const search = async () => {
    await ready;
    const query = field.value.trim();
    list.replaceChildren();
    status.textContent = "";
    if (!query) return;
    const { near, complete, hits } = find(query),
      n = hits.length;
    status.textContent = filled(
      n ? (near ? said.near : n === 1 ? said.one : said.some) : said.none,
      { n, complete, rest: n - complete, words: query },
    );
    if (n) status.append(" ", span("search-keys", said.keys));
    more(hits);
  };
  // So that the way back from a hit leads to the hits. Some browsers refuse this from disk.
  const remember = () => {
    try {
      history.replaceState(null, "", `?q=${encodeURIComponent(field.value.trim())}`);
    } catch {
      // the address keeps the first words
    }
  };
  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => (search(), remember()), 120);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
    remember();
  });
  form.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const stops = [field, ...list.querySelectorAll("a, button")],
      next = stops[stops.indexOf(document.activeElement) + step];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
  // Ctrl+K goes to this field, and not to the one beside the page.
  addEventListener(
    "keydown",
    (event) => {
      if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        event.stopImmediatePropagation();
        field.focus();
        field.select();
      }
    },
    true,
  );
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  search();
  if (!("ontouchstart" in globalThis)) field.focus();
})();
