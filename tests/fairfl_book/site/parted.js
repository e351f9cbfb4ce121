// Inline formulas with punctuation beside them: [how many, those whose punctuation stands on another line].
() => {
  const article = document.querySelector('.bd-article'), block = e => e.parentElement.closest('p, li, dt, dd, td, th, h1, h2, h3, h4, summary, figcaption, div');
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT, e => e.parentElement.closest('script, style, .katex') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const letter = (node, at) => { const range = document.createRange(); range.setStart(node, at); range.setEnd(node, at + 1); return range.getClientRects()[0]; };
  const bare = node => node.data.replaceAll('\u2060', ''), low = box => (box.top + box.bottom) / 2, found = [];
  let seen = 0;
  for (const formula of article.querySelectorAll('span.math')) {
    const bases = [...formula.querySelectorAll('.katex-html > .base')];
    if (!bases.length || !bases[0].getClientRects().length) continue;
    walker.currentNode = formula;
    let after = walker.nextNode();
    while (after && (formula.contains(after) || !bare(after))) after = walker.nextNode();
    walker.currentNode = formula;
    let before = walker.previousNode();
    while (before && !bare(before)) before = walker.previousNode();
    if (after && block(after) === block(formula) && /[\p{P}]/u.test(bare(after)[0]) && !/[\p{Ps}\p{Pi}]/u.test(bare(after)[0])) {
      seen += 1;
      const one = letter(after, after.data.search(/[^\u2060]/)), last = bases.at(-1).getBoundingClientRect();
      if (one && low(one) > last.bottom && one.left < last.right) found.push(`after ${formula.querySelector('annotation').textContent}: ${after.data.slice(0, 12)}`);
    }
    if (before && block(before) === block(formula) && /[\p{Ps}\p{Pi}]/u.test(bare(before).at(-1))) {
      seen += 1;
      const one = letter(before, before.data.search(/[^\u2060]\u2060*$/)), first = bases[0].getBoundingClientRect();
      if (one && low(one) < first.top && one.right > first.left) found.push(`before: ${before.data.slice(-12)} ${formula.querySelector('annotation').textContent}`);
    }
  }
  return [seen, found];
}
