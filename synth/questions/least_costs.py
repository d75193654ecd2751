"""The cost of an average error: a forecast in reverse. PUBLIC.

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

# Digits of the result.
SIGNIFICANT_DIGITS = 3

# The least number of three digits, and how many there are: from 100 to 999.
_FIRST_IN_DECADE = 100
_A_DECADE = 900


def least_epsilon(inquiry: Inquiry, error: Fraction | float, rows: int) -> Fraction | None:
    """Return the least epsilon at which no average error exceeds ``error``.

    It is rounded up to three significant digits. 0 if nothing has to be spent; None if no
    epsilon within the limits is enough.

    Args:
        inquiry: The questions. Of their guarantee only the delta counts.
        error: The largest allowed error, in the unit of the answers: rows, a share from 0 to
            1, or the unit of a column.
        rows: The approximate number of rows.

    Raises:
        QuestionError: The wanted way does not answer these questions.
    """
    at = partial(Guarantee.of, delta=inquiry.guarantee.delta)
    return _solve(
        inquiry, at, (error, rows), power=1, within=(limits.EPSILON_MIN, limits.EPSILON_MAX)
    )


def least_rho(inquiry: Inquiry, error: Fraction | float, rows: int) -> Fraction | None:
    """Return the least zCDP rho at which no average error exceeds ``error``.

    It is rounded up to three significant digits. 0 if nothing has to be spent; None if no rho
    within the limits is enough.

    Args:
        inquiry: The questions; their guarantee does not count.
        error: The largest allowed error, in the unit of the answers.
        rows: The approximate number of rows.

    Raises:
        QuestionError: The wanted way does not answer these questions.
    """
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
    """Return the least price (epsilon or rho) of three digits that keeps errors small enough.

    0 if nothing has to be spent; None if no price within the limits is enough.

    Args:
        inquiry: The questions.
        at: Returns the guarantee of a price.
        wanted: The largest allowed error, and the approximate number of rows.
        power: The error falls about as price ** (-1 / power), which gives a first guess.
        within: The least and the greatest allowed price.
    """
    error = float(wanted[0])
    rows = wanted[1]
    positive(error=error)
    check_whole(1, rows=rows)

    def error_at(price: Fraction) -> float:
        return furthest(inquiry.priced_at(at(price)).forecast(rows))

    def is_enough(place: int) -> bool:
        return error_at(number_at(place)) <= error

    # Prices of three digits are numbered in ascending order, and searched by these places.
    first = digits_place(within[0])
    last = digits_place(within[1])
    # Whether anything is paid at all does not depend on the price, so any price will do.
    if not inquiry.priced_at(at(Fraction(1))).arrangement.is_paid:
        return Fraction(0)
    if error_at(number_at(last)) > error:
        return None
    # From error_at(price) = error_at(1) * price ** (-1 / power), solved for the price.
    guess = (error_at(Fraction(1)) / error) ** power
    start = digits_place(Fraction(guess)) if 0 < guess < math.inf else last
    return number_at(least_place(is_enough, start, first, last=last))


def least_place(enough: Callable[[int], bool], guess: int, first: int, *, last: int) -> int:
    """Return the least whole number that is enough, by a search with growing strides.

    Args:
        enough: Returns whether a number is enough; so is then every greater one.
        guess: Where the search begins.
        first: The least number that is tried.
        last: The greatest one, which is known to be enough.
    """
    low = first - 1
    high = last
    probe = guess
    stride = 1
    # Not enough up to `low`, enough from `high` on; outside them it halves the interval.
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
    """Return the number of three significant digits at a place in ascending order.

    Place 0 is 1, place 1 is 1.01, and place 900 is 10; places below 0 are numbers below 1.
    """
    decade, digits = divmod(place, _A_DECADE)
    return _unit(decade) * (digits + _FIRST_IN_DECADE)


def digits_place(number: Fraction) -> int:
    """Return the place of the least number of three significant digits that is at least this
    one.

    Places are those of `number_at`.
    """
    # The power of ten of the leading digit, and how many units of the last digit fill the
    # number; the first number of a decade has 100 of them.
    decade = math.floor(math.log10(number))
    return decade * _A_DECADE + math.ceil(number / _unit(decade)) - _FIRST_IN_DECADE


def _unit(decade: int) -> Fraction:
    # The value of the last of three digits, for numbers from 10^decade up to ten times that.
    places = decade + 1 - SIGNIFICANT_DIGITS
    return Fraction(10**places) if places >= 0 else Fraction(1, 10**-places)
