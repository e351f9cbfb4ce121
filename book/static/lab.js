// A lab on the page: native controls choose one of the pictures that were drawn in advance, and its words.
"use strict";

function start(strip) {
  const data = JSON.parse(strip.querySelector("script").textContent);
  const controls = [...strip.querySelectorAll("input, select")];
  const base = strip.querySelector(".lab-base"), frame = strip.querySelector(".lab-frame");
  const words = strip.querySelector(".lab-words");
  const root = document.documentElement.dataset.content_root || "./";
  const file = (n) => `${root}${data.folder}/frame-${String(n).padStart(3, "0")}.webp`;
  const at = (control) => control.tagName === "SELECT" ? control.selectedIndex : Number(control.value);
  const stops = (control) => control.tagName === "SELECT" ? control.length : Number(control.max) + 1;
  const number = (places) => controls.reduce((n, control, i) => n * stops(control) + places[i], 0);

  function show() {
    const places = controls.map(at), n = number(places);
    for (const control of controls.filter((c) => c.dataset.stops)) {
      const text = JSON.parse(control.dataset.stops)[at(control)];
      control.setAttribute("aria-valuetext", text);
      control.nextElementSibling.value = text;
    }
    base.src = `${root}${data.folder}/base-${data.base[n]}.webp`;
    frame.src = file(n);
    base.alt = data.alt[n];
    words.textContent = data.words[n];
    for (const i of controls.keys()) {  // the pictures one move away, so that the next move shows at once
      for (const step of [-1, 1]) {
        const next = places.with(i, places[i] + step);
        if (next[i] >= 0 && next[i] < stops(controls[i])) new Image().src = file(number(next));
      }
    }
  }
  for (const control of controls) control.addEventListener("input", show);
}

document.querySelectorAll(".lab-strip").forEach(start);
