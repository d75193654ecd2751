"""Values that mean a missing one to readers, kept out of the cells around them.

A code such as 98 for "refused" may lie within the bounds of its column. Rows with it count as
missing, so that no row of the cell "90 to 99" has it; a synthetic row of that cell with 98
would be read as missing. Such a value gives way to its nearest neighbour in the cell.

>>> import numpy as np
>>> from synth.domain import Integer
>>> domain = Domain((Integer(name="age", minimum=0, maximum=99, missing_values=("98",)),))
>>> list_marked_values(domain, domain["age"]).tolist()
[98]
>>> step_aside(np.array([97, 98]), np.array([98]), (np.array([90, 90]), np.array([99, 99])))
array([97, 97])
"""

import numpy as np

from synth.domain import Binned, Domain
from synth.rows.value_numbers import values_at_steps
from synth.util import Floats, Ints


def list_marked_values(domain: Domain, column: Binned) -> Ints:
    """Return the numbers of values that are spellings of a missing value, in order.

    Args:
        domain: The declared columns, whose spellings count in columns without their own.
        column: One of them.
    """
    steps: set[int] = set()
    for spelling in domain.spellings_of_missing(column):
        try:
            steps.add(column.reading.read(spelling))
        except ValueError:  # it is no value of the column
            continue
    numbers: Floats = values_at_steps(column, np.array(sorted(steps), dtype=np.float64))
    return np.unique(numbers[numbers == np.floor(numbers)].astype(np.int64))


def step_aside(values: Ints, marked_values: Ints, ends: tuple[Ints, Ints]) -> Ints:
    """Return values in which none is marked, if its cell has another one.

    Args:
        values: Numbers of values, shape (rows,).
        marked_values: Those that give way, in order.
        ends: The first and the last value of each row's cell, both of shape (rows,).
    """
    first, last = ends
    is_marked = np.isin(values, marked_values)
    below = values.copy()
    above = values.copy()
    for value in marked_values[::-1]:
        below[below == value] = value - 1
    for value in marked_values:
        above[above == value] = value + 1
    nearest = np.where(below >= first, below, np.where(above <= last, above, values))
    return np.where(is_marked, nearest, values)
