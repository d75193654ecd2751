"""Answers by strategies: verified, and refused where a certificate claims too much."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth.bundle import Asked
from synth.estimate import WayName
from synth.privacy import Guarantee, Neighbors
from synth.spending import ask
from synth.verification import verify
from tests.bundle.asked import asked_of, cached_answers, refusal_of, write_forged

RANGES = [f"count where age >= {low} and age < {low + 8}" for low in range(20, 60, 4)]
TABLES = ["table sex by job", "table job", "table age by sex"]
RHO = Guarantee.zcdp(Fraction(1, 2))
CASES = {
    WayName.HIERARCHY: (RANGES, Guarantee.pure(2)),
    WayName.FITTED: ([*RANGES, "count where sex = F"], RHO),
    WayName.MARGINALS: (TABLES, RHO),
}
OTHER = "'{}' does not answer these questions."
STRATEGY = OTHER.format("strategy")


def ask_exactly(way: WayName, **options: Any) -> Asked:
    """Answers by one way, with the questions and the guarantee of `CASES`."""
    questions, guarantee = CASES[way]
    return cached_answers(*questions, guarantee=guarantee, way=way, **options)


@pytest.mark.parametrize("way", CASES)
@pytest.mark.parametrize("neighbors", Neighbors)
def test_answers_are_verified(way: WayName, neighbors: Neighbors, tmp_path: Path) -> None:
    """Answers by a hierarchy, by fitted sums or by marginals are verified, and lie in
    their intervals.
    """
    answers = ask_exactly(way, neighbors=neighbors)
    verify(answers.write_archive(tmp_path / "a.zip"))

    assert {answer.way for answer in answers.answers} == {way}
    for answer in answers.answers:
        assert (answer.low <= answer.value).all()
        assert (answer.value <= answer.high).all()


@pytest.mark.parametrize(
    ("way", "change", "why"),
    [
        (
            WayName.HIERARCHY,
            lambda p: p["strategy"][0].update(branching=2, root=True),
            STRATEGY,
        ),
        (WayName.HIERARCHY, lambda p: p.pop("strategy"), STRATEGY),
        (WayName.FITTED, lambda p: p["strategy"][0].update(columns=["sex"]), STRATEGY),
        (WayName.FITTED, lambda p: p["strategy"][0]["rows"][0].pop(), STRATEGY),
        (
            WayName.FITTED,
            lambda p: p["strategy"][0].update(weight=p["strategy"][0]["weight"] * 2),
            STRATEGY,
        ),
        (WayName.MARGINALS, lambda p: p["strategy"].pop(), STRATEGY),
        (WayName.MARGINALS, lambda p: p["strategy"][0].update(columns=["sex"]), STRATEGY),
        (
            WayName.MARGINALS,
            lambda p: p["noise"].update(sigma2="100"),
            "there is less noise than the cost needs.",
        ),
    ],
)
def test_a_certificate_that_claims_too_much_is_refused(
    way: WayName, change: Any, why: str, tmp_path: Path
) -> None:
    """A portion with another strategy than its questions lead to, or with less noise, is
    refused.

    `change` alters the only portion of the certificate, and `why` is the end of the refusal.
    """
    path = write_forged(
        ask_exactly(way), tmp_path / "a.zip", lambda content: change(content["portions"][0])
    )

    assert refusal_of(path).endswith(why)


QUARTERS = "quantiles 1/4, 1/2, 3/4 of age where sex = F"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda p: p["strategy"][0].update(branching=2), STRATEGY),
        (lambda p: p["strategy"][0].update(weight=2**40), STRATEGY),
        (lambda p: p["strategy"][0].update(columns=["sex"]), STRATEGY),
        (lambda p: p["strategy"].append(p["strategy"][0]), STRATEGY),
        (lambda p: p.pop("strategy"), STRATEGY),
        (lambda p: p.update(way="fitted"), OTHER.format("way")),
        (
            lambda p: p["noise"].update(scale="3000"),
            "there is less noise than the cost needs.",
        ),
        (lambda p: p["noise"].update(scale="90"), "there is less noise than the cost needs."),
        (lambda p: p["noisy"].pop(), "the noisy numbers do not match the questions."),
    ],
)
def test_a_tree_of_values_that_claims_too_much_is_refused(
    change: Any, why: str, tmp_path: Path
) -> None:
    """Quartiles from a tree of counts are refused with another tree, less noise or fewer
    numbers.

    `change` alters the only portion of the certificate, and `why` is the end of the refusal.
    """
    answers = cached_answers(QUARTERS, way="hierarchy")

    path = write_forged(
        answers, tmp_path / "a.zip", lambda content: change(content["portions"][0])
    )

    assert refusal_of(path).endswith(why)


def test_quantiles_are_those_of_the_noisy_nodes(tmp_path: Path) -> None:
    """Quartiles are read off the noisy counts of a tree; the same counts in reverse refute
    them.
    """
    answers = cached_answers(QUARTERS, way="hierarchy")
    forged_path = write_forged(
        answers, tmp_path / "a.zip", lambda content: content["portions"][0]["noisy"].reverse()
    )
    assert refusal_of(forged_path) == "The answers do not follow from the noisy numbers."


def test_the_same_again_is_free(tmp_path: Path) -> None:
    """An inquiry that was paid for is answered again as before, from the ledger."""
    answers, ledger = asked_of(tmp_path, *RANGES, way="fitted")

    again = ask(answers.inquiry, tmp_path / "t.csv", ledger=ledger)
    assert again.repeated
    assert [a.to_json() for a in again.answers] == [a.to_json() for a in answers.answers]
