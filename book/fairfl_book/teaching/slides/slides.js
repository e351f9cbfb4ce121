// Keys turn the pages, the address keeps the place, and a slide that would not fit gets smaller letters.
"use strict";
const slides = [...document.querySelectorAll("section")];
const LEAST = 0.4; // of the usual size

const room = (slide) => slide.querySelector(".body");
const over = (slide) => {
  const body = room(slide);
  const end = body.getBoundingClientRect();
  return [...body.querySelectorAll("*")].some((one) => {
    const box = one.closest(".katex, .living, .paper") ? null : one.getBoundingClientRect();
    return (
      box &&
      box.width &&
      (box.bottom > end.bottom + 1 || box.right > end.right + 1 || box.top < end.top - 1)
    );
  });
};
const labs = () => {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  document.documentElement.style.setProperty("--rem", rem / 16);
  for (const lab of document.querySelectorAll(".living .lab-touch")) {
    lab.style.setProperty("--fit", 1);
    const box = lab.getBoundingClientRect();
    lab.style.setProperty("--fit", Math.min((51 * rem) / box.width, (35 * rem) / box.height));
  }
};
const shrink = () => {
  for (const slide of slides) {
    let size = 1;
    room(slide).style.fontSize = "";
    while (over(slide) && size > LEAST) {
      size -= 0.04;
      room(slide).style.fontSize = `${size}em`;
    }
    slide.dataset.size = size.toFixed(2);
  }
  document.body.dataset.ready = "";
};

const here = () => {
  const middles = slides.map((slide) => Math.abs(slide.getBoundingClientRect().top));
  return middles.indexOf(Math.min(...middles));
};
const go = (place) => {
  const slide = slides[Math.max(0, Math.min(slides.length - 1, place))];
  slide.scrollIntoView();
  history.replaceState(null, "", `#${slide.id}`);
};
const STEPS = {
  ArrowRight: 1,
  ArrowDown: 1,
  PageDown: 1,
  " ": 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  PageUp: -1,
  Home: -Infinity,
  End: Infinity,
};
addEventListener("keydown", (event) => {
  // A lab's handles and sliders use the arrows; Page Down, which remote controls send, and Escape leave them.
  const lab = event.target.closest?.(".fairfl-lab");
  if (lab && event.key === "Escape") event.target.blur();
  if (lab && !event.key.startsWith("Page")) return;
  if (!(event.key in STEPS) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  go(here() + (event.key === " " && event.shiftKey ? -1 : STEPS[event.key]));
});

addEventListener("resize", labs);
document.fonts.ready.then(() => {
  labs();
  shrink();
  if (location.hash) go(slides.findIndex((slide) => `#${slide.id}` === location.hash));
});
