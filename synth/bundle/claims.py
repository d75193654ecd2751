"""The guarantee of a release, in words. PUBLIC."""

from fractions import Fraction

from synth.bundle.certificate_parts import Claim
from synth.privacy import ROW, Guarantee, Neighbors, implied_guarantee, plain, scientific, spell

NEIGHBORS_IN_WORDS = {
    Neighbors.REPLACE_ONE: "tables that differ in one replaced row; the number of rows is public",
    Neighbors.ADD_REMOVE: "tables that differ by one row more; the number of rows is private",
}


def claim_of(
    epsilon: Fraction,
    neighbors: Neighbors,
    delta: Fraction = Fraction(0),
    unit: str = str(ROW),
    *,
    beyond: str = "",
) -> Claim:
    """Return the claim of a certificate.

    Args:
        epsilon: The promised epsilon.
        neighbors: The relation.
        delta: The promised delta.
        unit: The protected unit, in words.
        beyond: The sentence's part about the declaration (`synth.bundle.declaration`).
    """
    claim = f"({plain(epsilon)}, {scientific(delta)})" if delta else plain(epsilon)
    statement = (
        f"The released files are {claim}-differentially private for "
        f"{neighbors_in_words(neighbors, unit)}."
    )
    if unit != str(ROW):
        statement += " All rows of a person are protected together, not each row alone."
    kind = "(epsilon, delta)-" if delta else "pure epsilon-"
    return Claim(f"{kind}differential privacy", epsilon, delta, statement + beyond)


def claim_of_answers(
    spent: Guarantee | None, neighbors: Neighbors, unit: str = str(ROW), *, beyond: str = ""
) -> Claim:
    """Return the claim of answers: a rho with the epsilon that it implies; zero if nothing was
    spent.

    Args:
        spent: The cost of the answers; None if all of it was already public.
        neighbors: The relation.
        unit: The protected unit, in words.
        beyond: The sentence's part about the declaration (`synth.bundle.declaration`).
    """
    if spent is None:
        statement = "The released files say nothing of any row; all they tell was public already."
        return Claim("nothing spent", Fraction(0), Fraction(0), statement + beyond)
    means = implied_guarantee(spent)
    assert means.epsilon is not None
    claim = claim_of(means.epsilon, neighbors, means.delta, unit, beyond=beyond)
    if spent.rho is None:
        return claim
    statement = f"{claim.statement} What was spent is {spell(spent)}."
    return Claim("zero-concentrated differential privacy", claim.epsilon, claim.delta, statement)


def neighbors_in_words(neighbors: Neighbors, unit: str = str(ROW)) -> str:
    """Say which tables must look alike."""
    if unit == str(ROW):
        return NEIGHBORS_IN_WORDS[neighbors]
    what = "by the rows of one person more"
    if neighbors is Neighbors.REPLACE_ONE:
        what = "in all rows of one replaced person"
    used = f"{unit.removeprefix('one person ')} used"
    return f"tables that differ {what} ({used}); the number of rows is private"
