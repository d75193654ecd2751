"""The cost of an expected error: a forecast in reverse. PUBLIC.

>>> from synth.lessons.survey import survey_domain
>>> from synth.privacy.guarantee import Guarantee
>>> inquiry = Inquiry.read(["count where age >= 65"], survey_domain(), Guarantee.pure(1))
>>> least_epsilon(inquiry, 10, rows=20_000), least_rho(inquiry, 10, rows=20_000)
(Fraction(999, 10000), Fraction(159, 50000))
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from synth import limits
from synth.privacy import Guarantee
from synth.questions.answers.answer import furthest
from synth.questions.inquiry import Inquiry
from synth.util import check_whole, positive

# Digits of the result: from 100 to 999, 900 numbers in a decade.
SIGNIFICANT_DIGITS = 3


_FIRST_IN_DECADE = 100


_A_DECADE = 900


def least_epsilon(inquiry: Inquiry, error: Fraction | float, rows: int) -> Fraction | None:
    """Return the least epsilon of three digits at which no expected error exceeds this one.

    0 if nothing has to be spent, None if no epsilon within the limits is enough.

    Args:
        inquiry: Of its guarantee only the delta counts.
        error: In the unit of the answers: rows, a share from 0 to 1, the unit of a column.
        rows: Approximate number of rows.

    Raises:
        QuestionError: The wanted way does not answer these questions.
    """
    at = partial(Guarantee.of, delta=inquiry.guarantee.delta)
    return _solve(
        inquiry, at, (error, rows), power=1, within=(limits.EPSILON_MIN, limits.EPSILON_MAX)
    )


def least_rho(inquiry: Inquiry, error: Fraction | float, rows: int) -> Fraction | None:
    """Return the least rho of three digits; see `least_epsilon`."""
    return _solve(
        inquiry,
        Guarantee.zcdp,
        (error, rows),
        power=2,
        within=(limits.RHO_MIN, limits.RHO_MAX),
    )


def _solve(
    inquiry: Inquiry,
    at: Callable[[Fraction], Guarantee],
    wanted: tuple[Fraction | float, int],
    *,
    power: int,
    within: tuple[Fraction, Fraction],
) -> Fraction | None:
    """Return the least number whose cost keeps the error within the wanted one, or None.

    ``wanted`` is an error and a number of rows; ``at`` returns the cost for a number.

    If the error falls with the number's ``power``.
    """
    error = float(wanted[0])
    rows = wanted[1]
    positive(error=error)
    check_whole(1, rows=rows)

    def off(number: Fraction) -> float:
        return furthest(inquiry.priced_at(at(number)).forecast(rows))

    first = digits_place(within[0])
    last = digits_place(within[1])
    if not inquiry.priced_at(at(Fraction(1))).arrangement.is_paid:
        return Fraction(0)
    if off(number_at(last)) > error:
        return None
    guess = (off(Fraction(1)) / error) ** power
    start = digits_place(Fraction(guess)) if math.isfinite(guess) else last
    return number_at(
        least_place(lambda place: off(number_at(place)) <= error, start, first, last=last)
    )


def least_place(enough: Callable[[int], bool], guess: int, first: int, *, last: int) -> int:
    """Return the least whole number that is enough, given that the last is, by growing
    strides.
    """
    low = first - 1
    high = last
    probe = guess
    stride = 1
    while high - low > 1:
        probe = probe if low < probe < high else (low + high) // 2
        if enough(probe):
            high = probe
            probe = probe - stride
        else:
            low = probe
            probe = probe + stride
        stride *= 2
    return high


def number_at(place: int) -> Fraction:
    """Return numbers of three digits in order: 0 for 1, 1 for 1.01, 900 for 10."""
    decade, digits = divmod(place, _A_DECADE)
    return _unit(decade) * (digits + _FIRST_IN_DECADE)


def digits_place(number: Fraction) -> int:
    """Return the place of the least number of three digits that is not smaller."""
    decade = math.floor(math.log10(number))
    return decade * _A_DECADE + math.ceil(number / _unit(decade)) - _FIRST_IN_DECADE


def _unit(decade: int) -> Fraction:
    places = decade + 1 - SIGNIFICANT_DIGITS
    return Fraction(10**places) if places >= 0 else Fraction(1, 10**-places)
