"""Rows of large tables: in parts, the same for any number of threads, as near as all at
once.
"""

import hashlib
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import numpy as np
import pytest

from synth import limits
from synth.door import Ledger
from synth.errors import LimitError
from synth.estimate import Favour, Order, read_rules
from synth.estimate.models import large_rows
from synth.estimate.models.large_rows import count_rows, row_parts
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors
from synth.private.methods.session import ModelTask, Session
from synth.private.methods.strategies import follow
from synth.spending import synthesize
from synth.util import Ints
from tests.ledger.ledgers import ledger_with_budget
from tests.models.doors import SHAPE, hold_rows, make_domain, mean_pair_distance, open_door
from tests.models.test_pieces import make_mixture
from tests.tables import write_plain

FINE = Guarantee.pure(Fraction(20))
RULES = {"impossible": [{"c0": ["v1"], "c2": ["v0", "v3"]}]}


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty thousand rows are many, in parts of ten thousand."""
    monkeypatch.setattr(large_rows, "PART_ROWS", 10_000)
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 5_000)


def draw_rows(
    strategy: Method,
    *,
    codes: Ints | None = None,
    rules: dict[str, Any] | None = None,
    **order: Any,
) -> tuple[Ints, Ints]:
    """Rows that a strategy comes to, and those of the table."""
    codes = make_mixture()[0] if codes is None else codes
    door = open_door(FINE, Neighbors.REPLACE_ONE)
    known_rules = rules and read_rules(rules, make_domain(SHAPE))
    session = Session(hold_rows(codes, SHAPE), door, task=ModelTask(rules=known_rules))
    return follow(
        session, Order(strategy=strategy, **order), np.random.default_rng(0)
    ).codes, codes


def test_parts_follow_from_the_number_of_rows() -> None:
    """Parts of a table follow one another from the first row to the last, are equal but for a
    row, and less than one and a half times the usual size, `PART_ROWS`.
    """
    for rows in (0, 1, 300_000, 1_500_000, 1_600_000, 10**7, 10**8):
        parts = row_parts(rows)
        assert parts[0].start == 0
        assert parts[-1].stop == rows
        assert all(a.stop == b.start for a, b in pairwise(parts))
        sizes = {part.stop - part.start for part in parts}
        assert max(sizes) - min(sizes) <= 1
        assert max(sizes) < 1.5 * large_rows.PART_ROWS


@pytest.mark.usefixtures("whole_fits")
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        pytest.param(Method.ONE_SHOT, {}, marks=pytest.mark.slow),
        (Method.INDEPENDENT, {}),
        (Method.TREE, {}),
        (Method.HISTOGRAM, {}),
        (Method.GROUPS, {"groups": ((0, 1), (2, 4))}),
        pytest.param(Method.ONE_SHOT, {"rows": 12_345}, marks=pytest.mark.slow),
    ],
)
def test_large_tables_are_near_those_drawn_at_once(
    strategy: Method,
    order: dict[str, Any],
    still: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows drawn in parts are as near to the table as rows drawn at once: at most 10 % and
    .004 further in total variation.

    `still` restarts the noise, so that both have the same: other noise makes a tree measure
    other pairs. `small_parts` makes 30,000 rows a large table.
    """
    still()
    parted, codes = draw_rows(strategy, **order)
    still()
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 50_000)  # all rows at once
    once, _ = draw_rows(strategy, **order)

    assert parted.dtype == np.uint8
    assert parted.shape == once.shape
    assert (parted < SHAPE).all()
    assert (
        mean_pair_distance(parted, codes, SHAPE)
        < 1.1 * mean_pair_distance(once, codes, SHAPE) + 0.004
    )


@pytest.mark.usefixtures("whole_fits")
@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("favour", list(Favour))
def test_rows_settled_in_parts_obey_the_rules(favour: Favour) -> None:
    """Rows drawn in parts keep the rules, and are near the table, whose rows keep them as
    well.

    The rule forbids the code 1 of the first column together with 0 or 3 of the third.
    """
    codes, _ = make_mixture()
    codes = codes[~((codes[:, 0] == 1) & np.isin(codes[:, 2], [0, 3]))]
    parted, _ = draw_rows(Method.ONE_SHOT, codes=codes, rules=RULES, favour=favour)
    assert not read_rules(RULES, make_domain(SHAPE)).find_broken(parted).any()
    assert mean_pair_distance(parted, codes, SHAPE) < 0.03


@pytest.mark.usefixtures("whole_fits")
@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
def test_columns_that_follow_another_follow_it_in_parts() -> None:
    """A column that is a function of another one stays so in 98 % of rows drawn in parts.

    Column 4 is column 0, or the number 4 if that is smaller.
    """
    codes, _ = make_mixture()
    codes[:, 4] = np.minimum(codes[:, 0], 4)
    parted, _ = draw_rows(Method.ONE_SHOT, codes=codes)
    assert (parted[:, 4] == np.minimum(parted[:, 0], 4)).mean() > 0.98
    assert mean_pair_distance(parted, codes, SHAPE) < 0.02


def test_rows_are_counted_alike_in_one_part_or_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts of a column and of a pair are the same whether rows are counted in one part or
    in many.
    """
    codes = make_mixture()[0].T
    in_one_part = count_rows(codes, SHAPE, [(0,), (1, 3)])
    monkeypatch.setattr(large_rows, "PART_ROWS", 1_000)
    in_parts = count_rows(codes, SHAPE, [(0,), (1, 3)])
    assert all((in_one_part[clique] == in_parts[clique]).all() for clique in in_one_part)
    assert in_one_part[1, 3].sum() == codes.shape[1]


def digest_of_rows(
    folder: Path, plan: Plan, table: Path, ledger: Ledger | None = None
) -> str:
    """SHA-256 of the synthetic rows of a release, whose noise is that of the ledger."""
    result = synthesize(plan, table, ledger=ledger)
    paths = write_plain(result, folder)
    return hashlib.sha256(paths["synthetic.csv"].read_bytes()).hexdigest()


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Plan, Path, Ledger]:
    """A plan, its table and its ledger, for releases that draw in parts."""
    monkeypatch.setattr(large_rows, "PART_ROWS", 2_000)
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 3_000)
    return plan_one_shot(tmp_path)


def plan_one_shot(folder: Path) -> tuple[Plan, Path, Ledger]:
    """A plan of one-shot with its table and its ledger."""
    table = folder / "table.csv"
    lines = [",".join(f"v{code}" for code in row) for row in make_mixture(rows=9_000)[0]]
    table.write_text("\n".join([",".join(make_domain(SHAPE).names), *lines]))
    plan = Plan(
        domain=make_domain(SHAPE),
        epsilon=Fraction(5),
        method=Method.ONE_SHOT,
        dataset="table",
    )
    ledger = ledger_with_budget(folder / "ledger.db", "50", plan.dataset, plan.neighbors)
    return plan, table, ledger


@pytest.mark.slow
def test_the_file_does_not_depend_on_the_number_of_threads(
    release: tuple[Plan, Path, Ledger], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The synthetic rows are the same bytes with 1, 2, 4 or 30 threads.

    The ledger repeats the noise, as the release is the same. Rows are drawn in parts of
    2,000.
    """
    plan, table, ledger = release
    digests = set()
    for workers in (1, 2, 4, 30):
        monkeypatch.setenv("SYNTH_WORKERS", str(workers))
        digests.add(digest_of_rows(tmp_path / str(workers), plan, table, ledger))
    assert len(digests) == 1


@pytest.mark.slow
def test_the_file_does_not_depend_on_where_codes_are_held(
    release: tuple[Plan, Path, Ledger], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The synthetic rows are the same bytes whether codes are in memory or in a file.

    A full disk (error 28) is refused in one sentence, and the release can be repeated
    later.
    """
    plan, table, ledger = release
    here = digest_of_rows(tmp_path / "here", plan, table, ledger)
    monkeypatch.setattr(limits, "CODES_MB", 0)  # no codes are kept in memory
    assert digest_of_rows(tmp_path / "there", plan, table, ledger) == here

    with monkeypatch.context() as full:
        full.setattr(
            "synth.estimate.models.spilled_codes._take_room",
            Mock(side_effect=OSError(28)),
        )
        with pytest.raises(LimitError, match=r"^The rows take .* ask for fewer rows\."):
            digest_of_rows(tmp_path / "full", plan, table, ledger)

    assert digest_of_rows(tmp_path / "again", plan, table, ledger) == here


@pytest.mark.slow
def test_a_part_that_fails_keeps_what_was_paid(
    release: tuple[Plan, Path, Ledger], tmp_path: Path
) -> None:
    """If drawing a part of the rows runs out of memory, the paid counts are kept: the release
    can be repeated without a new spend.
    """
    plan, table, ledger = release
    fails = Mock(side_effect=[None, None, *[MemoryError] * 9])  # from the third part on
    with patch.object(large_rows, "settle_part", fails):
        with pytest.raises(LimitError, match=r"^Synth ran out of memory while drawing rows"):
            synthesize(plan, table, ledger=ledger)

    spent = ledger.balance(plan.dataset).spent
    result = synthesize(plan, table, ledger=ledger)
    assert result.repeated
    assert ledger.balance(plan.dataset).spent == spent
    assert digest_of_rows(tmp_path / "out", plan, table, ledger) == digest_of_rows(
        tmp_path / "again", plan, table, ledger
    )


def test_no_workers_are_refused_before_anything_is_spent(
    release: tuple[Plan, Path, Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number of threads below 1 is refused before anything is spent: the ledger has no
    entry.
    """
    plan, table, ledger = release
    monkeypatch.setenv("SYNTH_WORKERS", "0")
    with pytest.raises(
        Exception, match=r"^SYNTH_WORKERS must be a whole number of at least 1"
    ):
        synthesize(plan, table, ledger=ledger)
    assert not ledger.entries()
