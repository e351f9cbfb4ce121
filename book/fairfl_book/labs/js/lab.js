// What every lab shares: controls, panels, handles for mouse, touch and keyboard, and words. The state lives in the model, so that Python
// sees it. A view brings
//   title, about, hint   words: its name, its picture for who does not see it, what to do with it; and, folded until it is asked for,
//   key                  what the picture's marks mean, where that takes more than a line or two
//   panels               [{ name, width, height, label }], 360 wide so that a phone shows their text at its size
//   compute(state, kernel) → numbers, with every number of Python's compute among them, equal to 1e-9. kernel: what only Python can
//                        compute (Lab.kernel_numbers) and the state that it belongs to, an earlier one until Python has answered
//   draw(numbers, time)  → { panel: markup }; time goes from 0 to 1 while a lab with seconds runs, and is 1 at rest
//   handles(numbers)     → [{ name, panel, at, colour, now, value, label, move(state, point), step(state, by) }] and, if need be,
//                        range: what now lies between; stride: how far an arrow key goes; runs: whether letting it go runs the lab;
//                        track: where it stands at either end of its range, if it moves along a line only
//   heights(numbers)     → { panel: height }, of panels that are not always as high as panels says
//   words(numbers)       → { tone: good, bad or soft, lines, figures }
//   seconds              how long a run lasts, in a lab that has something to run
//   task                 what the reader is to predict and to do, as tasks.js says; left out where the spec has task: false
//   active(state, name)  whether a slider does anything in this state; says(name, value): a slider's value in words
import { read, write } from "./address.js";
import { disc, escaped, px, tag } from "./svg.js";
import { PAPER } from "./palette.js";
import { joined } from "./wording.js";
import { tr } from "./i18n.js";
import { offered } from "./tasks.js";
import { copyLink } from "./copy_link.js";

export const STEP = 0.05; // an arrow key moves a handle this far, if it has no stride of its own; with Shift five times as far
const KNOB_RADIUS = 6.5,
  WIDER = 3.5,
  SAME = 3; // pixels: a handle's radius, by how much each is wider than one below it, and how near that lies
const GLIDE = 260; // milliseconds from one picture to another, where no finger leads

/** Between two pictures' numbers: what has the same shape in both is mixed, all else is the later one's. */
export function blend(a, b, t) {
  if (typeof a === "number" && typeof b === "number") return a + t * (b - a);
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return b.map((v, i) => blend(a[i], v, t));
  if (a && b && typeof a === "object" && typeof b === "object" && !Array.isArray(b))
    return Object.fromEntries(Object.entries(b).map(([k, v]) => [k, blend(a[k], v, t)]));
  return b;
}

/** A view's picture of a state as one SVG that stands by itself: panels in a row, title, description. For who has no scripts. */
export function still(view, spec, style) {
  const numbers = view.compute(spec.start),
    drawn = view.draw(numbers, 1),
    handles = view.handles(numbers),
    gap = 16;
  const high = (panel) => view.heights?.(numbers)[panel.name] ?? panel.height,
    height = Math.max(...view.panels.map(high));
  let x = 0;
  const inside = view.panels.map((panel) => {
    const dots = handles
      .filter((h) => h.panel === panel.name)
      .map((h) =>
        knob(
          h,
          disc(h.at, KNOB_RADIUS, {
            fill: PAPER,
            stroke: h.colour,
            "stroke-width": 3,
          }),
        ),
      )
      .join("");
    const piece = tag(
      "svg",
      { x, y: (height - high(panel)) / 2, width: panel.width, height: high(panel) },
      drawn[panel.name] + dots,
    );
    x += panel.width + gap;
    return piece;
  });
  const width = x - gap;
  const words = joined([view.about, ...view.words(numbers).lines]);
  return (
    tag(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        class: "fairfl-lab",
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: "img",
        "aria-label": escaped(words),
      },
      tag("title", {}, escaped(view.title)) +
        tag("desc", {}, escaped(words)) +
        tag("style", {}, style) +
        tag("rect", { width, height, fill: PAPER }) +
        inside.join(""),
    ) + "\n"
  );
}

const knob = (handle, circles) => (handle.ring === false ? "" : circles);

// ---- the living lab --------------------------------------------------------------------------------------------------------------------

export function mount(el, model, view) {
  const spec = model.get("spec"),
    calm = matchMedia("(prefers-reduced-motion: reduce)"),
    asked = view.task && spec.task !== false;
  el.innerHTML = `<div class="fairfl-lab" data-lab="${escaped(spec.name)}" data-lm-suppress-shortcuts="true" role="group" aria-label="${escaped(view.title)}">
    <section class="task" aria-label="${escaped(tr("Task"))}"></section>
    <div class="controls"></div>
    <div class="panels">${view.panels.map((panel) => `<svg data-panel="${panel.name}" viewBox="0 0 ${panel.width} ${panel.height}" role="group" aria-label="${escaped(panel.label)}"><g class="drawn" aria-hidden="true"></g><g class="handles"></g></svg>`).join("")}</div>
    <p class="words"></p>
    <div class="try"><span>${escaped(tr("Try:"))}</span></div>
    <p class="hint">${escaped(view.hint)}</p>${view.key ? `<details class="key"><summary>${escaped(tr("What the marks mean"))}</summary><p>${escaped(view.key)}</p></details>` : ""}
    <div class="screen-reader-text" aria-live="polite"></div>
  </div>`;
  const root = el.firstElementChild,
    find = (where) => root.querySelector(where);
  const state = () => model.get("state"),
    compute = (now) => view.compute(now, model.get("kernel_numbers"));
  let shown = null,
    time = 1,
    frame = 0,
    speaking = 0,
    ours = false;

  const set = (next, { save = true, glide = false } = {}) => {
    ours = true;
    model.set("state", next);
    ours = false;
    if (save) model.save_changes();
    show(glide);
  };

  const button = (words, pressed) => {
    const made = Object.assign(document.createElement("button"), {
      type: "button",
      textContent: words,
    });
    made.addEventListener("click", pressed);
    return made;
  };

  // Controls: a few named options or whole numbers are buttons, many options a list, all else a slider.
  const visible = Object.entries(spec.controls).filter(
    ([, control]) => control.reach === undefined && control.shown !== false,
  );
  const controls = visible.map(([name, control]) => {
    const stops =
      control.options ??
      (control.whole && control.high - control.low < 8
        ? Array.from({ length: control.high - control.low + 1 }, (_, i) => control.low + i)
        : null);
    const box = document.createElement("div");
    box.className = "control";
    box.dataset.control = name;
    find(".controls").append(box);
    const change = (value, options) => set({ ...structuredClone(state()), [name]: value }, options);
    if (control.several || (stops && stops.length <= 8)) {
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", control.label);
      box.innerHTML = `<span>${escaped(control.label)}</span>`;
      const options = stops ?? control.options,
        on = (now, stop) => (control.several ? now[name].includes(stop) : now[name] === stop);
      const next = (stop) =>
        control.several
          ? options.filter((one) => (one === stop) !== state()[name].includes(one))
          : stop;
      const buttons = options.map((stop) =>
        button(stop, () => change(next(stop), { glide: true })),
      );
      box.append(...buttons);
      return (now) =>
        buttons.forEach((one, i) => one.setAttribute("aria-pressed", on(now, options[i])));
    }
    if (stops) {
      box.innerHTML = `<label><span>${escaped(control.label)}</span><select>${stops.map((stop) => `<option>${escaped(stop)}</option>`).join("")}</select></label>`;
      const list = box.querySelector("select");
      list.addEventListener("change", () => change(stops[list.selectedIndex], { glide: true }));
      return (now) => {
        list.selectedIndex = stops.indexOf(now[name]);
      };
    }
    box.innerHTML = `<label><span>${escaped(control.label)}</span><input type="range" min="${control.low}" max="${control.high}" step="${control.step}" autocomplete="off"><output></output></label>`;
    const input = box.querySelector("input"),
      output = box.querySelector("output"),
      digits = (String(control.step).split(".")[1] ?? "").length;
    input.addEventListener("input", () => change(Number(input.value), { save: false }));
    input.addEventListener("change", () => model.save_changes());
    return (now) => {
      input.value = now[name];
      output.textContent =
        view.says?.(name, now[name]) ?? now[name].toFixed(digits).replace("-", "−");
      input.disabled = !(view.active?.(now, name) ?? true);
      box.classList.toggle("off", input.disabled);
    };
  });
  const offer = (words, next) =>
    find(".try").appendChild(button(words, () => set(structuredClone(next()), { glide: true })));
  for (const [words, some] of Object.entries(spec.tries))
    offer(words, () => ({ ...spec.start, ...some }));
  const reset = offer(tr("Reset"), () => spec.start),
    last = Object.assign(document.createElement("div"), { className: "last" });
  reset.className = "reset";
  last.append(reset);
  find(".try").append(last);
  const say = (words) => {
    find(".screen-reader-text").textContent = words;
  };
  if (model.address) last.append(copyLink(button, model.address, say));
  const notice = asked ? offered(find(".task"), view.task, button) : () => [];
  if (!asked) find(".task").remove();
  if (view.seconds) find(".controls").append(button(tr("▶ Run"), () => run()));

  // Handles: one group each, kept while it is dragged; the picture below them is drawn anew.
  const made = new Map();
  const apart = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]),
    least = (all, cost) => all.reduce((a, b) => (cost(b) < cost(a) ? b : a));
  const handle = (name, panel) => {
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g"),
      svg = find(`svg[data-panel="${panel}"]`);
    group.setAttribute("class", "handle");
    group.dataset.handle = name;
    for (const [key, value] of Object.entries({ tabindex: 0, role: "slider" }))
      group.setAttribute(key, value);
    group.innerHTML = '<circle class="halo" r="20"/><circle class="knob"/>';
    svg.querySelector(".handles").append(group);
    const point = (event) => {
      const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(
        svg.getScreenCTM().inverse(),
      );
      return [p.x, p.y];
    };
    const now = () => made.get(name).now;
    let offset = null;
    const grab = (event) => {
      group.setPointerCapture(event.pointerId);
      group.focus({ preventScroll: true });
      const [x, y] = point(event);
      offset = [now().at[0] - x, now().at[1] - y];
    };
    group.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      // Among handles close to one another the nearest is meant, whoever lies above; among those on one place the ring under the finger.
      const p = point(event),
        here = [...made.values()].filter(
          (one) => one.now.panel === panel && one.group.style.display !== "none",
        );
      const nearest = least(here, (one) => apart(one.now.at, p));
      least(
        here.filter((one) => apart(one.now.at, nearest.now.at) < SAME),
        (one) => Math.abs(apart(one.now.at, p) - one.radius),
      ).grab(event);
    });
    group.addEventListener("pointermove", (event) => {
      if (!offset || !group.hasPointerCapture(event.pointerId)) return;
      const [x, y] = point(event);
      set(now().move(structuredClone(state()), [x + offset[0], y + offset[1]]), { save: false });
    });
    for (const end of ["pointerup", "pointercancel"])
      group.addEventListener(end, () => {
        if (!offset) return;
        offset = null;
        model.save_changes();
        if (now().runs) run();
      });
    group.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
          event.key
        ],
        end = now().track?.[["Home", "End"].indexOf(event.key)];
      if (!(way || end) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      set(
        end
          ? now().move(structuredClone(state()), end)
          : now().step(
              structuredClone(state()),
              way.map((v) => v * (now().stride ?? STEP) * (event.shiftKey ? 5 : 1)),
            ),
      );
    });
    return { group, grab, now: null, radius: KNOB_RADIUS };
  };

  function paint(numbers) {
    const drawn = view.draw(numbers, time),
      handles = view.handles(numbers);
    for (const { name } of view.panels)
      find(`svg[data-panel="${name}"] .drawn`).innerHTML = drawn[name];
    for (const [name, height] of Object.entries(view.heights?.(numbers) ?? {})) {
      const svg = find(`svg[data-panel="${name}"]`);
      svg.setAttribute("viewBox", `0 0 ${svg.viewBox.baseVal.width} ${height}`);
    }
    for (const one of handles) {
      if (!made.has(one.name)) made.set(one.name, handle(one.name, one.panel));
      const entry = made.get(one.name);
      entry.now = one;
      entry.group.setAttribute("transform", `translate(${px(one.at[0])} ${px(one.at[1])})`);
      entry.group.style.setProperty("--colour", one.colour);
      entry.group.setAttribute("aria-label", one.label);
      entry.group.setAttribute("aria-valuetext", one.value);
      const [low, high] = one.range ?? [-view.reach, view.reach],
        [from, to] = one.track ?? [
          [0, 0],
          [0, 0],
        ];
      for (const [key, value] of Object.entries({ min: low, max: high, now: one.now }))
        entry.group.setAttribute(`aria-value${key}`, px(value));
      entry.group.setAttribute(
        "aria-orientation",
        Math.abs(to[1] - from[1]) > Math.abs(to[0] - from[0]) ? "vertical" : "horizontal",
      );
      entry.group.dataset.track = (one.track ?? []).flat().map(px).join(" ");
    }
    // Where rings lie on one another, later ones are wider and hollow, so that all of them show.
    handles.forEach((one, n) => {
      const below = handles
          .slice(0, n)
          .filter((other) => other.panel === one.panel && apart(other.at, one.at) < SAME).length,
        entry = made.get(one.name);
      const knob = entry.group.querySelector(".knob");
      entry.radius = KNOB_RADIUS + WIDER * below;
      knob.setAttribute("r", entry.radius);
      knob.style.fill = below ? "none" : "";
    });
    for (const [name, entry] of made)
      entry.group.style.display = handles.some((one) => one.name === name) ? "" : "none";
  }

  /** Calls ``draw`` with 0 to 1 over so many milliseconds, unless something else is shown meanwhile. */
  function over(milliseconds, draw) {
    cancelAnimationFrame(frame);
    const begun = performance.now();
    const move = (clock) => {
      const t = Math.min(1, Math.max(0, clock - begun) / milliseconds);
      draw(t);
      if (t < 1) frame = requestAnimationFrame(move);
    };
    frame = requestAnimationFrame(move);
  }

  function run() {
    if (calm.matches) return;
    shown = compute(state());
    over(1000 * view.seconds, (t) => {
      time = t;
      paint(shown);
    });
  }

  function show(glide) {
    cancelAnimationFrame(frame);
    time = 1;
    const now = state(),
      numbers = compute(now),
      from = shown,
      words = view.words(numbers);
    for (const follow of controls) follow(now);
    find(".words").innerHTML =
      `<strong class="${words.tone}">${escaped(words.lines[0])}</strong>${escaped(joined(["", ...words.lines.slice(1)]))}`;
    clearTimeout(speaking);
    if (from)
      speaking = setTimeout(
        () => say(joined([...notice(now, numbers), ...words.lines, words.figures])),
        400,
      );
    if (!glide || !from || calm.matches) {
      shown = numbers;
      paint(numbers);
      return;
    }
    over(GLIDE, (t) => {
      shown = t < 1 ? blend(from, numbers, t * t * (3 - 2 * t)) : numbers;
      paint(shown);
    });
  }

  // In a narrow panel the picture shrinks, and its words as little as there is room for.
  const sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries)
      if (contentRect.width)
        target.style.setProperty(
          "--larger",
          Math.min(1.18, Math.max(0.9, target.viewBox.baseVal.width / contentRect.width)).toFixed(
            3,
          ),
        );
  });
  root.querySelectorAll(".panels svg").forEach((svg) => sizes.observe(svg));
  model.on("change:state", () => {
    if (!ours) show(true);
  });
  model.on("change:kernel_numbers", () => show(false));
  show(false);
  return () => {
    sizes.disconnect();
    cancelAnimationFrame(frame);
    clearTimeout(speaking);
  };
}

/** A page without a kernel: a model that only remembers, and an address that says where the lab stands (if it is linked). */
export function host(el, view, spec) {
  let later = 0;
  const kernel_numbers = { ...spec.kernel_numbers, state: null }; // without a kernel, no state gets an answer
  const found = () => (spec.linked ? read(spec, location.hash) : null);
  const remember = () => history.replaceState(history.state, "", write(spec, values.state));
  const values = {
      spec,
      kernel_numbers,
      state: found() ?? structuredClone(spec.start),
    },
    heard = {};
  const model = {
    get: (name) => values[name],
    set: (name, value) => {
      values[name] = value;
      for (const f of heard[`change:${name}`] ?? []) f();
    },
    on: (event, f) => (heard[event] ??= []).push(f),
    // Browsers refuse more than some hundred addresses in half a minute, and a held key is faster.
    save_changes: () => {
      clearTimeout(later);
      if (spec.linked) later = setTimeout(remember, 100);
    },
    address:
      spec.linked &&
      (() => {
        remember();
        return location.href;
      }),
  };
  mount(el, model, view);
  const follow = () => {
    const state = found();
    if (state) model.set("state", state);
    return state;
  };
  addEventListener("hashchange", () => follow() && el.scrollIntoView({ block: "nearest" }));
  if (found()) el.scrollIntoView({ block: "center" });
}
