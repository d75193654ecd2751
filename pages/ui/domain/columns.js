const HEADS = ['Use', 'Column', 'Rows', 'Description', 'Status'];

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// Names and values are data, not words: a browser that translates the page leaves them alone.
function keep(element) { element.translate = false; return element; }

function picture(bars) {
  const space = 'http://www.w3.org/2000/svg', most = Math.max(1, ...bars);
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', `0 0 ${6 * bars.length} 24`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'Rows from the first value to the last: ' + bars.join(', '));
  bars.forEach((rows, place) => {
    const height = rows ? Math.max(1, 24 * rows / most) : 0;
    const bar = document.createElementNS(space, 'rect');
    bar.setAttribute('x', 6 * place); bar.setAttribute('y', 24 - height);
    bar.setAttribute('width', 5); bar.setAttribute('height', height);
    svg.append(bar);
  });
  return svg;
}

function line(row, data, act) {
  const tr = make('tr', row.name === data.open ? 'c-open' : '');
  tr.dataset.status = row.status;
  const use = make('td', 'c-use'), box = make('input');
  box.type = 'checkbox'; box.checked = row.on; box.disabled = Boolean(row.lock);
  box.title = row.lock; box.setAttribute('aria-label', 'Use ' + row.name);
  box.onchange = () => act.tick({ name: row.name, on: box.checked });
  use.append(keep(box));
  const head = keep(make('th')), open = make('button', 'c-name', row.name);
  head.scope = 'row'; open.type = 'button';
  open.setAttribute('aria-current', String(row.name === data.open));
  open.onclick = () => act.open(row.name);
  head.append(open);
  if (row.example) head.append(make('span', 'c-example', row.example));
  const words = make('td', 'c-words');
  if (row.kind) words.append(make('span', 'c-kind', row.kind), ' ');
  words.append(keep(make('span', 'c-values', row.values)));
  if (row.lost.length) words.append(make('div', 'c-lost', row.lost.map(text => text.replace(/\.$/, '')).join('; ')));
  const cells = [use, head];
  if (data.looked) {
    const bars = make('td', 'c-bars');
    if (row.bars.length) bars.append(picture(row.bars));
    cells.push(bars);
  }
  const status = make('td', 'c-status');
  status.append(make('span', '', row.word));
  tr.append(...cells, words, status);
  tr.onclick = event => { if (!event.target.closest('input, button')) act.open(row.name); };
  return tr;
}

// One row at a time is on the way of the Tab key; arrows go to the others.
function rove(body, at, focus) {
  const rows = [...body.rows];
  rows.forEach((row, place) => row.querySelectorAll('input, button')
    .forEach(control => { control.tabIndex = place === at ? 0 : -1; }));
  if (focus) rows[at].querySelector(focus).focus();
}

function walk(body, event) {
  const row = event.target.closest('tr'), last = body.rows.length - 1;
  if (!row) return;
  const at = row.sectionRowIndex;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
  if (to === undefined || to < 0 || to > last) return;
  event.preventDefault();
  const wanted = event.target.matches('input') ? 'input:enabled' : 'button';
  rove(body, to, body.rows[to].querySelector(wanted) ? wanted : 'button');
}

// The heading of the card takes the focus once the server has drawn the card of a column.
function land(name, tries) {
  const heading = document.querySelector('.st-key-card h2');
  if (heading && heading.dataset.column === name) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: 'nearest' });
  } else if (tries) setTimeout(() => { mark(); land(name, tries - 1); }, 100);
}

function mark() {
  const card = document.querySelector('.st-key-card');
  const heading = card?.querySelector('h2');
  if (heading) { heading.translate = false; heading.dataset.column = heading.innerText.trim(); }
  for (const own of document.querySelectorAll('[class*="st-key-values_of"], [role=listbox]'))
    own.translate = false;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const find = name => parentElement.querySelector(name);
  const table = find('table'), body = find('tbody');
  find('caption').textContent = data.caption;
  const heads = HEADS.filter(head => data.looked || head !== 'Rows');
  find('thead tr').replaceChildren(...heads.map(head => {
    const th = make('th', '', head); th.scope = 'col'; return th;
  }));
  const act = {
    open: name => { table.dataset.opening = name; setTriggerValue('opened', name); },
    tick: part => setTriggerValue('ticked', part),
  };
  const focused = body.contains(document.activeElement) && {
    at: document.activeElement.closest('tr').querySelector('button').textContent,
    control: document.activeElement.matches('input') ? 'input' : 'button',
  };
  body.replaceChildren(...data.rows.map(row => line(row, data, act)));
  body.onkeydown = event => walk(body, event);
  body.onfocusin = event => {
    const row = event.target.closest('tr');
    if (row) rove(body, row.sectionRowIndex);
  };
  const names = data.rows.map(row => row.name);
  const before = focused ? names.indexOf(focused.at) : -1;
  rove(body, Math.max(0, before >= 0 ? before : names.indexOf(data.open)),
    before >= 0 && focused.control);
  mark();
  document.removeEventListener('click', window.synthMark, true);
  window.synthMark = () => setTimeout(mark, 200);
  document.addEventListener('click', window.synthMark, true);
  if (table.dataset.opening === data.open) {
    delete table.dataset.opening;
    land(data.open, 20);
  }
}
