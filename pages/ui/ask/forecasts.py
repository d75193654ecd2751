"""The expected errors of the answers, before anything is spent. PUBLIC."""

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.ui.ask import free, inquiring, words
from pages.ui.ask.budget import MEASURES
from pages.ui.shell import state
from pages.ui.shell.charts import badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.promise import public_lane
from synth.analysis import Offer, put_together
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.privacy import parse_rational, plain, spell
from synth.questions import EVENLY_SPREAD, Alternative, Answer, Inquiry, WayName
from synth.util import positive, write_number

AUTOMATIC = "Automatic: the best for each question"
# Most questions that the table of ways shows one by one.
FEW = 2


def forecasts(draft: Draft, asked: Inquiry | None, offers: Sequence[Offer] = ()) -> None:
    """``asked`` is None if a release answers all questions."""
    st.header("Expected errors")
    badge(public_lane(draft.domain))
    rows = draft.table_rows
    if not rows:
        st.info("Type the number of rows above to see the expected errors.")
        return
    paid = [] if asked is None else inquiring.forecast(asked, rows)
    st.dataframe(_table(paid, free.take_free(draft, offers), offers), hide_index=True)
    st.caption(f"For about {rows:,} rows, in groups of equal size.")
    if any(answer.question.kind.multiplies for answer in paid):
        st.caption(in_markdown(f"{EVENLY_SPREAD[:1].upper()}{EVENLY_SPREAD[1:]}."))
    free.choice(draft, offers)
    if asked is not None:
        found = inquiring.ways(asked, rows)
        st.markdown("**Ways to answer**")
        st.dataframe(pd.DataFrame([_way(one) for one in found]), hide_index=True)
        options = [AUTOMATIC, *(one.way for one in found if one.way is not None)]
        chosen = draft.asking.way or AUTOMATIC
        st.selectbox(
            "Way to answer",
            options if chosen in options else [*options, chosen],
            format_func=name_way,
            help="Synth takes the best one unless you choose another.",
            **state.tie("ask way", chosen, _choose),
        )
        _backwards(draft, asked, rows)


def _table(
    paid: list[Answer], taken: Sequence[Offer], offers: Sequence[Offer]
) -> pd.DataFrame:
    answers = put_together(offers, paid) if taken else paid
    free_ones = {id(one.free): one.asked for one in offers}
    asked = [free_ones.get(id(answer), answer) for answer in answers]
    found = pd.DataFrame(
        {
            "Question": [str(answer.question) for answer in answers],
            "Expected error": [answer.error_text for answer in asked],
            "How": [answer.way.words for answer in answers],
        }
    )
    if offers:
        found.insert(
            2, "Free from this release", [words.off_free(one.free) for one in offers]
        )
    return found


def _choose(way: str) -> None:
    state.choose(way=None if way == AUTOMATIC else WayName(way))


def name_way(way: str) -> str:
    said = WayName(way).words if way in tuple(WayName) else way
    return said[:1].upper() + said[1:]


def _way(one: Alternative) -> dict[str, str]:
    spent = one.inquiry.arrangement.spending
    name = "Each question its own" if one.way is None else name_way(one.way)
    row = {"Way": f"{name} (best)" if one.taken else name}
    row["Costs"] = spell(spent) if spent else "nothing"
    if len(one.answers) <= FEW:
        row |= {str(answer.question): answer.error_text for answer in one.answers}
    else:
        worst = {answer.error_unit: answer for answer in sorted(one.answers, key=_size)}
        for unit in units(one.answers):
            row[f"Worst: {unit.removeprefix('of ')}"] = worst[unit].error_text
    if one.largest is not None:
        row["Largest of all"] = f"± {write_number(one.largest)} rows"
    return row


def units(answers: list[Answer]) -> list[str]:
    return list(dict.fromkeys(answer.error_unit for answer in answers))


def _size(answer: Answer) -> float:
    return math.inf if math.isnan(answer.expected_error) else answer.expected_error


def _backwards(draft: Draft, asked: Inquiry, rows: int) -> None:
    unit = MEASURES[draft.asking.measure].partition(" ")[0].lower()
    box, said, button = st.columns([3, 5, 3], vertical_alignment="bottom")
    box.text_input(
        f"{unit.capitalize()} for an error of at most",
        placeholder="10",
        help="The largest error of any answer, in its own unit: rows, or the unit of a "
        "column. For a share, type a fraction such as 0.01.",
        **state.tie("ask wanted", draft.asking.wanted, lambda v: state.choose(wanted=v)),
    )
    if not draft.asking.wanted.strip():
        return
    try:
        error = parse_rational(draft.asking.wanted, name="How far an answer may be off")
        positive(**{"How far an answer may be off": error})
        found = inquiring.find_epsilon(asked, error, rows)
    except SynthError as wrong:
        said.error(in_markdown(str(wrong)), icon=":material/edit:")
        return
    if not found:
        said.markdown("Nothing has to be spent." if found == 0 else f"No {unit} is enough.")
        return
    said.markdown(f"With {unit} **{plain(found)}** no expected error is larger.")
    take = state.guard(lambda: state.choose(amount=plain(found)))
    button.button(f"Use {unit} {plain(found)}", on_click=take, width="stretch")
