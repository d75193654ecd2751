"""Noise that is not drawn is refused in words, by the plan alone; all other noise is
drawn.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from synth.domain import Domain, Integer
from synth.errors import NoiseError
from synth.estimate import Method, PublicSource
from synth.plans import Plan
from synth.plans.noise_limits import refuse_loud_noise
from synth.privacy import Neighbors, Unit

LEAST = Fraction(1, 10_000)
NUMBERS = Domain(tuple(Integer(name=name, minimum=0, maximum=999) for name in "abcdef"))
SMALL = NUMBERS.project("a")
MANY = Unit("id", 10**9)
LARGER = (
    "would be larger than Synth draws (a scale of up to 100,000,000,000,000); take a larger"
)


def plan_of(domain: Domain = NUMBERS, rows: int | None = 100, **choices: object) -> Plan:
    """A plan at the least allowed epsilon, by default of six columns of numbers."""
    return Plan(domain=domain, epsilon=LEAST, rows=rows, **choices)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "method", [Method.AUTO, Method.ONE_SHOT, Method.TREE, Method.HISTOGRAM]
)
@pytest.mark.parametrize("moments", [("auto",), ("means",), ("pairs",), ()])
def test_one_row_a_person_is_released_at_the_least_epsilon(
    method: Method, moments: tuple[str, ...]
) -> None:
    """If the guarantee protects single rows, no noise is too large even at the
    least epsilon.
    """
    refuse_loud_noise(plan_of(method=method, moments=moments))


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (
            plan_of(method=Method.ONE_SHOT, unit=MANY),
            f"At epsilon 0.0001 the noise of the counts {LARGER} epsilon or keep fewer rows "
            "of a person.",
        ),
        (
            plan_of(method=Method.TREE, unit=MANY, delta=Fraction(1, 10**9)),
            f"At epsilon 0.0001 and delta 1e-09 the noise of the counts {LARGER} epsilon or "
            "keep fewer rows of a person.",
        ),
        (
            plan_of(SMALL, method=Method.HISTOGRAM, unit=MANY, moments=("means",)),
            f"At epsilon 0.0001 the noise of the means {LARGER} epsilon or --moments none.",
        ),
        (
            plan_of(SMALL, method=Method.HISTOGRAM, unit=MANY, moments=("a",)),
            f"At epsilon 0.0001 the noise of the sums of numbers {LARGER} epsilon or "
            "--moments none.",
        ),
        (
            plan_of(SMALL, None, method=Method.HISTOGRAM, unit=Unit("id", 10**6), moments=()),
            "At epsilon 0.0001 the noise would add about 126,491,106,406 rows or take them "
            "away, and there are as many synthetic rows; take a larger epsilon, or say how "
            "many rows to make (--rows).",
        ),
    ],
)
def test_louder_noise_is_one_sentence(plan: Plan, sentence: str) -> None:
    """A plan whose noise is larger than is drawn is refused in one sentence with advice.

    A person may have up to a billion rows, so epsilon 0.0001 needs noise of scale 2e13 even
    if counts get all of it, and the limit is 1e14.

    The last case has noise that is drawn. But the sum of 20 counts of scale 2e10 would decide
    how many rows there are; its standard deviation is 2e10 sqrt(2 * 20) = 126,491,106,406.
    """
    with pytest.raises(NoiseError) as caught:
        plan.check_size()
    assert str(caught.value) == sentence


def test_the_distances_from_a_public_table_have_their_own_advice() -> None:
    """The plan without a public table is accepted; with one, the advice is to leave it out.

    The distances of 780 pairs of columns from the public table share a small part of the
    budget. With 1,000 rows a person their noise is larger than is drawn.
    """
    names = tuple(f"c{number}" for number in range(40))
    wide = Domain(tuple(Integer(name=name, minimum=0, maximum=999) for name in names))
    public = PublicSource(digest="ab" * 32, vouched_by="The Office", columns=names, rows=100)
    plan = plan_of(wide, method=Method.ONE_SHOT, unit=Unit("id", 10**3))
    plan.check_size()
    with pytest.raises(NoiseError, match="or leave the public table out"):
        replace(plan, public=public).check_size()


def test_default_sums_are_not_taken_where_noise_would_drown_them() -> None:
    """The automatic choice of sums is means at epsilon 1, and none at epsilon 1/10,000.

    There the noise would be larger than the numbers that it hides.
    """
    assert Plan(domain=NUMBERS, epsilon=LEAST, moments=("auto",)).moments == ()
    assert Plan(domain=NUMBERS, epsilon=Fraction(1), moments=("auto",)).moments == ("means",)
    assert (
        Plan(
            domain=NUMBERS,
            epsilon=LEAST,
            neighbors=Neighbors.ADD_REMOVE,
            unit=MANY,
            moments=("auto",),
        ).moments
        == ()
    )
