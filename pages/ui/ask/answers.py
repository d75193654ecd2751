"""Answers that were paid for: as a table, as pictures, and as files."""

import io
import json

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc
import streamlit as st

from pages.ui.ask import words
from pages.ui.shell.answered import Answered
from pages.ui.shell.charts import Lane, badge, show
from synth.bundle.guard import guarded_table
from synth.foreign.text import in_markdown
from synth.plots import Picture, intervals
from synth.privacy.sharing import told
from synth.questions.answers import Answer
from synth.questions.inquiry import Inquiry
from synth.questions.question import Kind
from synth.questions.ways import WORDS
from synth.domain.dates import Date

FREE = (
    "Free, as it sees noisy numbers only: counts below 0 are shown as 0, intervals are cut to what "
    "can be, and the cells of a table are made to agree with the number of rows where that is "
    "public."
)
EACH = "The interval of each number, for itself, holds the true one in at least 95 of 100 cases."


def answers(answered: Answered) -> None:
    """Everything that was answered, what it cost, and the files."""
    st.subheader("Answers")
    badge(Lane.DP)
    st.markdown(cost(answered))
    found = answered.asked.answers
    st.dataframe(table(found), hide_index=True)
    st.caption(f"{EACH} {FREE}")
    for remark in dict.fromkeys(remark for answer in found for remark in answer.remarks):
        st.caption(in_markdown(f"{remark[:1].upper()}{remark[1:]}."))
    for number, picture in enumerate(pictures(found)):
        show(picture, Lane.DP, f"answers {number}")


def cost(answered: Answered) -> str:
    """What was paid, and whether again."""
    asked = answered.asked
    if asked.entry is None:
        return "Public already: nothing was spent."
    paid = in_markdown(told(asked.entry.guarantee))
    if asked.repeated:
        return f"Answered before, for **{paid}**; this time **nothing was spent**."
    kept = f", entry {asked.entry.number} of the ledger" if not answered.source.simulated else ""
    return f"This cost **{paid}**{kept}. Looking at it again spends nothing."


def table(found: list[Answer]) -> pd.DataFrame:
    """All numbers of all answers, with their intervals, as texts."""
    parts = []
    for answer in found:
        part = words.as_table(answer) if not answer.chosen else _chosen(answer)
        part.insert(0, "question", str(answer.question))
        parts.append(part.assign(how=WORDS[answer.way]))
    return pd.concat(parts, ignore_index=True)


def _chosen(answer: Answer) -> pd.DataFrame:
    ranks = [f"{place}." for place in range(1, len(answer.chosen) + 1)]
    blank = [""] * len(ranks)
    return pd.DataFrame({"what": ranks, "answer": answer.chosen, "from": blank, "to": blank})


def pictures(found: list[Answer]) -> list[Picture]:
    """One of all single counts, and one of each answer of several numbers."""
    several = [a for a in found if len(a.value) > 1 and not a.chosen and _drawn(a)]
    single = [a for a in found if len(a.value) == 1 and not a.chosen and _drawn(a)]
    drawn = []
    for unit in dict.fromkeys(map(_axis, single)):
        alike = [a for a in single if _axis(a) == unit]
        ends = [[float(getattr(a, end)[0]) for a in alike] for end in ("value", "low", "high")]
        drawn.append(intervals(unit, [str(a.question) for a in alike], *ends, unit=unit))
    for a in several:
        drawn.append(intervals(str(a.question), a.labels, a.value, a.low, a.high, unit=_axis(a)))
    return drawn


def _drawn(answer: Answer) -> bool:
    """Whether its numbers can stand on one axis: dates and columns of several units cannot."""
    if answer.question.kind is Kind.MEANS and answer.column is None:
        return False
    return not isinstance(answer.column, Date)


def _axis(answer: Answer) -> str:
    kind = answer.question.kind
    if kind is Kind.SHARE:
        return "share of rows"
    if not kind.sums or answer.column is None:
        return "rows"
    return f"{kind.value} of {answer.column.name}"


def csv_bytes(found: list[Answer]) -> bytes:
    """The table of answers as CSV that no spreadsheet runs."""
    content = pa.Table.from_pandas(_plain(found), preserve_index=False)
    sink = io.BytesIO()
    pc.write_csv(guarded_table(content), sink)
    return sink.getvalue()


def _plain(found: list[Answer]) -> pd.DataFrame:
    """As `table`, with numbers a program reads."""
    rows = []
    for answer in found:
        labels = answer.labels or ("",) * max(len(answer.value), len(answer.chosen))
        for place, label in enumerate(labels):
            said = answer.chosen[place] if answer.chosen else None
            ends = [_cell(answer, end, place) for end in ("value", "low", "high")]
            rows.append([str(answer.question), label, said or ends[0], *ends[1:], answer.way.value])
    names = ["question", "label", "answer", "low", "high", "way"]
    return pd.DataFrame(rows, columns=names)


def _cell(answer: Answer, end: str, place: int) -> str:
    value = answer.shown(float(getattr(answer, end)[place]), place)
    return "" if value is None else str(value)


def json_text(asked: Inquiry, found: list[Answer]) -> str:
    """Answers as the command line prints them."""
    terms = asked.to_json()["guarantee"]
    content = {"answers": [answer.to_json() for answer in found], "guarantee": terms}
    return json.dumps(content, indent=1, ensure_ascii=False)
