"""Rows of a release under a condition, or with set shares, at no cost. PUBLIC."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synth import limits
from synth.domain import Column, Domain
from synth.errors import ArgumentError, QuestionError
from synth.estimate import HistogramRecord, MarginalsRecord, Record, Redrawing, finish_again
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
from synth.util import Codes, Floats, Ints, Mask

# Most further rows of a model that are drawn if few rows of the release meet a condition.
MAX_EXTRA_ROWS = 10**6


@dataclass(frozen=True, kw_only=True)
class RowRequest:
    """Which rows of a release are asked for.

    Attributes:
        rows: How many.
        where: The condition; it may cut no cell. None for none.
        shares: Of cells of at most one column; other cells keep their proportions.
        seed: Public.
    """

    rows: int
    where: Condition | None
    shares: Shares
    seed: int


def read_where(text: str, domain: Domain) -> Condition | None:
    """Read a condition on rows, such as "region = north"; return None for an empty text.

    Raises:
        QuestionError: It is no text, is invalid, names something undeclared, or no declared
            value meets it.
    """
    if not isinstance(text, str):
        raise QuestionError('A condition must be a text, such as "region = north".')
    return (
        check_question(parse(f"count where {text}"), domain).where if text.strip() else None
    )


def draw_where(
    plan: Plan,
    record: Record,
    table: SyntheticTable,
    *,
    request: RowRequest,
) -> SyntheticTable:
    """Draw rows of a release that meet a condition and have set shares of a column.

    A histogram gives rows by its repaired counts. A model gives its synthetic rows, then more
    of the same model, each once before any comes twice. All of it is public.

    Args:
        plan: How the release was made.
        record: The noisy counts of the release.
        table: The synthetic rows of the release.
        request: The number of rows, the condition, the shares and the seed.

    Raises:
        QuestionError: The condition cuts a cell, or no row of the release meets it.
        ArgumentError: The shares are impossible.
    """
    domain = plan.domain
    shares = request.shares
    rng = np.random.default_rng(request.seed)
    check_shared(domain, shares)
    if len(shares) > 1:
        raise ArgumentError(
            "Set the shares of one column: of several, a release says how they go together."
        )
    codes, weights = _candidates(plan, record, table, request=request, rng=rng)
    if not weights.any():
        condition_text = f"meets '{request.where}'" if request.where else "is left"
        raise QuestionError(
            f"No row of the release {condition_text}, so Synth cannot draw any."
        )
    if shares:
        ((name, cell_shares),) = shares.items()
        code = codes[domain.names.index(name)]
        cell_weights = _share_weights(domain[name], cell_shares, code, weights=weights)
        rows_by_cell = round_systematically(cell_weights, request.rows, rng)
        repetitions = _draw_by_cell(rows_by_cell, code, weights, rng=rng)
    else:
        repetitions = round_systematically(weights, request.rows, rng)
    picked = np.repeat(np.arange(len(weights)), repetitions)
    rng.shuffle(picked)  # else equal rows would follow each other
    # Values within cells are drawn anew, by the release's rules of order and its laws.
    return decode(
        domain,
        [code[picked] for code in codes],
        seed=request.seed,
        order=table.order,
        laws=table.laws,
    )


def _candidates(
    plan: Plan,
    record: Record,
    table: SyntheticTable,
    *,
    request: RowRequest,
    rng: np.random.Generator,
) -> tuple[list[Codes], Floats]:
    """Return the rows to draw from, the ones that meet the request's condition.

    A histogram gives its cells, with its repaired counts as weights. A model gives its
    synthetic rows, of weight 1, and draws further ones if fewer than asked for are left.

    Args:
        plan: How the release was made.
        record: The public part of the release.
        table: The synthetic rows of the release.
        request: The number of rows and the condition.
        rng: Draws further rows of a model.

    Returns:
        The cell of every candidate in each column, an array of shape (candidates,) for each
        column, and the weights, shape (candidates,).
    """
    rows = request.rows
    where = request.where
    if isinstance(record, HistogramRecord):
        weights = np.maximum(record.distribution.weights, 0)
        codes = record.distribution.codes
        met = meets(plan.domain, where, codes)
        return [code[met] for code in codes], weights[met]
    met = meets(plan.domain, where, table.codes)
    codes = [code[met] for code in table.codes]
    fitting_rows = len(codes[0])
    # A public table that shaped the model's rows is not in a bundle, so none can be added.
    if fitting_rows < rows and plan.public is None:
        assert isinstance(record, MarginalsRecord)
        # So many rows should give those asked for, if the same share meets the condition.
        expected_rows = rows * table.rows // max(fitting_rows, 1)
        extra_rows = min(MAX_EXTRA_ROWS, limits.table_rows(), expected_rows)
        fitted = finish_again(plan, record, Redrawing(rows=extra_rows, seed=rng))
        further_codes = list(np.ascontiguousarray(fitted.codes.T))  # one array a column
        met = meets(plan.domain, where, further_codes)
        codes = [
            np.concatenate([a, b[met]]) for a, b in zip(codes, further_codes, strict=True)
        ]
    return codes, np.ones(len(codes[0]))


def _share_weights(
    column: Column, shares: Mapping[str, Fraction], code: Codes, *, weights: Floats
) -> Floats:
    """Return the weight of each cell of a column so that it has these shares, shape (cells,).

    Cells without a share keep their proportions to one another.

    Args:
        shares: The wanted share of the rows, by the label of a cell.
        code: The column's cell of each candidate, shape (candidates,).
        weights: The weight of each candidate.

    Raises:
        ArgumentError: A cell has a share, but no candidate.
    """
    before = np.asarray(np.bincount(code, weights, column.size), dtype=np.float64)
    after = spread_shares(column, shares, before)
    lacking = np.flatnonzero((after > 0) & (before <= 0))
    if len(lacking):
        raise ArgumentError(
            f"The release has no row in the cell '{column.cells[lacking[0]]}' of "
            f"column '{column.name}' to draw from."
        )
    return after


def _draw_by_cell(
    rows_by_cell: Ints, code: Codes, weights: Floats, *, rng: np.random.Generator
) -> Ints:
    """Return how often each candidate is drawn, shape (candidates,).

    Args:
        rows_by_cell: How many rows to draw in each cell of the column, shape (cells,).
        code: The cell of each candidate, shape (candidates,).
        weights: The weight of each candidate within its cell, shape (candidates,).
    """
    repetitions = np.zeros(len(weights), dtype=np.int64)
    for cell, number in enumerate(rows_by_cell):
        if number:
            within = np.flatnonzero(code == cell)
            repetitions[within] = round_systematically(weights[within], int(number), rng)
    return repetitions


def meets(domain: Domain, where: Condition | None, codes: list[Codes]) -> Mask:
    """Return whether each row meets a condition, shape (rows,).

    Args:
        domain: The declared columns.
        where: The condition; None for all rows.
        codes: The cell of every row in each column of the domain, each of shape (rows,).

    Raises:
        QuestionError: The condition cuts a cell.
    """
    if where is None:
        return np.ones(len(codes[0]), dtype=bool)

    def leaf(comparison: Plain) -> Mask:
        """Return which rows meet a comparison, shape (rows,); refuse one that cuts a cell."""
        column = domain[comparison.column]
        # Cut the column where the comparison cuts it, and ask each part if it meets it.
        cut = cut_column(column, cuts_of(column, [comparison]), cells=True)
        met = cut.meets(comparison)
        cells = cut.declared_codes
        met_by_cell = [met[cells == code] for code in range(column.size)]
        torn = next(
            (
                code
                for code, parts_met in enumerate(met_by_cell)
                if parts_met.any() and not parts_met.all()
            ),
            -1,
        )
        if torn >= 0:
            raise QuestionError(
                f"'{comparison}' cuts the cell '{column.cells[torn]}' of column "
                f"'{column.name}'; a release only has whole cells."
            )
        meets_by_cell = np.array([parts_met.any() for parts_met in met_by_cell])
        return meets_by_cell[codes[domain.names.index(comparison.column)]]

    return evaluate(where, leaf)
