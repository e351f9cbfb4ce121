// The figures' colours (fairfl_book.figures.COLOURS), client by client; ink and paper follow the page (style.css).
export const CLIENTS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"];
export const INK = "var(--ink)",
  SOFT = "var(--soft)",
  LINE = "var(--line)",
  PAPER = "var(--paper)",
  GOOD = "var(--good)",
  BAD = "var(--bad)";
// As letters these are too pale on paper (2.2 at worst): words take them mixed with ink, 4.5 and more in both modes.
export const worded = (colour) => `color-mix(in srgb, ${colour} 55%, var(--ink))`;
/** What is read on each client's colour. */
export const ON = ["#ffffff", "#000000", "#000000", "#000000", "#000000", "#000000"];
