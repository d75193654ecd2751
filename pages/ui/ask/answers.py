"""Paid answers, as a table and as pictures."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.ask import words
from pages.ui.shell.charts import Lane, badge, show
from pages.ui.shell.job import Answered
from synth.domain import Binned, Domain
from synth.foreign import in_code, in_markdown
from synth.privacy import spell
from synth.questions import Answer, Question, ShownNumbers
from synth.util import DrawnNumbers, Floats, NumberAxis, Picture, intervals

# The title of pictures of several questions; all other titles are questions.
SINGLE = "Single numbers"
EACH = "Each 95 % interval contains the true value with at least 95 % probability."
FREE = (
    "Synth shows no count below 0 and no interval beyond possible values. The cells of a "
    "table add up to a public number of rows. This costs nothing."
)


def answers(answered: Answered, *, of: str = "answers") -> None:
    """Show the paid answers to some questions, with what they cost.

    ``of`` is a word for them in the keys of widgets.
    """
    badge(Lane.DP)
    show_answers(answered.asked.answers, answered.inquiry.domain, f"{EACH} {FREE}", of=of)
    st.markdown(cost(answered))


def show_answers(
    answers: list[Answer], domain: Domain, note: str, *, of: str = "answers"
) -> None:
    """Show answers as tables, folded pictures, and a caption on how they were computed.

    Args:
        answers: Noisy answers, paid or from a release. They are public.
        domain: The columns that the questions may name.
        note: Sentences for the caption, before the methods.
        of: What the pictures show, for the keys of their widgets.
    """
    for name, table in _tables(answers, domain).items():
        if name:  # the table of single numbers has no title
            st.subheader(in_code(name))
        # Only a crossed table names its rows; the index of others just counts them.
        has_row_names = table.index.names != [None]
        st.dataframe(
            table, hide_index=not has_row_names, alt=f"Answers: {name or 'single numbers'}."
        )
    if titled_pictures := pictures(answers, domain=domain):
        with st.expander("Pictures of the answers", icon=":material/bar_chart:"):
            show_all(titled_pictures, Lane.DP, of)
    # ``way`` is how an answer was computed: by which mechanism, or from a release.
    how = "; ".join(dict.fromkeys(answer.way.words for answer in answers))
    st.caption(in_markdown(f"{note} How: {how}."))
    remarks: dict[str, None] = {}  # an ordered set: answers often share a remark
    for answer in answers:
        remarks |= dict.fromkeys(answer.remarks)
    for remark in remarks:
        st.caption(in_markdown(f"{remark[:1].upper()}{remark[1:]}."))


def _tables(answers: list[Answer], domain: Domain) -> dict[str, pd.DataFrame]:
    """Return the tables of answers by title.

    All questions whose answer is a single number share one table with an empty title. Every
    other question has a table of its own, titled by its text.
    """
    single = [answer for answer in answers if len(answer.texts) == 1]
    tables = {}
    if single:
        questions = [str(answer.question) for answer in single]
        texts = [answer.text() for answer in single]
        tables[""] = pd.DataFrame({"Question": questions, "Answer": texts})
    for answer in answers:
        if answer not in single:
            tables[str(answer.question)] = words.as_table(answer.question, answer, domain)
    return tables


def show_all(pictures: dict[str, Picture], lane: Lane, of: str = "answers") -> None:
    """Show pictures, each under its title.

    Args:
        pictures: The pictures by title.
        lane: Whether their numbers are public, paid for, or private.
        of: What the pictures show, for the keys of their widgets.
    """
    for name, picture in pictures.items():
        title = in_markdown(name) if name.startswith(SINGLE) else in_code(name)
        st.markdown(f"**{title}**")
        show(picture, lane, f"{lane.value} {of} {name}")


def cost(answered: Answered) -> str:
    """Return the sentence on the cost of answers, in Markdown.

    It differs for public numbers, for answers that were paid for before, and for new ones.
    """
    result = answered.asked
    if result.entry is None:  # no entry in the ledger, so nothing was spent
        return "Public already: nothing was spent."
    paid = in_markdown(spell(result.entry.guarantee))
    if result.repeated:
        return f"Answered before, for **{paid}**; this time **nothing was spent**."
    entry_note = ""
    if not answered.source.simulated:
        entry_note = f", entry {result.entry.number} of the ledger"
    return f"This cost **{paid}**{entry_note}. Looking at it again spends nothing."


def pictures(
    answers: list[Answer], real: list[Answer] | None = None, domain: Domain | None = None
) -> dict[str, Picture]:
    """Return pictures of answers, by title.

    All single numbers with the same axis share one picture. An answer with several numbers
    has a picture of its own, titled by its question.

    Args:
        answers: The noisy answers.
        real: The true answers in the same order, to draw next to them. PRIVATE.
        domain: The columns of the questions; without it, regressions have no picture.
    """
    # By identity of the noisy answer, as some answers are not drawn. Empty without ``real``.
    true = {
        id(answer): real_answer.value
        for answer, real_answer in zip(answers, real or (), strict=False)
    }
    # An answer with ``chosen`` values is a ranking, without numbers to draw.
    drawable = [answer for answer in answers if not answer.chosen and _is_drawable(answer)]
    single = [answer for answer in drawable if len(answer.value) == 1]
    titled_pictures = {}
    for axis in dict.fromkeys(map(_axis, single)):
        alike = [answer for answer in single if _axis(answer) == axis]
        if len(alike) > 1:
            names = [str(answer.question) for answer in alike]
            titled_pictures[f"{SINGLE}: {axis}"] = _picture(names, alike, true)
    for answer in drawable:
        if len(answer.value) > 1:
            titled_pictures[str(answer.question)] = _picture(answer.labels, [answer], true)
    for answer in answers:
        if domain is not None and answer.question.regressors:
            titled_pictures[str(answer.question)] = effects(answer.question, answer, domain)
    return titled_pictures


def effects(question: Question, coefficients: ShownNumbers, domain: Domain) -> Picture:
    """Return the picture of a regression's coefficients, without the intercept.

    The coefficient of a numeric column is multiplied by the width of the column's range. It
    is then the change from the lowest to the highest value, so that coefficients of different
    units can be compared.

    Args:
        question: The regression; ``outcome`` is its category if it is logistic.
        coefficients: The noisy coefficients with intervals, the intercept first.
        domain: The columns, for their ranges.
    """
    labels = []
    ranges = []
    for label in coefficients.labels[1:]:  # the first is the intercept
        column = domain[label] if label in domain.names else None
        if isinstance(column, Binned):
            labels.append(f"{label}: {column.minimum} to {column.maximum}")
            ranges.append(float(column.maximum) - float(column.minimum))
        else:
            labels.append(label)
            ranges.append(1.0)
    scale = np.array(ranges)
    outcome = (
        f"odds (logarithm) of {question.outcome}" if question.outcome else question.columns[0]
    )
    return intervals(
        str(question),
        labels,
        DrawnNumbers(
            value=coefficients.middles[1:] * scale,
            low=coefficients.low[1:] * scale,
            high=coefficients.high[1:] * scale,
        ),
        axis=NumberAxis(unit=f"change of {outcome}", zero=True),
    )


def _picture(
    labels: Sequence[str], answers: list[Answer], true: dict[int, Floats]
) -> Picture:
    """Draw the numbers of answers with their intervals, and perhaps the true values.

    Args:
        labels: One label per number, over all answers in order.
        answers: Noisy answers with the same axis.
        true: The true numbers of each answer by its ``id``; empty to draw none. PRIVATE.
    """
    name = str(answers[0].question) if len(answers) == 1 else f"{len(answers)} questions"
    value = np.concatenate([answer.value for answer in answers])
    low = np.concatenate([answer.low for answer in answers])
    high = np.concatenate([answer.high for answer in answers])
    exact = np.concatenate([true[id(answer)] for answer in answers]) if true else None
    if exact is not None and len(exact) != len(value):
        exact = None  # the true answer lists other values, so its numbers do not correspond
    return intervals(
        name,
        labels,
        DrawnNumbers(value=value, low=low, high=high, real=exact),
        axis=NumberAxis(unit=_axis(answers[0]), is_share=answers[0].is_share),
    )


def _is_drawable(answer: Answer) -> bool:
    """Return whether an answer's numbers and intervals can be drawn.

    They cannot if their kind has labels of its own and they are not values of one column, or
    if there is no interval. Nor can numbers that are shown as texts, such as dates: their
    column has a unit in words (``told_in``).
    """
    if answer.question.kind.labels is not None and answer.column is None:
        return False
    if np.isnan(answer.low).all():
        return False
    return answer.column is None or not answer.column.told_in


def _axis(answer: Answer) -> str:
    """Return the title of the axis of an answer's numbers."""
    column = None if answer.column is None else answer.column.name
    return answer.question.kind.axis_text(str(answer.question), column)
