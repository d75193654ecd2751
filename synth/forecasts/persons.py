"""What it costs to protect each person with several rows instead of each row. PUBLIC.

>>> from textwrap import fill
>>> print(fill(price_of_persons(10, epsilon=Fraction(1), rows=900), 70))
Noise is then 10 times as large, as with epsilon 0.1 instead of 1, or
90 rows instead of 900.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

from synth.privacy import plain
from synth.util import write_number

if TYPE_CHECKING:
    from synth.forecasts.interval import Range
    from synth.forecasts.methods import Outlook

# The most characters of an epsilon that is written exactly.
MAX_EPSILON_LENGTH = 5


def price_of_persons(max_rows: int, *, epsilon: Fraction | None = None, rows: int = 0) -> str:
    """Return the sentence on the noise that protects persons; empty if a row of each counts.

    One person changes the counts by up to ``max_rows`` times as much as one row does, so all
    noise grows by that factor. Beside the rows it is as large as in a release that protects
    each row with ``epsilon / max_rows``, or has ``rows / max_rows`` rows.

    Args:
        max_rows: The most rows of one person that count.
        epsilon: That of the release; None if it is not known yet.
        rows: The rough number of rows; 0 if it is not known.

    >>> price_of_persons(3)
    'Noise is then 3 times as large.'
    >>> price_of_persons(1, epsilon=Fraction(1), rows=900)
    ''
    """
    if max_rows == 1:
        return ""
    likenesses = []
    if epsilon is not None:
        likenesses.append(
            f"epsilon {_write_short(epsilon / max_rows)} instead of {plain(epsilon)}"
        )
    if rows:
        fewer_rows = max(1, round(rows / max_rows))
        likenesses.append(f"{fewer_rows:,} rows instead of {rows:,}")
    sentence = f"Noise is then {max_rows:,} times as large"
    if likenesses:
        sentence += f", as with {', or '.join(likenesses)}"
    return f"{sentence}."


def compare_units(persons: "Outlook", single_rows: "Outlook") -> str:
    """Return the sentence on the expected errors with persons protected, and with rows.

    Args:
        persons: The outlook of a plan that protects persons.
        single_rows: The outlook of the same plan that protects each row by itself.
    """
    return (
        f"Expected error with each person protected: columns {_span(persons.columns)}, pairs "
        f"{_span(persons.pairs)}; with each row protected: columns "
        f"{_span(single_rows.columns)}, pairs {_span(single_rows.pairs)}."
    )


def _write_short(epsilon: Fraction) -> str:
    """Return an epsilon exactly if it is short, else with two digits."""
    exact = plain(epsilon)
    return (
        exact if len(exact) <= MAX_EPSILON_LENGTH else f"about {write_number(float(epsilon))}"
    )


def _span(errors: "Range") -> str:
    """Return the interval of an expected error, such as "1.2 to 3.4 %"."""
    low = write_number(100 * errors.low)
    high = write_number(100 * errors.high)
    return f"{low} %" if low == high else f"{low} to {high} %"
