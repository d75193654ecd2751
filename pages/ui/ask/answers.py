"""Paid answers, as a table and as pictures."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.ask import words
from pages.ui.shell.charts import Lane, badge, show
from pages.ui.shell.job import Answered
from synth.domain import Binned, Domain
from synth.foreign import in_markdown
from synth.privacy import spell
from synth.questions import Answer, Question, ShownNumbers
from synth.util import Floats, Picture, intervals

EACH = "Each 95 % interval contains the true value with at least 95 % probability."
FREE = (
    "Synth shows no count below 0 and no interval beyond possible values. The cells of a "
    "table add up to a public number of rows. This costs nothing."
)


def answers(answered: Answered) -> None:
    st.header("Answers")
    badge(Lane.DP)
    st.markdown(cost(answered))
    show_found(answered.asked.answers, answered.inquiry.domain, f"{EACH} {FREE}")


def show_found(
    found: list[Answer], domain: Domain, says: str, *, of: str = "answers"
) -> None:
    tables, drawn = _tables(found, domain), pictures(found, domain=domain)
    for name in dict.fromkeys([*list(tables)[: "" in tables], *drawn, *tables]):
        if name:
            st.markdown(f"**{in_markdown(name)}**")
        if name in tables:
            st.dataframe(tables[name], hide_index=tables[name].index.names == [None])
        if name in drawn:
            show(drawn[name], Lane.DP, f"{Lane.DP.value} {of} {name}")
    how = "; ".join(dict.fromkeys(answer.way.words for answer in found))
    st.caption(in_markdown(f"{says} How: {how}."))
    for remark in dict.fromkeys(remark for answer in found for remark in answer.remarks):
        st.caption(in_markdown(f"{remark[:1].upper()}{remark[1:]}."))


def _tables(found: list[Answer], domain: Domain) -> dict[str, pd.DataFrame]:
    single = [answer for answer in found if len(answer.texts) == 1]
    questions, texts = [str(one.question) for one in single], [one.text() for one in single]
    tables = {"": pd.DataFrame({"Question": questions, "Answer": texts})} if single else {}
    for answer in found:
        if answer not in single:
            tables[str(answer.question)] = words.as_table(answer.question, answer, domain)
    return tables


def show_all(drawn: dict[str, Picture], lane: Lane, of: str = "answers") -> None:
    for name, picture in drawn.items():
        st.markdown(f"**{in_markdown(name)}**")
        show(picture, lane, f"{lane.value} {of} {name}")


def cost(answered: Answered) -> str:
    asked = answered.asked
    if asked.entry is None:
        return "Public already: nothing was spent."
    paid = in_markdown(spell(asked.entry.guarantee))
    if asked.repeated:
        return f"Answered before, for **{paid}**; this time **nothing was spent**."
    kept = (
        f", entry {asked.entry.number} of the ledger" if not answered.source.simulated else ""
    )
    return f"This cost **{paid}**{kept}. Looking at it again spends nothing."


def pictures(
    found: list[Answer], real: list[Answer] | None = None, domain: Domain | None = None
) -> dict[str, Picture]:
    """Return one picture of all single numbers, and one per answer with several, by title.

    Without a domain, regressions have no picture. ``real`` holds the true answers: PRIVATE.
    """
    true = {id(answer): one.value for answer, one in zip(found, real or (), strict=False)}
    drawn = [answer for answer in found if not answer.chosen and _is_drawable(answer)]
    single = [answer for answer in drawn if len(answer.value) == 1]
    shown = {}
    for axis in dict.fromkeys(map(_axis, single)):
        alike = [answer for answer in single if _axis(answer) == axis]
        if len(alike) > 1:
            names = [str(answer.question) for answer in alike]
            shown[f"Single numbers: {axis}"] = _picture(names, alike, true)
    several = (answer for answer in drawn if len(answer.value) > 1)
    shown |= {str(one.question): _picture(one.labels, [one], true) for one in several}
    for answer in found:
        if domain is not None and answer.question.kind.regresses:
            shown[str(answer.question)] = effects(answer.question, answer, domain)
    return shown


def effects(question: Question, found: ShownNumbers, domain: Domain) -> Picture:
    labels, ranges = [], []
    for label in found.labels[1:]:  # the first is the intercept
        column = domain[label] if label in domain.names else None
        ends = (column.minimum, column.maximum) if isinstance(column, Binned) else None
        labels.append(f"{label}: {ends[0]} to {ends[1]}" if ends else label)
        ranges.append(float(ends[1]) - float(ends[0]) if ends else 1.0)
    scales = np.array(ranges)
    outcome = (
        f"odds (logarithm) of {question.outcome}" if question.outcome else question.columns[0]
    )
    return intervals(
        str(question),
        labels,
        found.middles[1:] * scales,
        low=found.low[1:] * scales,
        high=found.high[1:] * scales,
        unit=f"change of {outcome}",
        zero=True,
    )


def _picture(labels: Sequence[str], found: list[Answer], true: dict[int, Floats]) -> Picture:
    name = str(found[0].question) if len(found) == 1 else f"{len(found)} questions"
    ends = [[getattr(a, end) for a in found] for end in ("value", "low", "high")]
    value, low, high = map(np.concatenate, ends)
    exact = np.concatenate([true[id(a)] for a in found]) if true else None
    if exact is not None and len(exact) != len(value):
        exact = None  # other values than these are the most frequent
    return intervals(
        name,
        labels,
        value,
        low=low,
        high=high,
        unit=_axis(found[0]),
        is_share=found[0].is_share,
        real=exact,
    )


def _is_drawable(answer: Answer) -> bool:
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
