// A button that copies the address of the page with the lab in its present state.
import { tr } from "./i18n.js";

const SAID = 2500; // milliseconds for which the button says what became of it

/** ``button``: makes one, from its words and from what a click does. ``address()``: the page's, which it shows from then on.
 *  ``say``: says a sentence aloud. */
export function copyLink(button, address, say) {
  let later = 0;
  const one = button(tr("Copy link"), async () => {
    const link = address();
    let words = tr("Copied ✓");
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      words = tr("See the address bar"); // where a browser does not let a page copy
    }
    one.textContent = words;
    say(words);
    clearTimeout(later);
    later = setTimeout(() => (one.textContent = tr("Copy link")), SAID);
  });
  one.className = "copy-link";
  return one;
}
