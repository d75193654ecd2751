"""Answers that were paid for: as a table, as pictures."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.ask import words
from pages.ui.shell.answered import Answered
from pages.ui.shell.charts import Lane, badge, show
from synth.foreign import in_markdown
from synth.privacy import spell
from synth.questions import Answer
from synth.util import Floats, Picture, intervals

FREE = (
    "Free, as it sees noisy numbers only: counts below 0 are shown as 0, intervals are cut to what "
    "can be, and the cells of a table are made to agree with the number of rows where that is "
    "public."
)
EACH = "The interval of each number, for itself, holds the true one in at least 95 of 100 cases."


def answers(answered: Answered) -> None:
    """Everything that was answered, what it cost, and the files."""
    st.header("Answers")
    badge(Lane.DP)
    st.markdown(cost(answered))
    found = answered.asked.answers
    show_found(found, f"{EACH} {FREE}")


def show_found(found: list[Answer], says: str, of: str = "answers") -> None:
    """Answers as a table and as pictures, with what is to be said of them.

    Args:
        found: The answers.
        says: Of the intervals.
        of: What keys of the pictures begin with.
    """
    st.dataframe(table(found), hide_index=True)
    st.caption(in_markdown(says))
    for remark in dict.fromkeys(remark for answer in found for remark in answer.remarks):
        st.caption(in_markdown(f"{remark[:1].upper()}{remark[1:]}."))
    show_all(pictures(found), Lane.DP, of)


def show_all(drawn: dict[str, Picture], lane: Lane, of: str = "answers") -> None:
    """Pictures, each under what it answers."""
    for name, picture in drawn.items():
        st.markdown(f"**{in_markdown(name)}**")
        show(picture, lane, f"{lane.value} {of} {name}")


def cost(answered: Answered) -> str:
    """What was paid, and whether again."""
    asked = answered.asked
    if asked.entry is None:
        return "Public already: nothing was spent."
    paid = in_markdown(spell(asked.entry.guarantee))
    if asked.repeated:
        return f"Answered before, for **{paid}**; this time **nothing was spent**."
    kept = f", entry {asked.entry.number} of the ledger" if not answered.source.simulated else ""
    return f"This cost **{paid}**{kept}. Looking at it again spends nothing."


def table(found: list[Answer]) -> pd.DataFrame:
    """All numbers of all answers, with their intervals, as texts."""
    parts = []
    for answer in found:
        part = words.as_table(answer) if not answer.chosen else _chosen_table(answer)
        part.insert(0, "question", str(answer.question))
        parts.append(part.assign(how=answer.way.words))
    return pd.concat(parts, ignore_index=True)


def _chosen_table(answer: Answer) -> pd.DataFrame:
    ranks = [f"{place}." for place in range(1, len(answer.chosen) + 1)]
    blank = [""] * len(ranks)
    return pd.DataFrame({"what": ranks, "answer": answer.chosen, "from": blank, "to": blank})


def pictures(found: list[Answer], real: list[Answer] | None = None) -> dict[str, Picture]:
    """One of all single counts, and one of each answer of several numbers; by what they answer.

    Args:
        found: The answers.
        real: The true ones, in the same order, where they may be shown. PRIVATE.
    """
    true = {id(answer): one.value for answer, one in zip(found, real or (), strict=False)}
    drawn = [answer for answer in found if not answer.chosen and _is_drawable(answer)]
    single = [answer for answer in drawn if len(answer.value) == 1]
    shown = {}
    for axis in dict.fromkeys(map(_axis, single)):
        alike = [answer for answer in single if _axis(answer) == axis]
        names = [str(answer.question) for answer in alike]
        title = names[0] if len(names) == 1 else f"Single numbers: {axis}"
        shown[title] = _picture(names, alike, true)
    several = (answer for answer in drawn if len(answer.value) > 1)
    return shown | {str(one.question): _picture(one.labels, [one], true) for one in several}


def _picture(labels: Sequence[str], found: list[Answer], true: dict[int, Floats]) -> Picture:
    name = str(found[0].question) if len(found) == 1 else f"{len(found)} questions"
    ends = [[getattr(a, end) for a in found] for end in ("value", "low", "high")]
    value, low, high = map(np.concatenate, ends)
    exact = np.concatenate([true[id(a)] for a in found]) if true else None
    if exact is not None and len(exact) != len(value):
        exact = None  # other values than these are the most frequent
    return intervals(name, labels, value, low, high, unit=_axis(found[0]), real=exact)


def _is_drawable(answer: Answer) -> bool:
    """Whether its numbers can stand on one axis: dates and columns of several units cannot, nor can
    numbers without an interval."""
    if answer.question.kind.labels is not None and answer.column is None:
        return False
    if np.isnan(answer.low).all():
        return False
    return answer.column is None or not answer.column.told_in


def _axis(answer: Answer) -> str:
    kind = answer.question.kind
    if kind.is_part:
        return "share of rows"
    if kind.multiplies:
        return str(answer.question)
    if answer.column is None:
        return "rows"
    return f"{kind} of {answer.column.name}"
