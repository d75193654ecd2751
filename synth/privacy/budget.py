"""Budgets: the most that may ever be spent on a dataset, in exact rationals.

>>> budget = parse_budget("1", Neighbors.REPLACE_ONE)
>>> spends = [Guarantee.pure(Fraction(1, 3))] * 3
>>> (
...     budget.remaining_after(spends),
...     budget.admits([*spends, Guarantee.pure(Fraction(1, 10**30))]),
... )
(Fraction(0, 1), False)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from synth import limits
from synth.errors import ArgumentError, LedgerError
from synth.privacy.guarantee import Guarantee, Neighbors, parse_rational
from synth.util import positive

DEFAULT_BUDGET = "epsilon=3,delta=1e-6"
"""The budget of a dataset at its first spend, if you name none."""


@dataclass(frozen=True)
class Budget:
    """The most that may be spent: an epsilon (with or without a delta), or a rho.

    Attributes:
        guarantee: The limit for the sum of all spends.
        neighbors: The relation of all spends; those of different relations can't be added.
        delta: The fixed delta at which a rho budget is stated; it is not spent.
    """

    guarantee: Guarantee
    neighbors: Neighbors
    delta: Fraction | None = None

    def __str__(self) -> str:
        delta = self.delta or self.guarantee.delta
        stated = f" with delta = {plain(delta)}" if delta else ""
        return f"{self.unit} = {plain(self.amount)}{stated}, {self.neighbors.value}"

    @property
    def unit(self) -> str:
        """The unit that is counted: epsilon or rho."""
        return "epsilon" if self.guarantee.rho is None else "rho"

    @property
    def amount(self) -> Fraction:
        """The limit, in the budget's unit."""
        return _count_in_unit(self.guarantee, self.unit)

    def sum_spends(self, spends: Iterable[Guarantee]) -> Fraction:
        """Return the sum of the spends, in the budget's unit, epsilon or rho.

        Epsilons add up by basic composition, rhos by zCDP composition; a pure epsilon counts
        epsilon^2/2 of rho (Bun, Steinke 2016, Lemma 1.7 and Proposition 1.4).
        """
        return sum((_count_in_unit(spend, self.unit) for spend in spends), Fraction(0))

    def remaining_after(self, spends: Iterable[Guarantee]) -> Fraction:
        """Return the rest after the spends, in the budget's unit."""
        return self.amount - self.sum_spends(spends)

    def delta_left(self, spends: Iterable[Guarantee]) -> Fraction:
        """Return the rest of delta after the spends, if delta is spent."""
        return self.guarantee.delta - sum((spend.delta for spend in spends), Fraction(0))

    def admits(self, spends: Iterable[Guarantee]) -> bool:
        """Return whether all spends together are within the budget, delta included."""
        spends = list(spends)
        return self.sum_spends(spends) <= self.amount and self.delta_left(spends) >= 0

    def charge(self, claim: Guarantee, *, gaussian: bool = False) -> Guarantee:
        """Return what this budget is charged for a claim that holds by zCDP or Gaussian DP.

        If the budget counts rho, an (epsilon, delta) is charged as the rho that implies it.
        Other claims are charged as they are. ``gaussian`` says whether it holds by Gaussian
        DP, and so may be charged as mu^2 / 2.

        >>> budget = parse_budget("rho=1/2,delta=1e-9", Neighbors.ADD_REMOVE)
        >>> claim = Guarantee.approximate(1, Fraction(1, 10**9))
        >>> [round(float(budget.charge(claim, gaussian=way).rho), 6) for way in (False, True)]
        [0.014973, 0.016556]
        """
        if self.unit == "epsilon" or claim.epsilon is None or not claim.delta:
            return claim
        if gaussian:
            from synth.privacy.gaussian_dp import to_rho

            return to_rho(claim)
        from synth.privacy.accounting import zcdp_rho

        return Guarantee.zcdp(zcdp_rho(claim.epsilon, claim.delta))

    def check(self, guarantee: Guarantee, neighbors: Neighbors) -> None:
        """Refuse a spend that can't be counted against this budget, whatever is left of it.

        ``guarantee`` is what the spend costs, ``neighbors`` which tables count as neighbours.

        Raises:
            LedgerError: The spend has another relation or another unit.
        """
        if neighbors is not self.neighbors:
            raise LedgerError(
                f"The budget counts {self.neighbors.value} neighbours, but this release is "
                f"about {neighbors.value} ones; they cannot be added up."
            )
        if self.unit == "epsilon" and guarantee.rho is not None:
            raise LedgerError(
                "The budget is an epsilon, but this release costs a rho; give a rho budget."
            )
        if guarantee.delta and not self.guarantee.delta:
            raise LedgerError(
                f"The budget ({self}) allows no delta, but this release costs {guarantee}. "
                f"To add one, set the budget to epsilon={plain(self.amount)},delta=1e-6."
            )


def parse_budget(text: str, neighbors: Neighbors) -> Budget:
    """Read a budget: ``3`` (epsilon), ``epsilon=3,delta=1e-9`` or ``rho=1/2,delta=1e-9``.

    The delta of a rho is the one at which it is stated as an epsilon; it is not spent.
    ``neighbors`` says which tables count as neighbours for all spends.

    Raises:
        ArgumentError: The text has none of these forms, or a number is not above 0.

    >>> str(parse_budget("rho=1/2,delta=1e-9", Neighbors.ADD_REMOVE))
    'rho = 0.5 with delta = 0.000000001, add-remove'
    """
    parts = _read_parts(str(text))
    delta = parts.get("delta")
    if delta is not None and delta >= 1:
        raise ArgumentError(f"delta must be below 1, such as 1e-9, but it is {delta}.")
    if "rho" in parts:
        return Budget(Guarantee.zcdp(parts["rho"]), neighbors, delta)
    return Budget(Guarantee.of(parts["epsilon"], delta or Fraction(0)), neighbors)


def smallest_budget(budgets: Iterable[Budget]) -> Budget | None:
    """Return the largest budget that exceeds none of the given ones.

    None if there are no budgets, or if they cannot be compared, because they count other
    units or neighbours or state a rho at another delta.

    >>> some = [
    ...     parse_budget(text, Neighbors.ADD_REMOVE) for text in ("3", "epsilon=5,delta=1e-9")
    ... ]
    >>> str(smallest_budget(some)), smallest_budget([])
    ('epsilon = 3, add-remove', None)
    """
    budgets = list(budgets)
    kinds = {(budget.unit, budget.neighbors, budget.delta) for budget in budgets}
    if len(kinds) != 1:
        return None
    ((unit, neighbors, stated),) = kinds
    amount = min(budget.amount for budget in budgets)
    if unit == "rho":
        return Budget(Guarantee.zcdp(amount), neighbors, stated)
    delta = min(budget.guarantee.delta for budget in budgets)
    return Budget(Guarantee(epsilon=amount, delta=delta), neighbors)


def plain(number: Fraction) -> str:
    """Write an exact number as a decimal of at most 12 places if it is one, else a fraction.

    >>> plain(Fraction(1, 8)), plain(Fraction(3)), plain(Fraction(1, 3))
    ('0.125', '3', '1/3')
    """
    places = next((n for n in range(13) if 10**n % number.denominator == 0), None)
    if places is None:
        return str(number)
    # Zeros in front, so that there is a digit before the point.
    digits = f"{abs(number * 10**places).numerator:0{places + 1}d}"
    sign = "-" if number < 0 else ""
    if not places:
        return f"{sign}{digits}"
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def brief(
    number: Fraction, *, up: bool = True, most: int = limits.NUMBER_TEXT, digits: int = 6
) -> str:
    """Write a number for people: exact if short, otherwise marked as rounded, to the safe
    side.

    Args:
        number: The exact number.
        up: True if more is the safe side (a spend), False if less is (a rest).
        most: Most characters of a number that is written exactly.
        digits: Significant digits of a rounded one.

    >>> brief(Fraction("1.00000000001")), brief(Fraction(1, 7), most=2)
    ('1.00000000001', 'about 0.142858 (rounded up)')
    >>> brief(Fraction(2, 3), up=False, most=2), brief(Fraction(2, 3 * 10**9), most=9)
    ('about 0.666666 (rounded down)', 'about 6.66667e-10 (rounded up)')
    """
    exact = plain(number)
    if len(exact) <= most:
        return exact
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    rounded = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    if 1e-4 <= abs(rounded) < 10**15:
        text = f"{rounded:f}"
    else:
        text = f"{rounded.normalize(context):e}"
    return f"about {text} (rounded {'up' if up else 'down'})"


def name_cost(guarantee: Guarantee, *, most: int = limits.NUMBER_TEXT) -> str:
    """Write a cost inside a sentence, never an epsilon without its delta.

    Args:
        guarantee: The cost.
        most: Most characters of an exact number; a longer one is rounded up.

    >>> name_cost(Guarantee.pure(1)), name_cost(Guarantee.zcdp(Fraction(1, 2)))
    ('epsilon 1', 'rho 0.5')
    >>> name_cost(Guarantee.approximate(1, Fraction(1, 10**9)))
    'epsilon 1 and delta 1e-09'
    """
    if guarantee.rho is not None:
        if guarantee.is_gaussian:
            return f"mu² {brief(2 * guarantee.rho, most=most)}"
        return f"rho {brief(guarantee.rho, most=most)}"
    assert guarantee.epsilon is not None
    delta = f" and delta {scientific(guarantee.delta)}" if guarantee.delta else ""
    return f"epsilon {brief(guarantee.epsilon, most=most)}{delta}"


def scientific(number: Fraction) -> str:
    """Write a small number exactly: in the form 1e-09 if it is a decimal, else a fraction.

    >>> scientific(Fraction(1, 10**9)), scientific(Fraction("1.0000001e-9"))
    ('1e-09', '1.0000001e-9')
    >>> scientific(Fraction(1, 3))
    '1/3'
    """
    text = f"{float(number):g}"
    if Fraction(text) == number:  # six digits suffice
        return text
    places = next(
        (n for n in range(limits.NUMBER_TEXT) if 10**n % number.denominator == 0), None
    )
    if places is None:
        return str(number)
    digits = (number * 10**places).numerator
    return f"{Decimal((number < 0, tuple(map(int, str(abs(digits)))), -places)):e}"


def terms(guarantee: Guarantee) -> dict[str, str]:
    """Return a guarantee as JSON, each number exact: ``{"epsilon": "1/3"}``.

    The names are "epsilon", "delta" (if above 0), "rho" of zCDP and "mu_squared" of Gaussian
    DP.

    >>> terms(Guarantee.zcdp(2)), terms(Guarantee.gaussian(2))
    ({'rho': '2'}, {'mu_squared': '4'})
    """
    if guarantee.is_gaussian and guarantee.rho is not None:
        return {"mu_squared": str(2 * guarantee.rho)}
    numbers = {"epsilon": guarantee.epsilon, "delta": guarantee.delta, "rho": guarantee.rho}
    return {name: str(number) for name, number in numbers.items() if number}


def from_terms(content: dict[str, str]) -> Guarantee:
    """Read a guarantee that `terms` wrote.

    Raises:
        TypeError: A name is not one of its numbers.
        ValueError: A text is no number.
    """
    if content.keys() == {"mu_squared"}:  # mu-Gaussian DP has a rho of mu^2 / 2
        return Guarantee.gaussian(Fraction(content["mu_squared"]) / 2)
    numbers = {name: Fraction(content[name]) for name in content}
    epsilon = numbers.pop("epsilon", None)
    delta = numbers.pop("delta", None)
    rho = numbers.pop("rho", None)
    if numbers:
        raise TypeError(*numbers)
    return Guarantee(epsilon=epsilon, delta=delta or Fraction(0), rho=rho)


_FORMS = ({"epsilon"}, {"epsilon", "delta"}, {"rho", "delta"})


def _read_parts(text: str) -> dict[str, Fraction]:
    """Return the numbers in the text of a budget by their names: epsilon, delta, rho.

    A number alone is an epsilon. Texts such as 1,5 are refused, as they may be one number or
    two.

    Raises:
        ArgumentError: The text has none of the forms of a budget.
    """
    terms = text.split(",")
    if len(terms) == 1 and "=" not in text:
        terms = [f"epsilon={text}"]
    names = [term.partition("=")[0].strip() for term in terms]
    # `_FORMS` are the sets of names that a budget may have. Each term has one equals sign.
    if (
        set(names) not in _FORMS
        or len(set(names)) < len(names)
        or not all(map(_has_one_equals_sign, terms))
    ):
        raise ArgumentError(
            "A budget is one number such as 3 or 1.5 (epsilon), epsilon=3,delta=1e-9 or "
            "rho=1/2,delta=1e-9, each part once; it cannot be "
            f"'{text}'."
        )
    return {name: _read_amount(name, term) for name, term in zip(names, terms, strict=True)}


def _has_one_equals_sign(term: str) -> bool:
    """Return whether a term has the form of a name and a number."""
    return term.count("=") == 1


def _read_amount(name: str, term: str) -> Fraction:
    """Read the number of a term such as "delta=1e-9"; ArgumentError unless it is above 0."""
    subject = "delta" if name == "delta" else "The budget"  # how errors begin
    amount = parse_rational(term.partition("=")[2], name=subject)
    # The keyword is the number's name in the error.
    positive(**{"delta" if name == "delta" else "budget": amount})
    return amount


def _count_in_unit(guarantee: Guarantee, unit: str) -> Fraction:
    """Return a guarantee as an amount of ``unit``, which is "epsilon" or "rho".

    A pure epsilon counts epsilon^2 / 2 of rho. A rho has no amount of epsilon, and a delta is
    left out.
    """
    if unit == "epsilon":
        assert guarantee.epsilon is not None
        return guarantee.epsilon
    if guarantee.rho is not None:
        return guarantee.rho
    assert guarantee.epsilon is not None
    return guarantee.epsilon**2 / 2
