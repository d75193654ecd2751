"""Where a condition is true, and whether it can be for any row that the declaration allows.
PUBLIC.

Exact for conditions on one column. For several columns joined in more than one way it may be
"yes" instead of "no", never the other way round.

>>> from synth.domain import Domain, Integer
>>> from synth.questions.wording.lexemes import lexemes
>>> from synth.questions.wording.condition_text import condition_of
>>> domain = Domain((Integer(name="age", minimum=17, maximum=90),))
>>> text = "age > 20 and age < 21"
>>> condition = condition_of(text, lexemes(text))
>>> can_hold(condition, cut_for(condition, domain))
False
"""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import NoReturn

import numpy as np

from synth.domain import Domain
from synth.questions.wording.condition import (
    And,
    Condition,
    Not,
    Or,
    Plain,
    columns_of,
    leaves,
)
from synth.questions.wording.spelling import refuse_question, shorten
from synth.questions.workloads.atoms import CutColumn, cut_column, cuts_of
from synth.util import Mask


def evaluate(condition: Condition, leaf: Callable[[Plain], Mask]) -> Mask:
    """Return where a condition is true, by joining the truth of its comparisons.

    Args:
        condition: Comparisons joined by and, or, not.
        leaf: Returns where one comparison is true; its arrays must broadcast to each other.
    """
    match condition:
        case And():
            return reduce(np.logical_and, (evaluate(part, leaf) for part in condition.parts))
        case Or():
            return reduce(np.logical_or, (evaluate(part, leaf) for part in condition.parts))
        case Not():
            return np.logical_not(evaluate(condition.part, leaf))
    return leaf(condition)


def cut_for(condition: Condition, domain: Domain) -> dict[str, CutColumn]:
    """Return the columns that a condition names, by name, cut into atoms where it cuts them.

    The condition must be checked: its values are spelled as the columns declare them. An atom
    is a piece of a column that the condition does not cut.
    """
    plains = tuple(leaves(condition))
    return {
        n: cut_column(domain[n], cuts_of(domain[n], plains)) for n in columns_of(condition)
    }


def can_hold(
    condition: Condition, columns: Mapping[str, CutColumn], *, true: bool = True
) -> bool:
    """Return whether a condition may be true for some row that the declaration allows.

    It may return True wrongly if columns are joined in more than one way; never False
    wrongly.

    Args:
        condition: A checked condition.
        columns: The columns by name, cut for the condition, or for one that contains it.
        true: False asks whether the condition may be false instead.
    """
    names = columns_of(condition)
    if len(names) == 1:
        return bool(_find_atoms(condition, columns[names[0]], true=true).any())
    if isinstance(condition, Not):
        return can_hold(condition.part, columns, true=not true)
    # By De Morgan, an "or" that is true, or an "and" that is false, needs only one part.
    if isinstance(condition, And) is not true:
        return any(can_hold(part, columns, true=true) for part in condition.parts)
    # All parts must hold at once: parts on the same single column in the same atom.
    met_by_column: dict[str, Mask] = {}
    for part in condition.parts:
        used = columns_of(part)
        if len(used) == 1:
            met = _find_atoms(part, columns[used[0]], true=true)
            met_by_column[used[0]] = met & met_by_column.get(used[0], True)
        elif not can_hold(part, columns, true=true):
            return False
    return all(met.any() for met in met_by_column.values())


def _find_atoms(condition: Condition, column: CutColumn, *, true: bool) -> Mask:
    # The atoms for whose counted rows a condition on this column is true (or false).
    met = evaluate(condition, column.meets)
    return np.asarray(column.are_counted & (met if true else ~met))


def refuse_empty(condition: Condition) -> NoReturn:
    """Refuse a condition that is false for every row that the declaration allows.

    Raises:
        QuestionError: Always.
    """
    refuse_question(
        f"'{shorten(str(condition))}' is a condition that no declared value can meet."
    )
