// What every lab shares: controls, panels, handles for mouse, touch and keyboard, and words. A view brings compute(state) → numbers,
// panels, draw(numbers) → markup a panel, handles(numbers), and words(numbers). The state lives in the model, so that Python sees it.
import { read, write } from "./address.js";
import { INK, PAPER, SOFT } from "./palette.js";

export const STEP = 0.05; // an arrow key moves a handle this far; with Shift five times as far
const GLIDE = 260; // milliseconds from one picture to another, where no finger leads

// ---- markup ------------------------------------------------------------------------------------------------------------------------

export const px = (v) => (typeof v === "number" ? String(+v.toFixed(2) + 0) : v);
export const escaped = (words) => String(words).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
/** One SVG element as text. */
export const tag = (name, attributes, inside = "") =>
  `<${name}${Object.entries(attributes).map(([key, v]) => ` ${key}="${px(v)}"`).join("")}${inside === "" ? "/>" : `>${inside}</${name}>`}`;
/** Words in a picture, with a rim in the paper's colour that keeps them apart from lines below. */
export const label = (x, y, words, more = {}) =>
  tag("text", { x, y, fill: INK, stroke: PAPER, "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round", ...more }, escaped(words));
export const line = (from, to, more) => tag("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1], ...more });
export const polygon = (points, more) => tag("polygon", { points: points.map((p) => p.map(px).join()).join(" "), ...more });

/** An arrow between two points of a panel; a short one keeps its proportions. */
export function arrow(from, to, colour, width, more = {}) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  if (length < 1) return "";
  const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length], head = Math.min(9 + width, 0.6 * length), side = 0.42 * head;
  const neck = [to[0] - 0.8 * head * ux, to[1] - 0.8 * head * uy], back = [to[0] - head * ux, to[1] - head * uy];
  return line(from, neck, { stroke: colour, "stroke-width": width, ...more })
    + polygon([to, [back[0] - side * uy, back[1] + side * ux], [back[0] + side * uy, back[1] - side * ux]], { fill: colour, ...more, "stroke-dasharray": "none" });
}

/** Puts labels where they are free of one another, of ``blocked`` circles [x, y, r] and of the panel's edge: {at, towards, words}, the
 *  most important first. Each goes beside its point, away from the origin if that is free, else as little turned as can be. */
export function placed(labels, blocked, width, height) {
  const boxes = [];
  const over = (a, b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  return labels.map(({ at, towards, words, away = 12, more = {} }) => {
    const w = 8 * words.length + 4, h = 18, ahead = Math.atan2(towards[1], towards[0]);
    let best = null, least = Infinity;
    for (let i = 0; i < 16; i++) {
      const turn = ahead + Math.ceil(i / 2) * (i % 2 ? 1 : -1) * Math.PI / 8, c = Math.cos(turn), s = Math.sin(turn);
      const far = away + Math.min(w / 2 / Math.max(Math.abs(c), 1e-9), h / 2 / Math.max(Math.abs(s), 1e-9));
      const x = at[0] + far * c, y = at[1] + far * s, box = [x - w / 2, y - h / 2, x + w / 2, y + h / 2];
      const outside = w * h - over(box, [1, 1, width - 1, height - 1]);
      const cost = 4 * outside + boxes.reduce((sum, b) => sum + over(box, b), 0)
        + blocked.reduce((sum, [bx, by, r]) => sum + over(box, [bx - r, by - r, bx + r, by + r]), 0) + i;
      if (cost < least) { least = cost; best = { x, y, box }; }
    }
    boxes.push(best.box);
    return label(best.x, best.y + 5, words, { "text-anchor": "middle", ...more });
  }).join("");
}

/** Between two pictures' numbers: what has the same shape in both is mixed, all else is the later one's. */
export function blend(a, b, t) {
  if (typeof a === "number" && typeof b === "number") return a + t * (b - a);
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) return b.map((v, i) => blend(a[i], v, t));
  if (a && b && typeof a === "object" && typeof b === "object" && !Array.isArray(b)) return Object.fromEntries(Object.entries(b).map(([k, v]) => [k, blend(a[k], v, t)]));
  return b;
}

/** A view's picture of a state as one SVG that stands by itself: panels in a row, title, description. For who has no scripts. */
export function still(view, spec, style) {
  const numbers = view.compute(spec.start), drawn = view.draw(numbers), handles = view.handles(numbers), gap = 16;
  let x = 0;
  const inside = view.panels.map((panel) => {
    const dots = handles.filter((h) => h.panel === panel.name).map((h) => knob(h, tag("circle", { cx: h.at[0], cy: h.at[1], r: 6.5, fill: PAPER, stroke: h.colour, "stroke-width": 3 }))).join("");
    const piece = tag("svg", { x, y: 0, width: panel.width, height: panel.height }, drawn[panel.name] + dots);
    x += panel.width + gap;
    return piece;
  });
  const width = x - gap, height = Math.max(...view.panels.map((panel) => panel.height));
  const words = `${view.about} ${view.words(numbers).lines.join(" ")}`;
  return tag("svg", { xmlns: "http://www.w3.org/2000/svg", class: "fairfl-lab", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": escaped(words) },
    tag("title", {}, escaped(view.title)) + tag("desc", {}, escaped(words)) + tag("style", {}, style)
    + tag("rect", { width, height, fill: PAPER }) + inside.join("")) + "\n";
}

const knob = (handle, circles) => (handle.ring === false ? "" : circles);

// ---- the living lab --------------------------------------------------------------------------------------------------------------------

export function mount(el, model, view) {
  const spec = model.get("spec"), calm = matchMedia("(prefers-reduced-motion: reduce)");
  el.innerHTML = `<div class="fairfl-lab" data-lab="${escaped(spec.name)}" data-lm-suppress-shortcuts="true" role="group" aria-label="${escaped(view.title)}">
    <div class="controls"></div>
    <div class="panels">${view.panels.map((panel) => `<svg data-panel="${panel.name}" viewBox="0 0 ${panel.width} ${panel.height}" role="group" aria-label="${escaped(panel.label)}"><g class="drawn" aria-hidden="true"></g><g class="handles"></g></svg>`).join("")}</div>
    <p class="words"></p>
    <div class="try"><span>Try:</span></div>
    <p class="hint">${escaped(view.hint)}</p>
    <div class="said" aria-live="polite"></div>
  </div>`;
  const root = el.firstElementChild, find = (where) => root.querySelector(where);
  const state = () => model.get("state");
  let shown = null, frame = 0, speaking = 0, ours = false;

  const set = (next, { save = true, glide = false } = {}) => {
    ours = true;
    model.set("state", next);
    ours = false;
    if (save) model.save_changes();
    show(glide);
  };

  // Controls: a few named options or whole numbers are buttons, all else a slider.
  const controls = Object.entries(spec.controls).filter(([, control]) => control.reach === undefined).map(([name, control]) => {
    const stops = control.options ?? (control.whole && control.high - control.low < 8 ? Array.from({ length: control.high - control.low + 1 }, (_, i) => control.low + i) : null);
    const box = document.createElement("div");
    box.className = "control";
    box.dataset.control = name;
    find(".controls").append(box);
    const change = (value, options) => set({ ...structuredClone(state()), [name]: value }, options);
    if (stops) {
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", control.label);
      box.innerHTML = `<span>${escaped(control.label)}</span>` + stops.map((stop) => `<button type="button">${escaped(stop)}</button>`).join("");
      box.querySelectorAll("button").forEach((button, i) => button.addEventListener("click", () => change(stops[i], { glide: true })));
      return (now) => box.querySelectorAll("button").forEach((button, i) => button.setAttribute("aria-pressed", stops[i] === now[name]));
    }
    box.innerHTML = `<label><span>${escaped(control.label)}</span><input type="range" min="${control.low}" max="${control.high}" step="${control.step}" autocomplete="off"><output></output></label>`;
    const input = box.querySelector("input"), output = box.querySelector("output");
    input.addEventListener("input", () => change(Number(input.value), { save: false }));
    input.addEventListener("change", () => model.save_changes());
    return (now) => {
      input.value = now[name];
      output.textContent = now[name].toFixed(2);
      input.disabled = !(view.active?.(now, name) ?? true);
      box.classList.toggle("off", input.disabled);
    };
  });
  const offer = (words, next) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: words });
    button.addEventListener("click", () => set(structuredClone(next()), { glide: true }));
    find(".try").append(button);
    return button;
  };
  for (const [words, some] of Object.entries(spec.tries)) offer(words, () => ({ ...spec.start, ...some }));
  offer("Reset", () => spec.start).className = "reset";

  // Handles: one group each, kept while it is dragged; the picture below them is drawn anew.
  const made = new Map();
  const handle = (name, panel) => {
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g"), svg = find(`svg[data-panel="${panel}"]`);
    group.setAttribute("class", "handle");
    group.dataset.handle = name;
    for (const [key, value] of Object.entries({ tabindex: 0, role: "slider", "aria-valuemin": -1, "aria-valuemax": 1, "aria-orientation": "horizontal" })) group.setAttribute(key, value);
    group.innerHTML = '<circle class="halo" r="20"/><circle class="knob" r="6.5"/>';
    svg.querySelector(".handles").append(group);
    const point = (event) => { const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()); return [p.x, p.y]; };
    const now = () => made.get(name).now;
    let grip = null;
    group.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      group.setPointerCapture(event.pointerId);
      event.preventDefault();
      group.focus({ preventScroll: true });
      const [x, y] = point(event);
      grip = [now().at[0] - x, now().at[1] - y];
    });
    group.addEventListener("pointermove", (event) => {
      if (!grip || !group.hasPointerCapture(event.pointerId)) return;
      const [x, y] = point(event);
      set(now().move(structuredClone(state()), [x + grip[0], y + grip[1]]), { save: false });
    });
    for (const end of ["pointerup", "pointercancel"]) group.addEventListener(end, () => { if (grip) { grip = null; model.save_changes(); } });
    group.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      set(now().step(structuredClone(state()), way.map((v) => v * STEP * (event.shiftKey ? 5 : 1))));
    });
    return { group, now: null };
  };

  function paint(numbers) {
    const drawn = view.draw(numbers), handles = view.handles(numbers);
    for (const { name } of view.panels) find(`svg[data-panel="${name}"] .drawn`).innerHTML = drawn[name];
    for (const one of handles) {
      if (!made.has(one.name)) made.set(one.name, handle(one.name, one.panel));
      const entry = made.get(one.name);
      entry.now = one;
      entry.group.setAttribute("transform", `translate(${px(one.at[0])} ${px(one.at[1])})`);
      entry.group.style.setProperty("--colour", one.colour);
      entry.group.setAttribute("aria-label", one.label);
      entry.group.setAttribute("aria-valuetext", one.value);
      entry.group.setAttribute("aria-valuenow", px(one.now));
    }
    for (const [name, entry] of made) entry.group.style.display = handles.some((one) => one.name === name) ? "" : "none";
  }

  function show(glide) {
    cancelAnimationFrame(frame);
    const now = state(), numbers = view.compute(now), from = shown, words = view.words(numbers);
    for (const follow of controls) follow(now);
    find(".words").innerHTML = `<strong class="${words.tone}">${escaped(words.lines[0])}</strong> ${escaped(words.lines.slice(1).join(" "))}`;
    clearTimeout(speaking);
    if (from) speaking = setTimeout(() => { find(".said").textContent = `${words.lines.join(" ")} ${words.figures}`; }, 400);
    if (!glide || !from || calm.matches) { shown = numbers; paint(numbers); return; }
    const begun = performance.now();
    const move = (time) => {
      const t = Math.min(1, Math.max(0, time - begun) / GLIDE), eased = t * t * (3 - 2 * t);
      shown = t < 1 ? blend(from, numbers, eased) : numbers;
      paint(shown);
      if (t < 1) frame = requestAnimationFrame(move);
    };
    frame = requestAnimationFrame(move);
  }

  // In a narrow panel the picture shrinks, and its words as little as there is room for.
  const sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) if (contentRect.width) target.style.setProperty("--larger", Math.min(1.18, Math.max(0.9, target.viewBox.baseVal.width / contentRect.width)).toFixed(3));
  });
  root.querySelectorAll(".panels svg").forEach((svg) => sizes.observe(svg));
  model.on("change:state", () => { if (!ours) show(true); });
  show(false);
  return () => { sizes.disconnect(); cancelAnimationFrame(frame); clearTimeout(speaking); };
}

/** A page without a kernel: a model that only remembers, and an address that says where the lab stands. */
export function host(el, view, spec) {
  let later = 0;
  const values = { spec, state: read(spec, location.hash) ?? structuredClone(spec.start) }, heard = {};
  const model = {
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; for (const f of heard[`change:${name}`] ?? []) f(); },
    on: (event, f) => (heard[event] ??= []).push(f),
    // Browsers refuse more than some hundred addresses in half a minute, and a held key is faster.
    save_changes: () => { clearTimeout(later); later = setTimeout(() => history.replaceState(history.state, "", write(spec, values.state)), 100); },
  };
  mount(el, model, view);
  const follow = () => { const state = read(spec, location.hash); if (state) model.set("state", state); return state; };
  addEventListener("hashchange", () => follow() && el.scrollIntoView({ block: "nearest" }));
  if (read(spec, location.hash)) el.scrollIntoView({ block: "center" });
}
