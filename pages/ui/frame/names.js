// What holds names and values only: cells, choices, chips, charts, code and typed text.
const WHOLE = [
  '[data-testid=stDataFrame]', '[data-testid=stTable] table', '[role=option]', '[role=listbox]',
  '[data-testid=stMultiSelect] [role=row]', '[data-testid=stMultiSelect] [role=gridcell]',
  '[data-baseweb=tag]', '.js-plotly-plot', 'code', 'input', 'textarea',
].join(',');
let names = new Set(), waiting = 0;

const keep = element => {
  if (element && element.getAttribute('translate') !== 'no') element.setAttribute('translate', 'no');
};

// A text that is a name, or quotes one.
function names_one(text) {
  const trimmed = text.trim().replace(/^['"]|['".:,]+$/g, '');
  if (names.has(trimmed)) return true;
  return [...text.matchAll(/'([^']+)'/g)].some(([, quoted]) => names.has(quoted));
}

function mark() {
  waiting = 0;
  for (const element of document.querySelectorAll(WHOLE)) keep(element);
  if (!names.size) return;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (names_one(walker.currentNode.data)) keep(walker.currentNode.parentElement);
}

function soon() {
  if (!waiting) waiting = setTimeout(mark, 150);
}

export default function ({ data }) {
  names = new Set(data.names);
  if (!window.synthNames) {
    window.synthNames = new MutationObserver(soon);
    window.synthNames.observe(document.body, { childList: true, characterData: true, subtree: true });
  }
  soon();
}
