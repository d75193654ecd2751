"""The epsilon slider. The meaning of each step is computed in advance, so it follows the
thumb.

Streamlit's own slider asks the server at every move: a tenth of a second on an idle machine,
most of one on a busy one. Here the browser holds one row of public numbers for every step,
and the server draws the rest of the page."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from pages.ui.shell import state

KEY = "epsilon_slider"

# Round steps, about even on a log axis.
EPSILONS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20")


class Step(NamedTuple):
    """The texts at one step of the slider.

    Attributes:
        numbers: Labels with their values.
        sentence: The meaning of this epsilon.
        left: What it leaves of the budget.
    """

    numbers: tuple[tuple[str, str], ...]
    sentence: str
    left: str = ""


_parts = {
    kind: Path(__file__).with_name(f"slider.{kind}").read_text(encoding="utf-8")
    for kind in ("html", "css", "js")
}
_mount = st.components.v2.component("epsilon_slider", **_parts, isolate_styles=False)


def slider(
    name: str,
    at: str,
    readouts: Mapping[str, Step],
    *,
    allowed: int,
    take: Callable[[str], None],
) -> None:
    """Show the slider; the browser shows the texts of each step without asking the server.

    Args:
        name: The label.
        at: The step at which it starts, a key of ``readouts``.
        readouts: The texts at each step, by its epsilon; epsilons ascend.
        allowed: How many steps the budget allows; the thumb does not pass them.
        take: It receives the epsilon to which somebody moves the thumb.
    """
    steps = list(readouts)
    data = {
        "name": name,
        "steps": steps,
        "at": steps.index(at),
        "last": allowed - 1,
        "left": [readout.left for readout in readouts.values()],
        "labels": [label for label, _ in readouts[at].numbers],
        "readouts": [
            [value for _, value in readout.numbers] for readout in readouts.values()
        ],
        "sentences": [readout.sentence for readout in readouts.values()],
    }

    def take_over() -> None:
        """Hand over the epsilon of the slider, once the browser has sent one."""
        value = state.read_value(KEY)
        if value is not None and value.epsilon is not None:
            take(str(value.epsilon))

    _mount(key=KEY, data=data, on_epsilon_change=state.guard(take_over))
