// The race as one SVG that runs by itself, without scripts: the still, and a style that draws its ways again and again.
import { landscape } from "./descent_paths.js";
import { still } from "./lab.js";
import { view } from "./playground.js";
import { SQUARE, parts } from "./trajectories.js";

const LOOP = 9,
  BEGIN = 20,
  END = 80,
  STOPS = 16; // seconds; per cent of them between which the race is run: before and after stands the still
const round = (v) => +v.toFixed(3);

/** How much of a way is behind at each of the stops. */
function progress(points, rounds) {
  const lengths = [0];
  for (let i = 1; i < points.length; i++)
    lengths.push(
      lengths[i - 1] + Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]),
    );
  const all = lengths[points.length - 1] || 1;
  return Array.from(
    { length: STOPS + 1 },
    (_, s) => lengths[Math.min(points.length - 1, Math.round((s / STOPS) * rounds))] / all,
  );
}

/** The start of the playground in motion; ``style`` as in ``still``. Who wants less motion sees the still. */
export function animated(spec, style) {
  const numbers = view.compute(spec.start),
    rules = [];
  const land = landscape(numbers.problem, numbers.centres),
    seen = [(w) => w, (w) => SQUARE.at(parts(land.losses(w), numbers.before))];
  const behind = seen.flatMap((where) =>
    numbers.running.map((rule) => progress(numbers.paths[rule].map(where), numbers.rounds)),
  );
  const at = (s) => round(BEGIN + ((END - BEGIN) * s) / STOPS);
  let n = 0;
  const picture = still(view, spec, style).replace(/<path ([^>]*?)class="way"\/>/g, (_, rest) => {
    const k = n++,
      dot = rest
        .replace(/stroke-width="[^"]*"/, 'stroke-width="10"')
        .replace(/stroke-linejoin="round"/, 'stroke-linecap="round" opacity="0"');
    return `<path ${rest}class="way w${k}" pathLength="1"/><path ${dot}class="dot d${k}" pathLength="1"/>`;
  });
  behind.forEach((shares, k) => {
    const steps = (value) => shares.map((share, s) => `${at(s)}%{${value(share)}}`).join("");
    rules.push(
      `@keyframes w${k}{0%,${BEGIN - 1}%{stroke-dashoffset:0}${steps((share) => `stroke-dashoffset:${round(1 - share)}`)}100%{stroke-dashoffset:0}}`,
    );
    rules.push(
      `@keyframes d${k}{0%,${BEGIN - 1}%{opacity:0;stroke-dashoffset:0}${steps((share) => `opacity:1;stroke-dashoffset:${round(-Math.min(share, 0.999))}`)}100%{opacity:0;stroke-dashoffset:-.999}}`,
    );
    rules.push(
      `.w${k}{stroke-dasharray:1;animation:w${k} ${LOOP}s linear infinite}.d${k}{stroke-dasharray:.001 2;animation:d${k} ${LOOP}s linear infinite}`,
    );
  });
  rules.push(
    `@keyframes head{0%,${BEGIN - 1}%{opacity:1}${BEGIN}%,${END}%{opacity:0}${END + 1}%,100%{opacity:1}}.head{animation:head ${LOOP}s linear infinite}`,
  );
  return picture.replace(
    "</style>",
    `@media (prefers-reduced-motion:no-preference){${rules.join("")}}</style>`,
  );
}
