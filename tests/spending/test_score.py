"""The utility score that is bought: its sensitivity, its price, and what it changes."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from synth.bundle import (
    Result,
    SpendOfScore,
    read_archive,
    record_score,
    score_reach,
    with_score,
    without_scores,
)
from synth.domain import Categorical, Domain
from synth.door import Ledger
from synth.errors import ArgumentError, LedgerError, ReleaseError
from synth.noise import DiscreteLaplace
from synth.plans import ALONE, Method, Plan
from synth.privacy import GRID, ROW, Guarantee, Neighbors, Unit
from synth.private.comparison import compare
from synth.private.counting import Counts
from synth.private.table import PrivateTable, open_table
from synth.rows import SyntheticTable
from synth.spending import add_score, synthesize
from synth.spending.purchase import Purchase, SpendSetting
from synth.spending.score import ScoreGuesses, ScoreRequest, buy
from synth.util import Protection, number_cells
from synth.verification import open_bundle, verify
from tests.ledger.ledgers import ledger_with_budget
from tests.tables import write

DOMAIN = Domain(
    tuple(
        Categorical(name=n, categories=tuple("xyz"[:k]))
        for n, k in zip("abc", (2, 2, 3), strict=True)
    )
)


def count_rows(rows: list[tuple[int, ...]], domain: Domain = DOMAIN) -> Counts:
    """Exact counts of rows, which are given as codes."""
    codes = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    cells, counts = np.unique(number_cells(codes, domain.shape), return_counts=True)
    return Counts(domain=domain, cells=cells, counts=counts, rows=len(rows))


def table_of(rows: list[tuple[int, ...]], domain: Domain = DOMAIN) -> SyntheticTable:
    """A synthetic table of rows, which are given as codes."""
    codes = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    return SyntheticTable(
        domain=domain, distinct=codes, picked=np.arange(len(rows), dtype=np.int32)
    )


def distance(real: list[tuple[int, ...]], synthetic: SyntheticTable, rows: int) -> int:
    """The sum over all pairs of columns of the L1 distance, in 64ths of a row."""
    return sum(guess.distance for guess in ScoreGuesses(count_rows(real), synthetic, rows))


def test_the_sensitivity_is_that_of_all_neighbours() -> None:
    """No neighbour of any small table moves the summed distances by more than the
    sensitivity.

    All tables of three rows in 12 cells are tried, with every row replaced by every other.
    For add-remove every seventh table loses a row. A replaced row moves each of the three
    pairs of columns by 2 rows, a removed one by 1. Rows are counted in 64ths (`GRID`). The
    largest move is at least 0.6 of the bound, so the bound is not far too large.
    """
    all_rows = list(product(*(range(k) for k in DOMAIN.shape)))
    rng = np.random.default_rng(1)
    synthetic = table_of([all_rows[i] for i in rng.integers(0, 12, 5)])

    distances = {
        rows: distance(list(rows), synthetic, 3) for rows in product(all_rows, repeat=3)
    }

    moved = 0
    for rows, exact in distances.items():
        for i, new in product(range(3), all_rows):
            neighbour = (*rows[:i], new, *rows[i + 1 :])
            moved = max(moved, abs(exact - distances[neighbour]))

    bound = GRID * 3 * Neighbors.REPLACE_ONE.sensitivity
    assert moved <= bound
    assert moved >= 0.6 * bound

    fewer = [
        abs(exact - distance(list(rows[:2]), synthetic, 3))
        for rows, exact in list(distances.items())[::7]
    ]
    assert max(fewer) <= GRID * 3 * Neighbors.ADD_REMOVE.sensitivity


def test_the_noise_is_what_the_price_pays_for(
    table: PrivateTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A score of epsilon 1/20 has noise of scale sensitivity / epsilon, and is recorded as
    such.

    A row moves each of the three errors by the sensitivity, in 64ths of a row (`GRID`). So
    the scale is 20 times their sum. The noise itself is replaced by none. The three pairs of
    columns then differ in 4 of 10 rows: an error of 0.4, a score of 600 of 1,000.
    """
    scales: list[Fraction] = []

    def silent(self: DiscreteLaplace, values: np.ndarray) -> np.ndarray:
        scales.append(self.scale)
        return values

    monkeypatch.setattr(DiscreteLaplace, "release", silent)

    rows = [(0, 0, 0)] * 6 + [(1, 1, 2)] * 4
    synthetic = table_of([(0, 0, 0)] * 10)
    for neighbors in Neighbors:
        ledger = Ledger()
        purchase = Purchase.begin(
            ScoreRequest(dataset="t", neighbors=neighbors, unit=ROW, request=""),
            {ALONE: table},
            setting=SpendSetting(ledger=ledger),
        )
        score = buy(purchase, count_rows(rows), synthetic, rows=10, epsilon=Fraction(1, 20))

        assert scales.pop() == GRID * 3 * neighbors.sensitivity * 20
        assert (score.error, score.k_marginal) == (0.4, 600)

        (entry,) = ledger.entries()
        assert entry.guarantee == Guarantee.pure(Fraction(1, 20))
        assert entry.purpose == "utility score: mean total variation of 3 pairs of columns"
        assert score.reach == score_reach(10, Fraction(1, 20), neighbors.sensitivity)


def test_scores_have_the_law_they_claim() -> None:
    """The noise of 4,000 scores has the mean and the spread of Laplace noise.

    Laplace noise is within three scales in 1 - e^-3, or 95.0 %, of cases. With 4,000 draws
    that is between 93 and 97 %, and the mean is within 5 standard errors of 0. A false alarm
    has a probability of about 1e-6.
    """
    rows = [(0, 0, 0)] * 60 + [(1, 1, 2)] * 40
    synthetic = table_of([(0, 1, 2)] * 10)
    exact = distance(rows, synthetic, 100)

    mechanism = DiscreteLaplace(Fraction(GRID * 3 * 2))
    noise = mechanism.release(np.full(4000, exact)) - exact

    within = np.mean(np.abs(noise) <= 3 * float(mechanism.scale))
    assert 0.93 < within < 0.97
    assert abs(noise.mean()) < 5 * np.sqrt(mechanism.variance / 4000)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> PrivateTable:
    """400 rows of three columns; the second is the first or differs from it by a coin."""
    rng = np.random.default_rng(2)
    rows = [
        ["xy"[a], "xy"[a ^ b], "xyz"[c]] for a, b, c in rng.integers(0, 2, (400, 3)).tolist()
    ]
    return open_table(write(tmp_path_factory.mktemp("scored") / "t.csv", list("abc"), rows))


def release_with_score(
    table: PrivateTable, folder: Path, **choices: object
) -> tuple[Result, Ledger]:
    """A release for epsilon 1 of a budget of 2, with a score for 1/2, and its ledger."""
    ledger = ledger_with_budget(folder / "ledger.db", "2", "table")
    result = synthesize(
        Plan(domain=DOMAIN, epsilon=Fraction(1), **{"method": Method.DENSE, **choices}),
        table,
        ledger=ledger,
    )
    return add_score(result, table, Fraction(1, 2), ledger=ledger), ledger


def test_a_score_is_close_to_the_truth(table: PrivateTable, tmp_path: Path) -> None:
    """The noisy score is close to the exact mean error over all pairs of columns.

    The exact one is computed from the file. The bound of five half widths is exceeded with a
    probability of 3e-7.
    """
    result, _ = release_with_score(table, tmp_path)

    real = [
        np.array([ord(c) - ord("x") for c in column])
        for column in zip(
            *(line.split(",") for line in table.path.read_text().split()[1:]), strict=True
        )
    ]

    exact = compare(DOMAIN, real, result.synthetic.codes).two_way.mean

    (score,) = result.scores
    assert abs(score.error - exact) < 5 * score.reach


@pytest.mark.slow
@pytest.mark.parametrize("method", [Method.DENSE, Method.ONE_SHOT])
def test_release_and_score_are_one_guarantee_and_verify(
    table: PrivateTable, tmp_path: Path, method: Method
) -> None:
    """A release for 1 and a score for 1/2 are one guarantee of 3/2 in all files of the
    bundle.

    Verifying and opening the bundle gives the score again.
    """
    result, ledger = release_with_score(table, tmp_path, method=method)
    guarantee = result.certificate.guarantee
    assert guarantee.epsilon == Fraction(3, 2)
    assert "1.5-differentially private" in guarantee.statement

    path = result.write_archive(tmp_path / "b.zip", ledger)
    checked = verify(path, ledger)
    assert checked.certificate.scores == result.scores

    archive = read_archive(path)
    # If noise makes the error negative, files say 0.
    sentence = f"{max(0, result.scores[0].error):.4f}"
    assert sentence in archive.text("statement.txt")
    assert sentence in archive.text("open.html")

    opened = open_bundle(path).result
    assert opened.scores == result.scores
    assert opened.plan == result.plan


def test_the_same_score_is_sold_once(table: PrivateTable, tmp_path: Path) -> None:
    """The same score of the same rows is charged once; others are charged from what is left.

    The release cost 1 and its first score 1/2 of a budget of 2. A score for 0.6 exceeds the
    rest of 0.5; one for 1/4 makes 7/4. Without its scores the certificate claims 1.
    """
    result, ledger = release_with_score(table, tmp_path)

    again = add_score(result, table, Fraction(1, 2), ledger=ledger)
    assert again is result
    assert len(ledger.entries()) == 2

    with pytest.raises(
        LedgerError, match=r"costs 0\.6, but of the budget .* only 0\.5 is left"
    ):
        add_score(result, table, Fraction(6, 10), ledger=ledger)

    twice = add_score(result, table, Fraction(1, 4), ledger=ledger)
    assert twice.certificate.guarantee.epsilon == Fraction(7, 4)
    assert without_scores(twice.certificate, DOMAIN).guarantee.epsilon == 1

    verify(twice.write_archive(tmp_path / "b.zip", ledger), ledger)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"error": 0.0}, "A utility score of the certificate is not what its numbers give"),
        (
            {"scale": Fraction(1)},
            "A utility score of the certificate is not what its numbers give",
        ),
        ({"pairs": 2}, "A utility score of the certificate is not what its numbers give"),
        (
            {"epsilon": Fraction(1, 4)},
            "A utility score of the certificate is not what its numbers give",
        ),
        ({"epsilon": "x"}, "scores do not have the published form"),
        ({"entry": None, "rows": 0}, "scores do not have the published form"),
    ],
)
def test_edited_scores_are_refused(
    table: PrivateTable, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    """A certificate whose score has any number changed is refused: its numbers depend on each
    other.
    """
    result, _ = release_with_score(table, tmp_path)
    (score,) = result.scores

    edited = replace(result.certificate, scores=(replace(score, **change),))

    with pytest.raises(ReleaseError, match=message):
        without_scores(edited, DOMAIN)


def test_a_bundle_cannot_hide_what_the_score_cost(
    table: PrivateTable, tmp_path: Path
) -> None:
    """A bundle with a score that claims only the epsilon 1 of its release is refused.

    It is refused with the statement of the release alone, and with the statement for both.
    """
    result, ledger = release_with_score(table, tmp_path)

    release_alone = without_scores(result.certificate, DOMAIN).guarantee

    for guarantee in (
        release_alone,
        replace(result.certificate.guarantee, epsilon=Fraction(1)),
    ):
        lying = replace(result, certificate=replace(result.certificate, guarantee=guarantee))
        path = lying.write_archive(
            tmp_path / "b.zip", ledger, protection=Protection(overwrite=True)
        )
        with pytest.raises(ReleaseError, match=r"another guarantee|all of its scores"):
            verify(path)


def test_a_score_that_another_ledger_paid_for_is_refused(
    table: PrivateTable, tmp_path: Path
) -> None:
    """A score that was never paid for is refused by the ledger.

    The invented score is of three pairs and 400 rows, for epsilon 1/8, at a spend that the
    ledger has for something else. Its numbers fit one another, so the bundle alone cannot
    tell.
    """
    result, ledger = release_with_score(table, tmp_path)

    fake = record_score(
        3, 5, 400, spend=SpendOfScore(epsilon=Fraction(1, 8), sensitivity=2, entry=2)
    )

    certificate = with_score(result.certificate, fake)
    lying = replace(result, certificate=certificate)
    path = lying.write_archive(tmp_path / "b.zip", ledger)

    verify(path)
    with pytest.raises(ReleaseError, match="score of the certificate is not recorded"):
        verify(path, ledger)


def test_nothing_is_spent_where_there_is_nothing_to_score(table: PrivateTable) -> None:
    """A score of no rows, or one whose noise is too large to draw, is refused before the
    spend.
    """
    ledger = Ledger()
    request = ScoreRequest(dataset="t", neighbors=Neighbors.ADD_REMOVE, unit=ROW, request="")
    purchase = Purchase.begin(request, {ALONE: table}, setting=SpendSetting(ledger=ledger))
    synthetic = table_of([(0, 0, 0)])

    with pytest.raises(ArgumentError, match="A score needs rows"):
        buy(purchase, count_rows([(0, 0, 0)]), synthetic, rows=0, epsilon=Fraction(1))
    with pytest.raises(ArgumentError, match="epsilon"):
        buy(purchase, count_rows([(0, 0, 0)]), synthetic, rows=1, epsilon=Fraction(1, 10**15))

    assert ledger.entries() == []


def test_one_column_is_scored_by_itself(tmp_path: Path) -> None:
    """A table of one column has no pairs, so its score is of the column itself.

    The certificate counts it as one pair.
    """
    one_column = DOMAIN.project("a")
    table = write(tmp_path / "t.csv", ["a"], [["x"]] * 30)
    ledger = Ledger()

    result = add_score(
        synthesize(
            Plan(domain=one_column, epsilon=Fraction(1), method=Method.DENSE),
            table,
            ledger=ledger,
        ),
        table,
        Fraction(1),
        ledger=ledger,
    )

    assert result.scores[0].pairs == 1


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_a_person_with_more_rows_needs_more_noise(
    tmp_path: Path, neighbors: Neighbors
) -> None:
    """With two rows of each person the sensitivity of a score is twice that of one row.

    The table has one column, so the score is of one histogram, in 64ths of a row (`GRID`).
    """
    rng = np.random.default_rng(3)
    rows = [[f"p{i // 3}", "xy"[a]] for i, a in enumerate(rng.integers(0, 2, 90).tolist())]
    table = write(tmp_path / "t.csv", ["who", "a"], rows)

    plan = Plan(
        domain=DOMAIN.project("a"),
        epsilon=Fraction(1),
        neighbors=neighbors,
        unit=Unit("who", 2),
        method=Method.DENSE,
    )
    ledger = Ledger()

    result = add_score(
        synthesize(plan, table, ledger=ledger), table, Fraction(1), ledger=ledger
    )

    (score,) = result.scores
    assert score.sensitivity == GRID * 2 * neighbors.sensitivity
    verify(result.write_archive(tmp_path / "b.zip"))
