"""The epsilon slider. The meaning of each step is computed in advance, so it follows the thumb.

Streamlit's own slider asks the server at every move: a tenth of a second on an idle machine, most
of one on a busy one. Here the browser holds one row of public numbers for every step, and the
server draws the rest of the page.
"""

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from pages.ui.shell import state

KEY = "epsilon_slider"

# Round steps, about even on a log axis.
EPSILONS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20")


class Step(NamedTuple):
    numbers: tuple[tuple[str, str], ...]
    sentence: str


HTML = """
<label class="s-name" for="s-range"></label>
<div class="s-line">
  <input id="s-range" type="range" min="0" step="1" aria-describedby="s-ends">
  <output class="s-at" for="s-range"></output>
</div>
<div class="s-ends" id="s-ends">
  <span>← more protection, more noise</span><span>less noise, less protection →</span>
</div>
<div aria-live="polite"><dl class="s-cards"></dl><p class="s-says"></p></div>
"""

CSS = """
.s-name { font-size: .875rem; }
.s-line { display: flex; align-items: center; gap: .9rem; margin: .15rem 0 .1rem; }
.s-line input { flex: 1; height: 1.6rem; margin: 0; appearance: none; background: none;
  cursor: pointer; border-radius: .3rem; }
.s-line input:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 3px; }
.s-line input::-webkit-slider-runnable-track { height: .25rem; border-radius: .2rem;
  background: linear-gradient(to right, var(--st-primary-color) var(--s-at),
    var(--st-border-color) var(--s-at)); }
.s-line input::-moz-range-track { height: .25rem; border-radius: .2rem;
  background: var(--st-border-color); }
.s-line input::-moz-range-progress { height: .25rem; border-radius: .2rem;
  background: var(--st-primary-color); }
.s-line input::-webkit-slider-thumb { appearance: none; width: .95rem; height: .95rem;
  margin-top: -.35rem; border-radius: 50%; background: var(--st-primary-color); }
.s-line input::-moz-range-thumb { border: 0; width: .95rem; height: .95rem;
  border-radius: 50%; background: var(--st-primary-color); }
.s-at { min-width: 3.5rem; font-size: 1.35rem; font-weight: 600; text-align: right; }
.s-ends { display: flex; justify-content: space-between; font-size: .82rem; opacity: .75; }
.s-cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr));
  gap: .6rem; margin: .9rem 0 0; }
.s-cards div { border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
  padding: .55rem .75rem; }
.s-cards dt { font-size: .82rem; line-height: 1.25; opacity: .8; }
.s-says { margin: .8rem 0 0; }
.s-cards dd { margin: .2rem 0 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
"""

JS = """
export default function ({ data, parentElement, setStateValue }) {
  const find = name => parentElement.querySelector(name);
  const range = find('input'), cards = find('.s-cards');
  const show = () => {
    const at = Number(range.value), said = data.readouts[at];
    find('.s-at').textContent = data.steps[at];
    range.setAttribute('aria-valuetext', 'epsilon ' + data.steps[at]);
    range.style.setProperty('--s-at', (100 * at / range.max) + '%');
    find('.s-says').textContent = data.sentences[at];
    data.labels.forEach((label, i) => {
      cards.children[i].children[0].textContent = label;
      cards.children[i].children[1].textContent = said[i];
    });
  };
  find('.s-name').textContent = data.name;
  while (cards.children.length > data.labels.length) cards.lastChild.remove();
  while (cards.children.length < data.labels.length) {
    const card = document.createElement('div');
    card.append(document.createElement('dt'), document.createElement('dd'));
    cards.append(card);
  }
  const moved = range.dataset.moved;  // sent to the server, which has not answered yet
  if (moved === data.steps[data.at]) delete range.dataset.moved;
  const kept = data.steps.indexOf(range.dataset.moved);
  range.max = data.steps.length - 1;
  range.value = kept >= 0 ? kept : data.at;
  range.oninput = show;
  range.onchange = () => {
    range.dataset.moved = data.steps[range.value];
    setStateValue('epsilon', data.steps[range.value]);
  };
  show();
}
"""

_mount = st.components.v2.component(
    "epsilon_slider", html=HTML, css=CSS, js=JS, isolate_styles=False
)


def slider(name: str, at: str, readouts: Mapping[str, Step]) -> None:
    # The steps of ``readouts`` are ascending.
    steps = list(readouts)
    data = {
        "name": name,
        "steps": steps,
        "at": steps.index(at),
        "labels": [label for label, _ in readouts[at].numbers],
        "readouts": [[value for _, value in said.numbers] for said in readouts.values()],
        "sentences": [said.sentence for said in readouts.values()],
    }
    _mount(key=KEY, data=data, on_epsilon_change=state.guard(take_epsilon))


def take_epsilon() -> None:
    said = state.said(KEY)
    if said is not None and said.epsilon is not None:
        state.change(epsilon=str(said.epsilon))
