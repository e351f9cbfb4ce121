// Which passages answer a query, best first. MiniSearch ranks them by BM25, and finds beginnings of words and slips of typing.
"use strict";
// index: search_index.js. own: the reader's language. root: the way from the page to the site's root.
globalThis.searchRanking = (index, own, root) => {
  const { words, asked, folded, FORMULA, HAN } = searchWords;
  const A_SECTION = 3, // hits of one section at most
    LISTS = /^(glossary|bibliography|notation)#/; // pages of one section
  // What a reader who looks something up wants first. A companion, and a page beside the book, come after the chapters.
  const KINDS = { term: 2.2, symbol: 2.2, heading: 1.5, api: 0.8, exercise: 0.8, turn: 0.8 };
  const NAMED = new Set(["term", "symbol", "work", "api"]); // a heading of the same words may be anywhere
  const PLACES = [
    [/^more\//, 0.75],
    [/^(errata|bibliography|teachers|install|notation)$/, 0.6],
    [/^api\//, 0.5],
    [/^how_to\//, 0.9],
  ];
  const EXACT = 3, // the name was asked for, or some authors of a work
    TOGETHER = 1.6, // the words stand together, in this order
    OTHER_LANGUAGE = 0.4,
    FEW = 4; // if so many passages have all the words, or fewer, those that have some are shown too

  const passages = [];
  for (const [page, language, sections] of index) {
    const place = PLACES.find(([pattern]) => pattern.test(page))?.[1] ?? 1,
      weight = place * (!language || language === own ? 1 : OTHER_LANGUAGE),
      path = [];
    for (const [depth, anchor, title, texts] of sections) {
      path.splice(depth, path.length, title);
      const where = path.slice();
      const add = (id, kind, name, text) =>
        passages.push({
          id: passages.length,
          url: `${root}${page}.html${id && `#${id}`}`,
          section: `${page}#${anchor}`,
          weight: weight * (KINDS[kind] ?? 1),
          language,
          kind,
          where,
          name,
          text,
          path: where.join(" "),
        });
      add(depth ? anchor : "", "heading", title, "");
      texts.forEach((one, n) => {
        const [id, kind, name, text] = typeof one === "string" ? ["", "", "", one] : one;
        add(id || `${anchor}-p${n + 1}`, kind, name, text);
      });
    }
  }
  // Formulas are read where letters are explained. Elsewhere every page has each of them.
  const searched = ({ kind, text }) =>
    kind === "term" || kind === "symbol" ? text : text.replace(FORMULA, " ");
  const split = (text) => Array.from(words(text), (one) => one.word),
    paths = new Map();
  const once = (text) => paths.get(text) ?? paths.set(text, split(text)).get(text);
  const engine = new MiniSearch({
    fields: ["name", "text", "path"],
    extractField: (one, field) => (field === "text" ? searched(one) : one[field]),
    tokenize: (text, field) => (field === "path" ? once(text) : split(text)),
    processTerm: (word) => word,
    searchOptions: {
      tokenize: asked,
      boost: { name: 3, text: 1, path: 0.4 },
      prefix: (word) => word.length > 2 || HAN.test(word),
      fuzzy: (word) => (word.length > 4 && !HAN.test(word) ? 0.2 : false),
      weights: { prefix: 0.5, fuzzy: 0.2 },
      boostDocument: (id) => passages[id].weight,
    },
  });
  const ready = engine.addAllAsync(passages, { chunkSize: 300 }); // the page stays responsive

  const find = (query) => {
    let hits = engine.search(query, { combineWith: "AND" });
    const complete = hits.length,
      near = complete <= FEW && (asked(query).length > 1 || !complete);
    if (near) {
      const all = new Set(hits.map((hit) => hit.id));
      // "personalised" finds "personal".
      const begun = (word) =>
        word.length > 5 ? word.slice(0, Math.ceil(0.7 * word.length)) : word;
      const some = engine.search(query, { combineWith: "OR", processTerm: begun });
      for (const hit of some)
        if (!all.has(hit.id))
          hits.push({
            ...hit,
            score: 0.3 * hit.score * (hit.queryTerms.length / asked(query).length) ** 2,
          });
    }
    const phrase = folded(query.trim().replace(/\s+/g, " ")),
      wanted = asked(query);
    const factor = (one) => {
      const names = one.name.split(" · ").map(asked),
        of = (name) => wanted.every((word) => name.includes(word));
      const whole = (name) => one.kind === "work" || name.length === wanted.length;
      if (NAMED.has(one.kind) && names.some((name) => of(name) && whole(name))) return EXACT;
      if (one.kind === "api" && `.${one.name}`.endsWith(`.${query.trim()}`)) return EXACT;
      return folded(`${one.name} ${one.text}`).includes(phrase) ? TOGETHER : 1;
    };
    hits = hits.map((hit) => ({ ...hit, score: hit.score * factor(passages[hit.id]) }));
    hits.sort((a, b) => b.score - a.score);
    const seen = new Map();
    const first = ({ id }) => {
      const { section } = passages[id],
        n = (seen.get(section) ?? 0) + 1;
      seen.set(section, n);
      return n <= A_SECTION || LISTS.test(section);
    };
    return { near, complete, hits: hits.filter(first) };
  };
  return { find, passages, ready };
};
