"""Factors of sums of products: numbers of a column, or indicators of a value. PUBLIC.

A list has a factor for each value except the reference level, by default the first declared
value (treatment contrasts).

>>> from synth.domain import Categorical, Integer
>>> domain = Domain(
...     (
...         Integer(name="age", minimum=0, maximum=9),
...         Categorical(name="sex", categories=("F", "M", "X")),
...     )
... )
>>> [one.label for one in factors_of(("age", "sex"), (("sex", "M"),), domain)]
['age', 'sex = F (against M)', 'sex = X (against M)']
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synth.analysis.selection import Selected, ends_of
from synth.domain import Binned, Domain
from synth.errors import LimitError
from synth.questions import References, refuse_question
from synth.util import Floats, Mask

MOST_FACTORS = 60


@dataclass(frozen=True, kw_only=True)
class DesignFactor:
    """One number per row.

    Attributes:
        code: 1 for rows of this cell, 0 for others; None for the column's own number.
        level, reference: For a list, the value of that cell, and the reference level.
        words: Both as screens show them.
    """

    name: str
    code: int | None = None
    level: str = ""
    reference: str = ""
    words: str = ""

    @property
    def label(self) -> str:
        """Its name with its level, as an answer shows them."""
        return self.name + self.words


@dataclass(frozen=True, eq=False)
class CellNumbers:
    """The numbers of a column, by its cells.

    Attributes:
        low, high: The ends of each cell; 0 without a number.
        held: Whether a cell counts; missing and undeclared values do not.
    """

    low: Floats
    high: Floats
    held: Mask

    @property
    def is_wide(self) -> bool:
        """Whether a cell has more than one number."""
        return bool((self.high > self.low).any())

    @property
    def middles(self) -> Floats:
        """The middle of every cell."""
        return np.asarray((self.low + self.high) / 2)

    @property
    def half_widths(self) -> Floats:
        """Half the width of every cell; 0 for a single value."""
        return np.asarray((self.high - self.low) / 2)


def cell_numbers(domain: Domain, name: str) -> CellNumbers:
    """Return the least and the greatest number of each cell of a column.

    An ordered list has the positions of its values, from 0, as numbers; another list has 0.
    Missing and undeclared values have no number: the result's ``held`` is False there.
    """
    column = domain[name]
    if isinstance(column, Binned):
        return CellNumbers(*ends_of(domain, name))
    values = np.zeros(column.size)
    has_value = np.zeros(column.size, bool)
    has_value[: len(column.labels)] = True
    if column.extent is not None:  # the values of the list have an order
        values[has_value] = np.arange(len(column.labels))
    return CellNumbers(values, values, has_value)


def factors_of(
    names: Sequence[str],
    references: References,
    domain: Domain,
    *,
    where: Selected | None = None,
) -> list[DesignFactor]:
    """Return the factors of some regressors, in their order.

    A factor is one number per row. A number column has itself as its factor. A listed column
    has an indicator for each value but the reference (treatment contrasts).

    Args:
        names: The regressors.
        references: Pairs of a listed column and its reference value; by default the first
            value.
        domain: The declared columns.
        where: The selected cells; a value without selected rows has no factor. None for all.

    Raises:
        LimitError: There are too many.
        QuestionError: No selected row has a reference level, or all have the same value.
    """
    references_by_name = dict(references)
    factors = []
    for name in names:
        column = domain[name]
        if isinstance(column, Binned):
            factors.append(DesignFactor(name=name))
            continue
        levels = _levels(name, domain, where)
        reference = references_by_name.get(name, next(iter(levels)))
        # An indicator needs rows with the reference value and rows with another one.
        if reference not in levels or len(levels) < 2:
            refuse_question(
                f"'where' leaves no other rows than of {', '.join(map(repr, levels))} of "
                f"'{name}'"
            )
        titles = dict(zip(column.labels, column.titles, strict=False))
        factors += [
            DesignFactor(
                name=name,
                code=code,
                level=level,
                reference=reference,
                words=f" = {titles[level]} (against {titles[reference]})",
            )
            for level, code in levels.items()
            if level != reference
        ]
    if len(factors) > MOST_FACTORS:
        raise LimitError(
            f"its regressors make {len(factors):,} coefficients; the limit is {MOST_FACTORS}"
        )
    return factors


def _levels(name: str, domain: Domain, where: Selected | None) -> dict[str, int]:
    """Return the code of each value of a list that selected rows may have, by its label.

    Args:
        name: The listed column.
        domain: The declared columns.
        where: The selected cells; None for all.
    """
    levels = {level: code for code, level in enumerate(domain[name].labels)}
    if where is None or name not in where.names:
        return levels
    axis = where.names.index(name)
    other_axes = tuple(i for i in range(len(where.names)) if i != axis)
    # A value is above 0 here if the condition selects some cell with it.
    is_selected = where.perhaps.max(axis=other_axes)
    return {level: code for level, code in levels.items() if is_selected[code] > 0}
