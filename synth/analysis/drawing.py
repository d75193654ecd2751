"""Rows of a release under a condition, or with set shares, at no cost. PUBLIC."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from synth import limits
from synth.domain import Domain
from synth.errors import ArgumentError, QuestionError
from synth.estimate import HistogramRecord, MarginalsRecord, Record, finish_again
from synth.plans import Plan
from synth.questions import (
    Condition,
    Plain,
    check_question,
    cut_column,
    cuts_of,
    evaluate,
    parse,
)
from synth.rows import (
    Shares,
    SyntheticTable,
    check_shared,
    decode,
    round_systematically,
    spread_shares,
)
from synth.util import Codes, Floats, Mask

MAX_EXTRA_ROWS = 10**6
"""Most further rows of a model that are drawn if few rows of the release meet a condition."""


def read_where(text: str, domain: Domain) -> Condition | None:
    """Read a condition; None for an empty text.

    Raises:
        QuestionError: It is invalid, names something undeclared, or no declared value meets it.
    """
    return check_question(parse(f"count where {text}"), domain).where if text.strip() else None


def draw_where(
    plan: Plan,
    record: Record,
    known: SyntheticTable,
    rows: int,
    where: Condition | None,
    shares: Shares,
    seed: int,
) -> SyntheticTable:
    """Draw rows of a release that meet a condition and have given shares of a column.

    For a histogram, rows come from its repaired counts. For a model, they are its synthetic rows,
    and more of the same model if these are too few: each once before any comes twice.

    Args:
        plan: Of the release.
        record: The public part of the release.
        known: Its synthetic rows.
        rows: The number of rows.
        where: The condition; it may cut no cell.
        shares: Of cells of at most one column; other cells keep their proportions.
        seed: Public.

    Raises:
        QuestionError: The condition cuts a cell, or no row of the release meets it.
        ArgumentError: The shares are impossible.
    """
    domain, rng = plan.domain, np.random.default_rng(seed)
    check_shared(domain, shares)
    if len(shares) > 1:
        raise ArgumentError("Set the shares of one column: of several, a release says how they go "
                            "together.")  # fmt: skip
    codes, weights = _candidates(plan, record, known, rows, where, rng)
    if not weights.any():
        said = f"meets '{where}'" if where else "is left"
        raise QuestionError(f"No row of the release {said}: there is nothing to draw from.")
    for name, given in shares.items():
        weights = _set_shares(domain, name, given, codes, weights)
    picked = np.repeat(np.arange(len(weights)), round_systematically(weights, rows, rng))
    rng.shuffle(picked)
    return decode(domain, [code[picked] for code in codes], seed=seed, order=known.order,
                  laws=known.laws)  # fmt: skip


def _candidates(
    plan: Plan,
    record: Record,
    known: SyntheticTable,
    rows: int,
    where: Condition | None,
    rng: np.random.Generator,
) -> tuple[list[Codes], Floats]:
    if isinstance(record, HistogramRecord):
        weights = np.maximum(record.distribution.weights, 0)
        codes = record.distribution.codes
        met = meets(plan.domain, where, codes)
        return [code[met] for code in codes], weights[met]
    met = meets(plan.domain, where, known.codes)
    codes = [code[met] for code in known.codes]
    many = len(codes[0])
    if many < rows and plan.public is None:
        assert isinstance(record, MarginalsRecord)
        wanted = min(MAX_EXTRA_ROWS, limits.table_rows(), rows * known.rows // max(many, 1))
        more = list(np.ascontiguousarray(finish_again(plan, record, wanted, rng).codes.T))
        met = meets(plan.domain, where, more)
        codes = [np.concatenate([a, b[met]]) for a, b in zip(codes, more, strict=True)]
    return codes, np.ones(len(codes[0]))


def _set_shares(
    domain: Domain, name: str, given: Mapping[str, Fraction], codes: list[Codes], weights: Floats
) -> Floats:
    column, code = domain[name], codes[domain.names.index(name)]
    before = np.asarray(np.bincount(code, weights, column.size), dtype=np.float64)
    after = spread_shares(column, given, before)
    lacking = np.flatnonzero((after > 0) & (before <= 0))
    if len(lacking):
        raise ArgumentError(f"The release has no row in the cell '{column.cells[lacking[0]]}' of "
                            f"column '{name}' to draw from.")  # fmt: skip
    factor = np.divide(after, before, out=np.zeros(column.size), where=before > 0)
    return np.asarray(weights * factor[code])


def meets(domain: Domain, where: Condition | None, codes: list[Codes]) -> Mask:
    """Return whether each row meets a condition, shape (rows,).

    Raises:
        QuestionError: The condition cuts a cell.
    """
    if where is None:
        return np.ones(len(codes[0]), dtype=bool)

    def leaf(one: Plain) -> Mask:
        column = domain[one.column]
        cut = cut_column(column, cuts_of(column, [one]), cells=True)
        met, cells = cut.meets(one), cut.declared_codes
        holds = [met[cells == code] for code in range(column.size)]
        torn = next((code for code, part in enumerate(holds) if part.any() and not part.all()), -1)
        if torn >= 0:
            raise QuestionError(f"'{one}' cuts the cell '{column.cells[torn]}' of column "
                                f"'{column.name}'; a release tells of whole cells.")  # fmt: skip
        return np.array([part.any() for part in holds])[codes[domain.names.index(one.column)]]

    return evaluate(where, leaf)
