// What holds names and values only: cells, choices, chips, charts, code and typed text.
const WHOLE = [
  '[data-testid=stDataFrame]', '[data-testid=stTable] table', '[role=option]', '[role=listbox]',
  '[data-testid=stMultiSelect] [data-tag]', '.js-plotly-plot', 'code', 'input', 'textarea',
].join(',');
// One observer for the page, also if this script is loaded once more.
const kept = (window.synthNames ??= { names: new Set(), waiting: 0, observer: null });

const keep = element => {
  if (element && element.getAttribute('translate') !== 'no') element.setAttribute('translate', 'no');
};

// A text that is a name, or quotes one.
function names_one(text) {
  const trimmed = text.trim().replace(/^['"]|['".:,]+$/g, '');
  if (kept.names.has(trimmed)) return true;
  return [...text.matchAll(/'([^']+)'/g)].some(([, quoted]) => kept.names.has(quoted));
}

function mark() {
  kept.waiting = 0;
  for (const element of document.querySelectorAll(WHOLE)) keep(element);
  if (!kept.names.size) return;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (names_one(walker.currentNode.data)) keep(walker.currentNode.parentElement);
}

function soon() {
  if (!kept.waiting) kept.waiting = setTimeout(mark, 150);
}

export default function ({ data }) {
  kept.names = new Set(data.names);
  if (!kept.observer) {
    kept.observer = new MutationObserver(soon);
    kept.observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  }
  soon();
}
