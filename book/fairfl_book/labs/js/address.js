// A lab's state as a part of a page's address, so that a teacher can link to it: #lab=Hull&clients=3&tips=1.9,0.6;-0.75,0.65

const short = (v) => String(+v.toFixed(3));
const word = (v) => encodeURIComponent(v).replace(/%20/g, "+");
const text = (v) =>
  Array.isArray(v)
    ? v.map((p) => (Array.isArray(p) ? p.map(short).join(",") : word(p))).join(";")
    : typeof v === "number"
      ? short(v)
      : word(v);

/** The fragment, with its #, that says where the controls of ``spec`` stand. */
export const write = (spec, state) =>
  "#" +
  [["lab", spec.name], ...Object.keys(spec.controls).map((name) => [name, state[name]])]
    .map(([n, v]) => `${n}=${text(v)}`)
    .join("&");

/** The state that a fragment describes, what it leaves out as at the start; null if it belongs to something else. Values outside a
 *  control's range are left out too: an address is typed by anybody. */
export function read(spec, fragment) {
  const given = Object.fromEntries(
    fragment
      .replace(/^#/, "")
      .split("&")
      .map((pair) => {
        const [name, value = ""] = pair.split("=");
        try {
          return [name, decodeURIComponent(value.replace(/\+/g, " "))];
        } catch {
          return [name, ""];
        }
      }),
  );
  if (given.lab !== spec.name) return null;
  const state = structuredClone(spec.start);
  for (const [name, control] of Object.entries(spec.controls)) {
    const value = given[name] === undefined ? undefined : parsed(control, given[name]);
    if (value !== undefined) state[name] = value;
  }
  return state;
}

function parsed(control, text) {
  if (control.several) {
    const chosen = text === "" ? [] : text.split(";");
    return chosen.every((one) => control.options.includes(one))
      ? control.options.filter((one) => chosen.includes(one))
      : undefined;
  }
  if (control.options) return control.options.includes(text) ? text : undefined;
  if (control.reach === undefined) {
    const value = Number(text);
    return text !== "" && value >= control.low && value <= control.high ? value : undefined;
  }
  const points = text.split(";").map((p) => p.split(",").map(Number));
  const fits =
    points.length === control.start.length &&
    points.every(
      (p) => p.length === 2 && p.every(Number.isFinite) && Math.hypot(...p) <= control.reach + 1e-9,
    );
  return fits ? points : undefined;
}
