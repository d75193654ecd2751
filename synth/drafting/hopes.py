"""What a draft can't expect to settle, before anything is spent. PUBLIC.

>>> from fractions import Fraction
>>> request = DraftRequest(columns=("a", "b"), guarantee=Guarantee.pure(Fraction(1, 10)))
>>> hopes = Hopes(request, 1_000)
>>> hopes.values is None, hopes.too_few
(True, True)
>>> Hopes(request, 100_000).too_few
False
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from synth import limits
from synth.domain import find_misfit
from synth.drafting.findings import Shapes
from synth.drafting.request import DraftRequest
from synth.drafting.seen import least_seen
from synth.privacy import ROW, Guarantee, Neighbors, Unit

# Costs of offered drafts, from the least one on: at most a tenth of the usual budget.
OFFERED_EPSILONS = (Fraction(1, 10), Fraction(2, 10), Fraction(3, 10))
OFFERED_DELTA = Fraction(1, 10**7)
QUICK_DRAFT = "Quick draft: free, review before you publish"
# A kind can be settled if its rows are this many times the noise threshold.
SETTLING_MULTIPLE = 12


@dataclass(frozen=True)
class Hopes:
    """What a draft may be expected to find in a table of so many rows.

    Attributes:
        request: The columns to draft, and the budget.
        rows: The number of rows that the steward typed; it is not counted.
    """

    request: DraftRequest
    rows: int

    @property
    def cell(self) -> float:
        """The least count of a cell that exceeds the noise, in rows.

        The cells are those of the first column's shapes; other columns have about as many.
        """
        shapes = Shapes(self.request.candidates.list_values(self.request.columns[0]))
        return least_seen(shapes.size, float(self.request.scale(self.request.costs.shapes)))

    @property
    def values(self) -> int | None:
        """The rows with which an unlisted text is found with probability one half.

        None without a delta, as such texts are then not searched.
        """
        selection = self.request.selection
        return None if selection is None else selection.half

    @property
    def too_few(self) -> bool:
        """Whether no column can be expected to be settled.

        Its rows then are fewer than twice the count that exceeds the noise in one cell.
        """
        return self.rows < 2 * self.cell

    @property
    def doubtful(self) -> bool:
        """Whether bounds will be rough and rarer values missed."""
        return self.rows < SETTLING_MULTIPLE * self.cell

    @property
    def columns(self) -> int:
        """The number of columns that the rows are enough for, if the draft had only these."""
        # The noise grows with the number of columns, which share the budget. So do the rows
        # that are enough; this is what each column adds to them.
        rows_per_column = SETTLING_MULTIPLE * self.cell / len(self.request.columns)
        return min(len(self.request.columns), int(self.rows / rows_per_column))

    def say_offer(self, budget: str, columns: int) -> str:
        """Offer the draft in one line.

        Args:
            budget: The epsilon of the release, as text.
            columns: The number of columns of the table, drafted or not.
        """
        cost = self.request.guarantee.epsilon
        assert cost is not None
        return (
            f"Private draft: costs {float(cost):g} of {budget}, publishable, describes up to "
            f"{len(self.request.columns):,} of {columns:,} columns"
        )

    @property
    def lines(self) -> list[str]:
        """What the draft can be expected to find, in sentences for the steward."""
        columns = len(self.request.columns)
        share = self.request.shares[0]  # the same for each column
        sentences = [
            f"Each of {columns:,} columns gets {_brief(share)}. A number, a date or a listed "
            f"value needs about {self.cell:,.0f} of {self.rows:,} rows to be found."
        ]
        if self.values is None:
            sentences.append(
                "Without a delta, Synth finds only values on a list of candidates. Other "
                "columns of text stay open."
            )
        elif self.values > self.rows / 2:
            sentences.append(
                f"A value on no list needs about {self.values:,} rows to be named: expect "
                "columns of text to stay open."
            )
        else:
            sentences.append(
                f"A value on no list needs about {self.values:,} rows to be named."
            )
        if self.too_few:
            sentences.append("Expect all columns to stay open: there are too few rows.")
        elif self.doubtful:
            sentences.append(
                "Bounds of numbers and dates will be rough, and rare values missed. This "
                f"many rows are enough for {max(1, self.columns):,} columns at once."
            )
        sentences.append("Keys, names, free text and addresses stay open in any case.")
        return sentences


def offer_draft(
    columns: Sequence[str],
    rows: int,
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
    *,
    unit: Unit = ROW,
    dataset: str = "table",
) -> Hopes | None:
    """Return the cheapest draft that may settle all columns, or as many as possible.

    It has the smallest epsilon of `OFFERED_EPSILONS` that is enough for all columns. If even
    the largest is not, it drafts only as many of the first columns as this epsilon settles.

    Args:
        columns: The table's columns; likely keys and free text are left out by their names.
        rows: About how many rows the table has.
        neighbors: The relation of neighbouring tables.
        unit: Whose rows are protected.
        dataset: The steward's name for the table.

    Returns:
        What the draft may be expected to find, with its request; None if it could not settle
        any column.

    >>> few = offer_draft([f"c{i}" for i in range(14)], 20_000)
    >>> few.say_offer("3", 14)
    'Private draft: costs 0.3 of 3, publishable, describes up to 12 of 14 columns'
    >>> offer_draft(["a"], 10**6).request.guarantee.epsilon, offer_draft(["a"], 50)
    (Fraction(1, 10), None)
    """
    likely = [name for name in columns if not find_misfit(name, None)]

    def expect(count: int, epsilon: Fraction) -> Hopes:
        """Return what a draft of so many of the first columns may be expected to find."""
        request = DraftRequest(
            columns=tuple(likely[:count]),
            guarantee=Guarantee.approximate(epsilon, OFFERED_DELTA),
            neighbors=neighbors,
            unit=unit,
            dataset=dataset,
        )
        return Hopes(request, rows)

    def is_doubtful(count: int) -> bool:
        """Return whether the largest epsilon may not settle so many columns."""
        return expect(count, OFFERED_EPSILONS[-1]).doubtful

    # More columns share the budget, so a draft of more is never less doubtful. The counts
    # begin at 1, so the position of the first doubtful one is the largest that is not.
    counts = range(1, min(len(likely), limits.MAX_COLUMNS) + 1)
    settled_count = bisect_left(counts, True, key=is_doubtful)
    if not settled_count:
        return None
    drafts = (expect(settled_count, epsilon) for epsilon in OFFERED_EPSILONS)
    return next(draft for draft in drafts if not draft.doubtful)


def list_offers(hopes: Hopes | None, budget: str, columns: int) -> list[str]:
    """Return the lines that offer a private and a quick draft."""
    private = "Private draft: too few rows for a small part of the budget"
    return [hopes.say_offer(budget, columns) if hopes else private, QUICK_DRAFT]


def _brief(share: Guarantee) -> str:
    assert share.epsilon is not None
    delta = f" and delta = {float(share.delta):.2g}" if share.delta else ""
    return f"epsilon = {float(share.epsilon):.3g}{delta}"
