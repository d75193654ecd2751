"""The guarantee of a release, in words. PUBLIC."""

import math
from fractions import Fraction

from synth.bundle.certificate_parts import Claim
from synth.privacy import (
    ROW,
    Guarantee,
    Neighbors,
    brief,
    plain,
    scientific,
)

GUARANTEE = (
    "Epsilon limits what anyone can learn about one {unit}. Because of one {unit}, the "
    "released files change the odds of any fact about it by a factor of at most {factor}. At "
    "epsilon {epsilon}, a fact that someone thought 10 % likely becomes at most {tenth} "
    "likely. This holds forever, no matter what else they know and how much they compute."
)
"""The guarantee, the same in README, site, statement, certificate and pages."""
CONDITIONS = (
    "The certificate names the unit: one row, or all rows of one person. If people have "
    "several rows, only the second protects a person.",
    "Under add-remove, the factor is e^(2 epsilon): two values of a unit differ by two "
    "steps.",
    "With a delta above 0, the guarantee fails with a probability of at most delta.",
    "Releases about the same people add up.",
    "It takes the possible values of the columns as public. Values that were taken from the "
    "rows without budget are not covered, and the certificate says so.",
    "It covers the released files only: not other publications, and not the fact that a "
    "release was refused or stopped.",
    "It does not hide facts about people in general, and is no statement about any law.",
    "The person who runs Synth must run it honestly, and once: no file proves that.",
)
"""Its conditions, likewise."""

NEIGHBORS_IN_WORDS = {
    Neighbors.REPLACE_ONE: "tables that differ in one replaced row; the "
    "number of rows is public",
    Neighbors.ADD_REMOVE: "tables that differ by one row more; the number of rows is private",
}

# Above about 709, e to this power is too large for a float.
_LARGEST_EXPONENT = 700


def claim_of(
    epsilon: Fraction,
    neighbors: Neighbors,
    delta: Fraction = Fraction(0),
    *,
    unit: str = str(ROW),
    beyond: str = "",
) -> Claim:
    """Return the claim of a certificate, in numbers and in words.

    Args:
        epsilon: The epsilon of the guarantee.
        neighbors: Which tables the guarantee compares.
        delta: The delta of the guarantee; 0 for pure differential privacy.
        unit: Whose data is protected, in words.
        beyond: The statement's last sentences, about the declaration; empty for none
            (`synth.bundle.declaration`).
    """
    claim = f"({plain(epsilon)}, {scientific(delta)})" if delta else plain(epsilon)
    is_row = unit == str(ROW)
    statement = (
        f"{in_words(epsilon, neighbors, 'row' if is_row else 'person')} The released files "
        f"are {claim}-differentially private for {neighbors_in_words(neighbors, unit)}."
    )
    if not is_row:
        statement += " All rows of a person are protected together, not each row alone."
    kind = "(epsilon, delta)-" if delta else "pure epsilon-"
    return Claim(
        kind=f"{kind}differential privacy",
        epsilon=epsilon,
        delta=delta,
        statement=statement + beyond,
    )


def claim_of_answers(
    spent: Guarantee | None, neighbors: Neighbors, unit: str = str(ROW), *, beyond: str = ""
) -> Claim:
    """Return the claim of answers: a rho with the epsilon that it implies.

    Args:
        spent: The cost of all answers; None if nothing was spent, which claims zero.
        neighbors: Which tables the guarantee compares.
        unit: Whose data is protected, in words.
        beyond: The statement's last sentences, about the declaration; empty for none.
    """
    if spent is None:
        statement = (
            "The released files contain public information only, and nothing about any row."
        )
        return Claim(
            kind="nothing spent",
            epsilon=Fraction(0),
            delta=Fraction(0),
            statement=statement + beyond,
        )
    if spent.epsilon is not None:
        return claim_of(spent.epsilon, neighbors, spent.delta, unit=unit, beyond=beyond)
    from synth.privacy import implied_guarantee, spell

    implied = implied_guarantee(spent)  # the epsilon and the delta of a rho
    assert implied.epsilon is not None
    claim = claim_of(implied.epsilon, neighbors, implied.delta, unit=unit, beyond=beyond)
    statement = f"{claim.statement} The spend is {spell(spent)}."
    return Claim(
        kind="zero-concentrated differential privacy",
        epsilon=claim.epsilon,
        delta=claim.delta,
        statement=statement,
    )


def neighbors_in_words(neighbors: Neighbors, unit: str = str(ROW)) -> str:
    """Return in words which tables the guarantee compares.

    Args:
        neighbors: Whether one unit is added or removed, or replaced.
        unit: Whose data is protected, in words: one row, or one person with all rows.
    """
    if unit == str(ROW):
        return NEIGHBORS_IN_WORDS[neighbors]
    # Persons may have different numbers of rows, so this number is private in both cases.
    difference = "by the rows of one person more"
    if neighbors is Neighbors.REPLACE_ONE:
        difference = "in all rows of one replaced person"
    # The rest of the unit names the person column, and the most rows of a person.
    used = f"{unit.removeprefix('one person ')} used"
    return f"tables that differ {difference} ({used}); the number of rows is private"


def epsilon_of_facts(epsilon: Fraction, neighbors: Neighbors) -> Fraction:
    """Return the epsilon between two tables that differ in a fact about one unit.

    Under replace-one they are neighbours. Under add-remove they are two steps apart, as the
    unit is removed and added with another value, so the epsilon doubles.

    >>> epsilon_of_facts(Fraction(1), Neighbors.ADD_REMOVE)
    Fraction(2, 1)
    """
    return epsilon * (2 if neighbors is Neighbors.ADD_REMOVE else 1)


def in_words(epsilon: Fraction, neighbors: Neighbors, unit: str = "row") -> str:
    """Return the guarantee for an epsilon, without a formula; its numbers are rounded up.

    Args:
        epsilon: The epsilon of the guarantee.
        neighbors: Which tables the guarantee compares.
        unit: The word for whose data is protected.

    >>> said = in_words(Fraction(1), Neighbors.REPLACE_ONE)
    >>> said.split(". ")[1].removeprefix("Because of one row, ")
    'the released files change the odds of any fact about it by a factor of at most 2.72'
    """
    facts = epsilon_of_facts(epsilon, neighbors)
    # The largest factor by which odds change: e^epsilon, or a huge number in its place.
    factor = math.exp(min(float(facts), _LARGEST_EXPONENT))
    return GUARANTEE.format(
        unit=unit,
        factor=_write_factor(factor),
        epsilon=brief(epsilon, most=12),
        tenth=at_most(posterior(0.1, facts)),
    )


def _write_factor(factor: float) -> str:
    """Return a factor as text, rounded up: two decimals, or two digits from 1,000 up."""
    if factor < 1000:
        factor = _round_up(factor, 2)
    else:
        # The place of the second significant digit, a negative number.
        factor = _round_up(factor, 1 - math.floor(math.log10(factor)))
    return f"{factor:,.2f}" if factor < 1000 else f"{factor:.1e}"


def at_most(share: float) -> str:
    """Write a share, 0 to 1, in percent, rounded up, so that it is not exceeded.

    It has one decimal; above 99 % it has two.

    >>> at_most(0.73106), at_most(0.9999546), at_most(0.99999999)
    ('73.2 %', '100.00 %', '100.00 %')
    """
    places = 2 if share > 0.99 else 1
    return f"{min(_round_up(100 * share, places), 100):.{places}f} %"


def _round_up(number: float, places: int) -> float:
    """Return a number rounded up to so many decimal places.

    A float may be slightly too small, so it is enlarged by 1 in 10^12 first. Negative places
    round to tens, hundreds, and so on.
    """
    enlarged = Fraction(number) * (1 + Fraction(1, 10**12))
    unit = Fraction(10) ** places
    return float(math.ceil(enlarged * unit) / unit)


def posterior(prior: float, epsilon: Fraction) -> float:
    """Return the largest probability of a fact if its odds grow by a factor of e^epsilon.

    Args:
        prior: The probability before, above 0 and below 1.
        epsilon: The logarithm of the factor.

    >>> round(posterior(0.1, Fraction(1)), 3)
    0.232
    """
    odds = prior / (1 - prior) * math.exp(min(float(epsilon), _LARGEST_EXPONENT))
    return odds / (1 + odds)
