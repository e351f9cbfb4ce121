// A lab's task, above its controls: predict, do, explain. A view brings task: {
//   ask, guesses, right      a question, two or three answers to it, and which of them is correct, counted from 0
//   goal                     in one sentence, where the reader is to bring the lab
//   reached(state, numbers)  whether it is there: not at the start, and a slider's neighbouring values count as well, for a mouse is coarse
//   explain                  what is seen there, which answers the question, and why
// }
// The goal shows once the reader has guessed. It counts where the lab rests, not where a finger only passes; only then is the guess judged.
import { tr } from "./i18n.js";
import { escaped } from "./svg.js";

/** What is said of a guess, once the goal is reached. */
export const saidOfGuess = ({ guesses, right }, guess) =>
  guess === right
    ? tr("✓ Your guess was right: {guess}.", { guess: guesses[guess] })
    : tr("✗ Your guess was: {guess}.", { guess: guesses[guess] });

/** Fills ``place`` with the task. Returns notice(state, numbers): the sentences to say aloud about a state at rest, none if it is not
 *  the goal, or if that was reached before. ``button``: makes one, from its words and from what a click does. */
export function offered(place, task, button) {
  place.innerHTML = `<div class="steps"><ol></ol></div><div class="stages">
    <div class="predict"><p>${escaped(task.ask)}</p><div class="guesses" role="group" aria-label="${escaped(task.ask)}"></div></div>
    <p class="goal"><span class="tick" aria-hidden="true">○</span> ${escaped(task.goal)}</p>
    <p class="explain"><strong></strong> ${escaped(task.explain)}</p>
  </div>`;
  const find = (where) => place.querySelector(where),
    order = ["predict", "do", "explain"];
  const steps = [tr("Predict"), tr("Do"), tr("Explain")].map((words) => {
    const step = Object.assign(document.createElement("li"), { textContent: words });
    find("ol").append(step);
    return step;
  });
  const at = (stage) => {
    place.dataset.stage = stage;
    steps.forEach((step, i) => {
      step.classList.toggle("done", i < order.indexOf(stage));
      if (order[i] === stage) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    });
  };
  const verdict = find(".explain strong");
  const buttons = task.guesses.map((words, i) =>
    button(words, () => {
      buttons.forEach((one, j) => one.setAttribute("aria-pressed", i === j));
      // Out of sight until the goal is reached; only its room is taken already.
      verdict.textContent = saidOfGuess(task, i);
      verdict.className = i === task.right ? "good" : "bad";
      at("do");
    }),
  );
  buttons.forEach((one) => one.setAttribute("aria-pressed", false));
  find(".guesses").append(...buttons);
  const fold = button("", () => shut(!find(".stages").hidden));
  const shut = (hidden) => {
    find(".stages").hidden = hidden;
    fold.setAttribute("aria-expanded", !hidden);
    fold.textContent = hidden
      ? tr("Show the task")
      : place.dataset.stage === "explain"
        ? tr("Hide the task")
        : tr("Skip to the lab");
  };
  find(".steps").append(fold);
  at("predict");
  shut(false);

  return (state, numbers) => {
    if (place.dataset.stage !== "do" || !task.reached(state, numbers)) return [];
    at("explain");
    shut(find(".stages").hidden);
    find(".tick").textContent = "✓";
    return [tr("Goal reached."), verdict.textContent, task.explain];
  };
}
