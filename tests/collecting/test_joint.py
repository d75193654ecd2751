"""The joint table: the inverse against a plain one, and rows drawn from it."""

from functools import reduce

import numpy as np
import pytest

from synth import limits
from synth.collecting import Collected, FormDesign, debiased_shares, draw_people, joint_shares
from synth.errors import LimitError
from tests.collecting.forms import make_design


def randomising_matrix(form: FormDesign, number: int) -> np.ndarray:
    """The matrix by which a question's answers were randomised."""
    weights = form.weights[number]
    matrix = np.full((weights.options,) * 2, float(weights.other))
    np.fill_diagonal(matrix, float(weights.truth))
    return matrix


def collect_answers(form: FormDesign, people: int) -> Collected:
    """Answers that were drawn at random, independent of each other."""
    rng = np.random.default_rng(3)
    codes = np.stack([rng.integers(0, size, people) for size in form.shape], axis=1)
    return Collected(form, codes.astype(np.int32))


def test_the_inverse_of_the_product_is_the_product_of_inverses() -> None:
    """Debiasing question by question is multiplying by the inverse of the whole randomising
    matrix.

    That matrix is the Kronecker product of the matrices of all questions. The error of a cell
    is the standard deviation of a mean over 500 people.
    """
    form = make_design(3, sizes=(2, 3, 4))
    answers = collect_answers(form, 500)
    joint = joint_shares(answers, (0, 1, 2))

    counts = np.zeros(form.shape)
    np.add.at(counts, tuple(answers.codes.T), 1 / 500)
    inverse = np.linalg.inv(reduce(np.kron, [randomising_matrix(form, i) for i in range(3)]))
    plain = inverse @ counts.reshape(-1)
    assert joint.debiased.reshape(-1) == pytest.approx(plain, abs=1e-12)

    spread = (inverse**2 @ counts.reshape(-1) - plain**2) / 500
    assert joint.errors.reshape(-1) == pytest.approx(np.sqrt(spread), abs=1e-12)

    # Debiased shares add up to 1, but some are negative; repaired ones are not.
    assert joint.debiased.sum() == pytest.approx(1)
    assert joint.debiased.min() < 0
    assert joint.repaired_shares.min() == 0
    assert joint.repaired_shares.sum() == pytest.approx(1)


def test_the_margins_are_the_debiased_shares() -> None:
    """The sums of the joint table over one question are the debiased shares of the other.

    The table was asked for with question 2 in its rows and question 1 in its columns.
    """
    form = make_design(2, sizes=(2, 3))
    answers = collect_answers(form, 200)
    table = joint_shares(answers, (1, 0)).debiased
    shares = debiased_shares(answers)

    assert table.sum(axis=1) == pytest.approx([share.share for share in shares[1]])
    assert table.sum(axis=0) == pytest.approx([share.share for share in shares[0]])


def test_rows_follow_the_joint_table_where_noise_leaves_one() -> None:
    """At epsilon 20 answers are hardly randomised: rows have the repaired shares, up to
    rounding.
    """
    form = make_design(20, sizes=(2, 3))
    people = draw_people(collect_answers(form, 3_000))

    assert people.joint
    assert "repaired" in people.says
    assert people.table.rows == 3_000
    assert people.table.domain.names == ("Question 1?", "Question 2?")

    counts = np.zeros(form.shape)
    np.add.at(counts, tuple(people.table.codes), 1)
    expected_counts = (
        joint_shares(collect_answers(form, 3_000), (0, 1)).repaired_shares * 3_000
    )
    assert np.abs(counts - expected_counts).max() < 1


def test_rows_are_unrelated_where_it_drowns(monkeypatch: pytest.MonkeyPatch) -> None:
    """At epsilon 1, 300 people say too little about 2 * 2 * 2 = 8 cells.

    The noise of the joint table is above 0.25, the limit, so each question is drawn by
    itself. A table of more cells than allowed is not made at all.
    """
    form = make_design(1, sizes=(2, 2, 2))
    answers = collect_answers(form, 300)
    assert joint_shares(answers, (0, 1, 2)).noise > 0.25

    people = draw_people(answers, 1_000)
    assert not people.joint
    assert "as if the questions were unrelated" in people.says
    assert people.table.rows == 1_000
    assert set(people.table.table.column(0).to_pylist()) <= {"answer 0", "answer 1"}

    # Now at most four cells are allowed.
    monkeypatch.setattr(limits, "JOINT_CELLS", 4)
    assert not draw_people(answers).joint
    with pytest.raises(LimitError, match="The joint table has 8 cells; the limit is 4"):
        joint_shares(answers, (0, 1, 2))
