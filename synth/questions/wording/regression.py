"""Outcome and regressors of a regression, with reference levels of lists. PUBLIC.

>>> told_regression(("hours", "sex"), ("sex",), None, references=(("sex", "F"),))
['hours on sex reference F']
"""

from collections.abc import Mapping, Sequence

from synth.domain import first_repeat
from synth.questions.wording.condition import Condition, columns_of
from synth.questions.wording.spelling import (
    check_value,
    name_text,
    refuse_question,
    shorten,
    value_text,
)
from synth.util import Json

EXAMPLE = "logistic smoker = yes on age, sex"


# Names of regressors that are lists, and the reference level of each.
References = tuple[tuple[str, str], ...]


def check_outcome(
    outcome: Condition | None, columns: Sequence[str], *, is_taken: bool
) -> None:
    """Refuse a missing outcome, or one for a kind that takes none.

    Args:
        outcome: The condition whose odds are explained; None if a column is the outcome.
        columns: The columns of the question.
        is_taken: Whether its kind takes such a condition.

    Raises:
        QuestionError: It does not match the columns.
    """
    if not is_taken:
        if outcome is not None:
            refuse_question(f"Only 'logistic' has an outcome that is a condition: {EXAMPLE}.")
        return
    if outcome is None and len(columns) < 2:
        refuse_question(
            f"'logistic' names an outcome, and a column that it is on: {EXAMPLE}."
        )
    twice = next((name for name in columns_of(outcome) if name in columns), None)
    if twice is not None:
        refuse_question(
            f"'logistic' has the column '{shorten(twice)}' in its outcome and in 'on'."
        )


def check_references(references: References, regressors: Sequence[str]) -> None:
    """Refuse reference levels of columns that are no regressors, or of one column twice.

    Args:
        references: Pairs of a column and the value with which its others are compared.
        regressors: The columns on which the regression depends.

    Raises:
        QuestionError: There are some.
        LimitError: A value is too long.
    """
    for name, value in references:
        check_value(name, value)
        if name not in regressors:
            refuse_question(
                f"'{shorten(name)}' has a reference level, but no regression is on it: "
                "regression hours on age, sex reference F."
            )
    twice = first_repeat(name for name, _ in references)
    if twice is not None:
        refuse_question(f"'{shorten(twice)}' has two reference levels.")


def read_references(content: Mapping[str, Json]) -> References:
    """Return the reference levels of a question in JSON, as pairs of a column and a value.

    Raises:
        QuestionError: They are anything else.
    """
    references = content.get("reference", {})
    if not isinstance(references, Mapping):
        refuse_question("'reference' of a question must be an object: a value by column.")
    for name, value in references.items():
        check_value(str(name), value)
    return tuple((str(name), str(value)) for name, value in references.items())


def told_regression(
    columns: Sequence[str],
    regressors: Sequence[str],
    outcome: Condition | None,
    *,
    references: References,
) -> list[str]:
    """Return the text after the kind, as a list of one text: outcome, "on", and the
    regressors.

    Args:
        columns: The columns of the question; the first is the outcome if no condition is.
        regressors: The columns on which the regression depends.
        outcome: The condition that is the outcome; None if a column is.
        references: Pairs of a column and the value with which its others are compared.
    """
    head = name_text(columns[0]) if outcome is None else f"({outcome})"
    levels = dict(references)
    names = []
    for name in regressors:
        level = f" reference {value_text(levels[name])}" if name in levels else ""
        names.append(name_text(name) + level)
    return [f"{head} on {', '.join(names)}"]
