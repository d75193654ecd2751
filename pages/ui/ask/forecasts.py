"""The average errors of the answers, before anything is spent. PUBLIC."""

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
from synth.estimate import WayName
from synth.foreign import in_markdown
from synth.privacy import parse_rational, plain, scientific, spell
from synth.questions import EVENLY_SPREAD, Alternative, Answer, Inquiry
from synth.util import positive, write_number

AUTOMATIC = "Automatic: the best for each question"
# Most questions that the table of ways shows one by one.
MAX_SINGLE_QUESTIONS = 2


def forecasts(draft: Draft, inquiry: Inquiry | None, offers: Sequence[Offer] = ()) -> None:
    """Show the average errors of the questions.

    Nothing is shown until the number of rows is known.

    Args:
        draft: All choices of the session.
        inquiry: The questions to pay for; None if a release answers all questions.
        offers: Each question's answer from the current release, beside the forecast of asking
            it; empty if the release can answer none.
    """
    st.header("Average errors")
    badge(public_lane(draft.domain))
    rows = draft.table_rows
    if not rows:
        st.info("Type the number of rows below to see the average errors.")
        return
    paid = [] if inquiry is None else inquiring.forecast(inquiry, rows)
    st.dataframe(
        _table(paid, free.take_free(draft, offers), offers),
        hide_index=True,
        alt="The average error of each question.",
    )
    st.caption(f"For about {rows:,} rows, in groups of equal size.")
    if any(EVENLY_SPREAD in answer.remarks for answer in paid):
        # The remark says what the forecast assumes of columns. Here it becomes a sentence:
        # `capitalize` would also turn later capitals small.
        st.caption(in_markdown(f"{EVENLY_SPREAD[:1].upper()}{EVENLY_SPREAD[1:]}."))
    free.choice(draft, offers)


def ways(draft: Draft, inquiry: Inquiry) -> None:
    """Show all ways to answer, folded, with the choice of one and the epsilon for an error.

    Nothing is shown until the number of rows is known.

    Args:
        draft: All choices of the session.
        inquiry: The questions to pay for.
    """
    rows = draft.table_rows
    if not rows:
        return
    with st.expander("Ways to answer, and the cost of an error", icon=":material/alt_route:"):
        forecast_answers = inquiring.forecast(inquiry, rows)
        how_by_question = {
            "Question": [str(answer.question) for answer in forecast_answers],
            "How": [answer.way.words for answer in forecast_answers],
        }
        st.dataframe(
            pd.DataFrame(how_by_question),
            hide_index=True,
            alt="How each question is answered.",
        )
        alternatives = inquiring.ways(inquiry, rows)
        st.dataframe(
            pd.DataFrame([_way(alternative) for alternative in alternatives]),
            hide_index=True,
            alt="The error of each way to answer.",
        )
        options = [
            AUTOMATIC,
            *(alternative.way for alternative in alternatives if alternative.way is not None),
        ]
        chosen = draft.asking.way or AUTOMATIC
        # The chosen way may not be able to answer the present questions: it stays listed.
        st.selectbox(
            "Way to answer",
            options if chosen in options else [*options, chosen],
            format_func=name_way,
            help="Synth takes the best one unless you choose another.",
            **state.tie("ask way", chosen, _choose),
        )
        _backwards(draft, inquiry, rows)


def _table(
    paid: list[Answer], taken: Sequence[Offer], offers: Sequence[Offer]
) -> pd.DataFrame:
    """Return a table with one line per question: its average error, and how it is answered.

    Args:
        paid: Forecasts of the questions to pay for.
        taken: The free answers that are used instead of asking; empty for none.
        offers: For every question the free answer and the forecast of asking it. With any, a
            column has the error of the free answer, and another says which one is used.
    """
    answers = put_together(offers, paid) if taken else paid
    # "Average error" is always the error of asking; a free answer's has its own column.
    asked_by_free = {id(offer.free): offer.asked for offer in offers}
    asked_answers = [asked_by_free.get(id(answer), answer) for answer in answers]
    table = pd.DataFrame(
        {
            "Question": [str(answer.question) for answer in answers],
            "Average error": [answer.error_text for answer in asked_answers],
        }
    )
    if offers:
        table["Free from this release"] = [words.off_free(offer.free) for offer in offers]
        table["How"] = [answer.way.words for answer in answers]
    return table


def _choose(way: str) -> None:
    state.choose(way=None if way == AUTOMATIC else WayName(way))


def name_way(way: str) -> str:
    """Return a way to answer in words, with a capital."""
    words_of_way = WayName(way).words if way in tuple(WayName) else way
    return words_of_way[:1].upper() + words_of_way[1:]


def _way(alternative: Alternative) -> dict[str, str]:
    """Return a line of the table of ways to answer, from column title to text.

    A way is a mechanism that answers all questions. Up to ``MAX_SINGLE_QUESTIONS`` questions
    have a column each; more questions are summed up by the worst error in each unit.
    """
    spent = alternative.inquiry.arrangement.spending
    # Without one way for all, each part of the inquiry has the way that suits it. ``taken``
    # marks the way that the inquiry uses of itself.
    name = "Each question its own" if alternative.way is None else name_way(alternative.way)
    row = {"Way": f"{name} (best)" if alternative.taken else name}
    row["Costs"] = spell(spent) if spent else "nothing"
    if len(alternative.answers) <= MAX_SINGLE_QUESTIONS:
        row |= {str(answer.question): answer.error_text for answer in alternative.answers}
    else:
        # Sorted by error, so that the last answer of each unit, the worst, stays.
        worst = {
            answer.error_unit: answer for answer in sorted(alternative.answers, key=_size)
        }
        for unit in units(alternative.answers):
            row[f"Worst: {unit.removeprefix('of ')}"] = worst[unit].error_text
    if alternative.largest is not None:
        row["Largest of all"] = f"± {write_number(alternative.largest)} rows"
    return row


def units(answers: list[Answer]) -> list[str]:
    """Return the units of the answers' errors, without repetition."""
    return list(dict.fromkeys(answer.error_unit for answer in answers))


def _size(answer: Answer) -> float:
    return math.inf if math.isnan(answer.expected_error) else answer.expected_error


def _backwards(draft: Draft, inquiry: Inquiry, rows: int) -> None:
    """Ask for an allowed error, and offer the least epsilon or rho that reaches this error.

    Args:
        draft: All choices; ``draft.asking.wanted`` is the allowed error as typed.
        inquiry: The questions and how they are answered.
        rows: The number of rows for which errors are forecast.
    """
    unit = MEASURES[draft.asking.measure].partition(" ")[0].lower()  # "epsilon" or "rho"
    field_place, text_place, button_place = st.columns([3, 5, 3], vertical_alignment="bottom")
    field_place.text_input(
        f"{unit.capitalize()} for an error of at most",
        placeholder="10",
        help="The largest error of any answer, in its own unit: rows, or the unit of a "
        "column. For a share, type a fraction such as 0.01.",
        **state.tie(
            "ask wanted", draft.asking.wanted, lambda wanted: state.choose(wanted=wanted)
        ),
    )
    if not draft.asking.wanted.strip():
        return
    try:
        error = parse_rational(draft.asking.wanted, name="How far an answer may be off")
        # Its errors name the number by the keyword.
        positive(**{"How far an answer may be off": error})
        amount = inquiring.find_epsilon(inquiry, error, rows)
    except SynthError as wrong:
        text_place.error(in_markdown(str(wrong)), icon=":material/edit:")
        return
    if not amount:
        text_place.markdown(
            "Nothing has to be spent." if amount == 0 else f"No {unit} is enough."
        )
        return
    delta = inquiry.guarantee.delta
    delta_words = f" and delta **{in_markdown(scientific(delta))}**" if delta else ""
    text_place.markdown(
        f"With {unit} **{plain(amount)}**{delta_words} no average error is larger."
    )
    take = state.guard(lambda: state.choose(amount=plain(amount)))
    button_place.button(f"Use {unit} {plain(amount)}", on_click=take, width="stretch")
