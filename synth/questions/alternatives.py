"""Costs and errors of every way to answer, next to the chosen one. PUBLIC.

>>> from synth.lessons.survey import survey_domain
>>> from synth.privacy.guarantee import Guarantee
>>> inquiry = Inquiry.read(["table sex"], survey_domain(), Guarantee.pure(1))
>>> [(str(one.way), one.taken) for one in list_alternatives(inquiry, 20_000)][:2]
[('l-infinity', True), ('laplace', False)]

The cost of an expected error: a forecast in reverse.

>>> from synth.lessons.survey import survey_domain
>>> from synth.privacy.guarantee import Guarantee
>>> inquiry = Inquiry.read(["count where age >= 65"], survey_domain(), Guarantee.pure(1))
>>> least_epsilon(inquiry, 10, rows=20_000), least_rho(inquiry, 10, rows=20_000)
(Fraction(999, 10000), Fraction(159, 50000))
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

from synth import limits
from synth.errors import QuestionError
from synth.privacy import Guarantee
from synth.questions.answers.answers import Answer
from synth.questions.inquiry import Inquiry
from synth.questions.way_names import ASKED, WayName
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


def furthest(answers: list[Answer]) -> float:
    """Return the largest expected error; infinite if there would be no answer."""
    errors = [answer.expected_error for answer in answers]
    return math.inf if any(map(math.isnan, errors)) else max(errors)


def _solve(
    inquiry: Inquiry,
    at: Callable[[Fraction], Guarantee],
    wanted: tuple[Fraction | float, int],
    *,
    power: int,
    within: tuple[Fraction, Fraction],
) -> Fraction | None:
    # If the error falls with the number's ``power``.
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


@dataclass(frozen=True, eq=False)
class Alternative:
    """An inquiry answered one way, which may be the chosen one (``taken``)."""

    inquiry: Inquiry
    rows: int
    taken: bool = False

    @property
    def way(self) -> WayName | None:
        """The way; None if each part has its own."""
        return self.inquiry.way

    @cached_property
    def answers(self) -> list[Answer]:
        """The forecast of its answers."""
        return self.inquiry.forecast(self.rows)

    @property
    def largest(self) -> float | None:
        """Expected largest error of all counts at once, in rows; None with sums."""
        return self.inquiry.arrangement.largest


def list_alternatives(inquiry: Inquiry, rows: int) -> list[Alternative]:
    """Return the ways that answer all questions, the best first; the chosen one is marked."""
    alternatives = sorted(_by_way(inquiry, rows), key=_badness)
    paid = (
        alternative.way
        for alternative in inquiry.arrangement.portions
        if alternative.way.cost is not None
    )
    chosen_names = {way.name for way in paid}
    same = [alternative for alternative in alternatives if {alternative.way} == chosen_names]
    if not same:
        return [Alternative(inquiry, rows, taken=True), *alternatives]
    return [
        replace(alternative, taken=alternative is same[0]) for alternative in alternatives
    ]


def _by_way(inquiry: Inquiry, rows: int) -> Iterator[Alternative]:
    for name in ASKED:
        answered = inquiry.answered_by(name)
        try:
            assert answered.arrangement
        except QuestionError:
            continue
        yield Alternative(answered, rows)


def _badness(alternative: Alternative) -> float:
    return (
        furthest(alternative.answers) if alternative.largest is None else alternative.largest
    )
