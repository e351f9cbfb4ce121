// The words of a text and of a query, as the search compares them: without accents, capitals and the plural's s.
"use strict";
(() => {
  const FORMULA = /\\\(.*?\\\)/g,
    RUN = /[\p{L}\p{M}\p{N}]+/gu,
    SCRIPTS = /\p{Script=Han}+|\P{Script=Han}+/gu,
    HAN = /\p{Script=Han}/u,
    PARTS = /\p{Lu}?\p{Ll}+|\p{Lu}{2,}(?!\p{Ll})/gu;
  const EMPTY = new Set(
    "a an and are as at be by can do does for from how i in is it my of on or that the there this to was what when where which who why with".split(
      " ",
    ),
  );
  // A Greek letter is found by its name in LaTeX, and the other way round.
  const GREEK = new Map(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega"
      .split(" ")
      .map((name, n) => [String.fromCodePoint(0x3b1 + n), name]),
  );
  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const singular = (word) => (/[^isu]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word);
  const compared = (word) => GREEK.get(folded(word)) ?? singular(folded(word));

  // Chinese is written without spaces: two neighbouring characters count as a word, and so does the last one alone.
  const pairs = function* (run, at) {
    const letters = [...run];
    for (let n = 0; n < letters.length; at += letters[n++].length) {
      const word = letters.slice(n, n + 2).join("");
      yield { at, end: at + word.length, word, rest: n > 0 && n === letters.length - 1 };
    }
  };
  const latin = function* (run, at) {
    const end = at + run.length;
    yield { at, end, word: compared(run) };
    // MinNorm is found as "norm" too, and FedMGDA as "mgda".
    if (!/\p{Lu}.*\p{Ll}|\p{Ll}\p{Lu}/u.test(run.slice(1)) && !/\p{Ll}\p{Lu}/u.test(run)) return;
    const parts = run.match(PARTS) ?? [];
    for (const part of parts.length > 1 ? parts : [])
      if (part.length > 2) yield { at, end, word: compared(part), rest: true };
  };
  // Each word with its place in the text. rest: a part of a word, that a text is found by and a query does not ask for.
  const words = function* (text) {
    for (const { 0: run, index } of text.matchAll(RUN))
      if (!HAN.test(run)) yield* latin(run, index);
      else
        for (const { 0: piece, index: at } of run.matchAll(SCRIPTS))
          yield* (HAN.test(piece) ? pairs : latin)(piece, index + at);
  };
  // A query's words: without those that say nothing, unless all are such words.
  const asked = (text) => {
    const all = [...words(text)].filter((one) => !one.rest).map((one) => one.word),
      telling = all.filter((word) => !EMPTY.has(word) && (word.length > 1 || HAN.test(word)));
    return telling.length ? telling : all;
  };
  globalThis.searchWords = { words, asked, folded, FORMULA, HAN };
})();
