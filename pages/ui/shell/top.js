let seen, last, near, wanted = 0;

// Questions, names and values of columns are data, not words: a browser that translates the page
// leaves them alone. Widgets with names have a key that begins with "names".
const DATA = '[data-testid=stCode], [data-testid=stMarkdownContainer] code, ' +
  '[data-testid=stDataFrame], .js-plotly-plot :is(.xtick, .ytick), ' +
  '[class*="st-key-names"] :is(button, input, [data-tag]), ' +
  'body:has([class*="st-key-names"] :focus) [role=listbox]';

const main = () => document.querySelector('[data-testid=stMain]');
const lost = () => document.activeElement === document.body;
const busy = () => document.querySelector('[data-test-script-state=running]');

function focus(heading) {
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

// The heading above the focus; it takes the focus if the focused element goes away.
function above(element) {
  const headings = [...main().querySelectorAll('h1, h2, h3')];
  const before = h => h.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
  return headings.filter(before).at(-1);
}

// Once the script has ended: until then, the page may still be drawn anew.
function land() {
  if (wanted && lost() && !busy() && Date.now() > wanted) {
    focus(near?.isConnected && main().contains(near) ? near : main().querySelector('h1'));
    wanted = 0;
  }
}

function keepData() {
  for (const element of document.querySelectorAll(DATA)) {
    if (element.translate !== false) element.setAttribute('translate', 'no');
  }
}

function watch() {
  new MutationObserver(keepData).observe(document.body, { subtree: true, childList: true });
  keepData();
  document.addEventListener('focusin', ({ target }) => {
    if (!main()?.contains(target)) { last = near = undefined; return; }
    last = target; near = above(target);
  });
  for (const acted of ['pointerdown', 'keydown'])
    document.addEventListener(acted, () => { wanted = 0; }, true);
  document.addEventListener('click', closeSideBar);
  setInterval(() => {
    if (!wanted && last && !last.isConnected && lost()) {
      wanted = Date.now() + 200; last = undefined;
    }
    land();
  }, 100);
}

// On a narrow screen the side bar lies over the page: it closes once a page was chosen in it, by
// mouse or by Enter, also if that page is open already.
function closeSideBar(event) {
  const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;  // another tab or window
  if (isElsewhere || !event.target.closest?.('[data-testid=stSidebarNav] a')) return;
  const bar = document.getElementById('stSidebar');
  if (bar.getBoundingClientRect().right <= main().getBoundingClientRect().left + 1) return;
  setTimeout(() => document.querySelector('[aria-controls=stSidebar][aria-expanded=true]')?.click());
}

// The state of each step in words, as its icon shows it.
function explain(states) {
  for (const link of document.querySelectorAll('[data-testid=stSidebarNav] a')) {
    const state = states[new URL(link.href).pathname.split('/').at(-1) || 'data'];
    if (!state) continue;
    link.title = state;
    link.setAttribute('aria-description', state);
  }
}

export default function ({ data }) {
  if (!seen) watch();
  else if (data.page !== seen) {
    main().scrollTo(0, 0);
    last = near = undefined;
    document.activeElement.blur();
    wanted = Date.now() + 200;
  }
  seen = data.page;
  explain(data.states);
}
