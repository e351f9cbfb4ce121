// The figures' colours (fairfl_book.figures.COLOURS), client by client; ink and paper follow the page (style.css).
export const CLIENTS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"];
export const INK = "var(--ink)", SOFT = "var(--soft)", LINE = "var(--line)", PAPER = "var(--paper)", GOOD = "var(--good)", BAD = "var(--bad)";
