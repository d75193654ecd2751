// What a screen reader hears, where Streamlit names a part by what it is and not by what it says.
const SELECT = '[data-testid=stSelectbox], [data-testid=stMultiSelect]';
const DUMB = [
  // Pictures of letters beside words that say the same.
  ':is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer]) ' +
    '[role=img][aria-label$=" icon"]',
  // A chart is named by its description, and its numbers are in the table below it.
  '[data-testid=stPlotlyChart] svg.main-svg', '#js-plotly-tester',
].join(',');
// One observer for the page, also if this script is loaded once more.
const heard = (window.synthAloud ??= { waiting: 0, observer: null });

function name(element, label) {
  if (element && label && element.getAttribute('aria-label') !== label)
    element.setAttribute('aria-label', label);
}

const words = element => element?.textContent.replace(/\s+/g, ' ').trim();

function mend() {
  heard.waiting = 0;
  // A bar is named by the words above it.
  for (const bar of document.querySelectorAll('[data-testid=stProgress]'))
    name(bar.querySelector('[role=progressbar]'), words(bar));
  // The button of a list, by the list.
  for (const box of document.querySelectorAll(SELECT)) {
    const label = box.querySelector('[role=combobox]')?.getAttribute('aria-label');
    for (const button of box.querySelectorAll('button[aria-haspopup=listbox]'))
      name(button, label && `Open the list: ${label}`);
  }
  // A question mark behind a sentence, by the sentence.
  for (const button of document.querySelectorAll('[data-testid=stMarkdown] button[aria-label=Help]'))
    name(button, `Help for: ${words(button.closest('[data-testid=stMarkdown]')).slice(0, 40)}`);
  for (const element of document.querySelectorAll(DUMB))
    if (element.ariaHidden !== 'true') element.setAttribute('aria-hidden', 'true');
}

function soon() {
  if (!heard.waiting) heard.waiting = setTimeout(mend, 150);
}

export default function () {
  if (!heard.observer) {
    heard.observer = new MutationObserver(soon);
    heard.observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  }
  soon();
}
