"""Answers of sums of products: verified, and forged."""

from pathlib import Path
from typing import Any

import pytest

from synth.bundle import Asked
from synth.verification import verify
from tests.bundle.asked import cached_answers, refusal_of, write_forged

OTHER = "Question 1: 'grains' does not answer these questions."


@pytest.fixture
def product_answers() -> Asked:
    """Answers on variances, whose portion has grids for sums of products of numbers."""
    return cached_answers("variance age", "variance age by sex")


def test_what_is_true_is_verified(product_answers: Asked, tmp_path: Path) -> None:
    """`verify` computes variances from their noisy sums again, and gets the answers that
    were given.
    """
    verification = verify(product_answers.write_archive(tmp_path / "a.zip"))
    assert [answer.to_json() for answer in verification.answers] == [
        answer.to_json() for answer in product_answers.answers
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda grains: grains[0].update(weight=grains[0]["weight"] + 1),
        lambda grains: grains[1]["factors"].pop(),
        lambda grains: grains[1]["factors"][0].update(column="nobody"),
        lambda grains: [f.update(grid=f["grid"] / 2) for g in grains for f in g["factors"]],
        lambda grains: [f.update(most=f["most"] // 2) for g in grains for f in g["factors"]],
    ],
)
def test_grids_that_do_not_belong_together_are_refused(
    product_answers: Asked, tmp_path: Path, change: Any
) -> None:
    """Variances are read from noisy sums of products, counted in steps of a grid.

    A grid that does not follow from the questions is refused. In turn the cases change a
    weight, remove a factor, rename a column, halve all grids, and halve the largest values.
    """
    path = write_forged(
        product_answers,
        tmp_path / "a.zip",
        lambda content: change(content["portions"][0]["grains"]),
    )

    assert refusal_of(path) == OTHER


def test_less_sensitivity_than_neighbours_have_is_refused(
    product_answers: Asked, tmp_path: Path
) -> None:
    """A certificate whose sensitivity is 1 too small is refused, as it claims too much
    privacy.

    The answers are variances, which need sums of products.
    """

    def change(content: Any) -> None:
        content["portions"][0]["sensitivity"]["l1"] -= 1

    assert refusal_of(write_forged(product_answers, tmp_path / "a.zip", change)) == (
        "Question 1: 'sensitivity' does not answer these questions."
    )
