"""Parts of certificates. PUBLIC."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from synth.bundle.typed_json import DEFAULT_OMITTED, WrongFormError, says
from synth.estimate import list_measuring
from synth.noise import Mechanism
from synth.privacy import Guarantee, Neighbors, plain
from synth.questions import WayName

NOT_IN_LEDGER: Literal["not recorded in a ledger"] = "not recorded in a ledger"

Natural = Annotated[int, says(minimum=0)]
PositiveCount = Annotated[int, says(minimum=1)]
Digest = Annotated[str, says(pattern="^[0-9a-f]{64}$")]
ColumnNames = tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """What is promised: the kind of guarantee, its exact numbers, and a sentence."""

    kind: str
    epsilon: Fraction
    delta: Fraction
    statement: str


@dataclass(frozen=True)
class Drawing:
    """How the rows were drawn."""

    rounding: str
    seed: Annotated[str, says(pattern="^[0-9]+$", description="public; drawn after the noise")]


@dataclass(frozen=True)
class LedgerRecord:
    """Where the spend is recorded: its number, and the hash of the newest event at the time."""

    entry: PositiveCount
    head: Digest


@dataclass(frozen=True)
class ScoreRecord:
    """A utility score that was bought (`synth.bundle.scores`)."""

    what: str
    error: Annotated[float, says(description="mean total variation, noise included")]
    k_marginal: float
    reach: Annotated[float, says(description="how far noise takes the error in 95 of 100 cases")]
    pairs: PositiveCount
    rows: Annotated[PositiveCount, says(description="public number of rows compared with")]
    noisy_distance: Annotated[int, says(description="sum of L1 distances, in 64ths of a row")]
    sensitivity: Annotated[PositiveCount, says(description="of that sum")]
    scale: Fraction
    epsilon: Fraction
    entry: Annotated[PositiveCount, says(description="of the ledger")]


@dataclass(frozen=True)
class PreparationRecord:
    """What was paid for before the release (`synth.estimate.noisy.preparations`)."""

    kind: Literal["draft", "check"]
    guarantee: Guarantee
    neighbors: Neighbors
    person: Annotated[str, says(description="the column that says whose row it is; or empty")]
    max_rows: PositiveCount
    entry: Annotated[Digest, says(description="hash of the spend in the ledger")]
    said: Annotated[Mapping[str, object], says(description="what came out")]


@dataclass(frozen=True)
class DeclarationRecord:
    """What the declaration owes to the rows, and what was paid for that."""

    looked: Annotated[bool, says(description="the steward saw exact numbers of rows that fit")]
    taken_is_public: Annotated[
        bool, says(description="the steward vouches that what was taken from the rows is public")
    ]
    preparations: Annotated[
        tuple[PreparationRecord, ...],
        says(description="paid for before; the guarantee is that of them and the release"),
    ]


@dataclass(frozen=True)
class IdentifierRecord:
    """A column of IDs: its pattern, and how many rows have none."""

    column: str
    pattern: str
    empty: Annotated[int, says(minimum=0, description="rows without an ID")]


# Rows drawn at no cost.


class DrawnFrom(StrEnum):
    """What rows were drawn from that are no release."""

    DECLARATION = "declaration"
    RELEASE = "release"


STEMS = {DrawnFrom.DECLARATION: "dummy", DrawnFrom.RELEASE: "set_shares"}
"""What the files of such rows are called."""


@dataclass(frozen=True)
class ShareRecord:
    """A share of rows that somebody set."""

    column: str
    cell: str
    share: Fraction


# A release by histogram.


@dataclass(frozen=True)
class HistogramReleased:
    """The numbers of rows that left with a histogram."""

    rows: Annotated[int | None, says(description="rows of the table, where public")]
    noisy_rows: Annotated[int | None, says(description="rows with noise of their own")]
    threshold: Annotated[int | None, says(description="least count listed; null: all cells")]


# A release by marginals.


@dataclass(frozen=True)
class ChoiceNoise:
    """A choice among candidates."""

    law: Literal["permute-and-flip", "exponential mechanism"]


Distance = Annotated[int, says(minimum=-(2**62), maximum=2**62)]


@dataclass(frozen=True)
class MomentRecord:
    """Sums of numbers (`synth.estimate.noisy.moments`): of one column, or of products of two."""

    columns: Annotated[ColumnNames, says(minItems=1, maxItems=2)]
    by: Annotated[ColumnNames, says(description="whose cells have a sum each; none: all rows")]
    ranged: Annotated[
        bool, says(description="whether numbers are counted from the middle of their range")
    ] = field(default=False, metadata=DEFAULT_OMITTED)


@dataclass(frozen=True)
class Payment:
    """One payment of a release."""

    what: str
    columns: Annotated[ColumnNames, says(minItems=1, uniqueItems=True)] = field(
        default=(), metadata=DEFAULT_OMITTED
    )
    values: Annotated[
        tuple[Distance, ...],
        says(
            minItems=1,
            description="noisy distances of all pairs from independence, in 64ths of a row; or "
            "noisy sums, in 4096ths of their units, of products over all rows in 32768ths",
        ),
    ] = field(default=(), metadata=DEFAULT_OMITTED)
    moments: Annotated[
        tuple[MomentRecord, ...],
        says(minItems=1, description="the sums that the values are, one after the other"),
    ] = field(default=(), metadata=DEFAULT_OMITTED)
    cost: Guarantee = field(kw_only=True)
    noise: Mechanism | ChoiceNoise = field(kw_only=True)


@dataclass(frozen=True)
class LinkedPayment:
    """One payment of a release of linked tables."""

    what: str
    marginals: Annotated[
        tuple[object, ...],
        says(minItems=1, description="the histogram, or those whose distances were measured"),
    ]
    is_distance: bool
    numbers: Annotated[PositiveCount, says(description="how many came out")]
    cost: Guarantee
    noise: Mechanism | ChoiceNoise


@dataclass(frozen=True)
class HistogramMechanism:
    """The noise on each cell of the histogram."""

    name: str
    sensitivity: PositiveCount
    scale: Fraction
    cells: PositiveCount
    sampler: str
    moments: Annotated[
        tuple[Payment, ...], says(minItems=1, description="paid for sums of numbers, beside them")
    ] = field(default=(), metadata=DEFAULT_OMITTED)

    checked: ClassVar[str] = "rows follow from the noisy counts."
    """How `verify` checks the rows."""

    def explain(self, cost: Callable[[Guarantee], str]) -> str:
        """Say how the noise was drawn; follows the name."""
        paid = [f"\nBeside it {cost(one.cost)} for {one.what}." for one in self.moments]
        return (
            f": {self.cells:,} cells, noise of\nscale {plain(self.scale)}, sensitivity "
            f"{self.sensitivity}; drawn by\n{self.sampler}." + "".join(paid)
        )

    @property
    def facts(self) -> dict[str, str]:
        """Size of the noise, by name."""
        found = {"Scale of the noise": plain(self.scale), "Cells": f"{self.cells:,}"}
        return found | ({"Sums of numbers": f"{len(self.moments):,}"} if self.moments else {})


@dataclass(frozen=True)
class MarginalsMechanism:
    """The noise on the marginals, payment by payment."""

    name: str
    strategy: Annotated[str, (("enum", list_measuring),)]
    accounting: Literal["pure epsilon", "zero-concentrated (zCDP)", "Gaussian (mu-GDP)"]
    spent: Guarantee
    marginals: Annotated[
        tuple[Payment, ...],
        says(
            minItems=1,
            description="every payment, in order; those with columns are the histograms of "
            "noisy_counts.csv",
        ),
    ]
    sampler: str

    checked: ClassVar[str] = (
        "rows are of the domain and obey the rules; a model\n                                     "
        "drew them, and they are not drawn again."
    )
    """How `verify` checks the rows."""

    def __post_init__(self) -> None:
        if self.strategy not in list_measuring():
            raise WrongFormError("mechanism.strategy")

    def explain(self, cost: Callable[[Guarantee], str]) -> str:
        """Say how the noise was drawn and paid for; follows the name."""
        paid = [f"  {cost(one.cost)} for {one.what}" for one in self.marginals]
        unit = " of Gaussian differential privacy" if self.spent.is_gaussian else ""
        return (
            f", strategy '{self.strategy}'; noise drawn by\n{self.sampler}."
            f"\nIn all {cost(self.spent)}{unit}, of which\n" + "\n".join(paid)
        )

    @property
    def facts(self) -> dict[str, str]:
        """How much was measured, by name."""
        return {"Strategy": self.strategy, "Things measured": f"{len(self.marginals):,}"}


@dataclass(frozen=True)
class MarginalsReleased:
    """The number of rows that left with marginals."""

    rows: Annotated[int | None, says(minimum=0, description="where it is public")]
    total: Annotated[
        Natural,
        says(description="as it is believed to be, from the noisy counts where it is private"),
    ]


MechanismClaim = HistogramMechanism | MarginalsMechanism
"""A release's statement about its noise: name, sampler, facts, and how `verify` checks it."""
RowsClaim = HistogramReleased | MarginalsReleased
"""A release's statement about the rows of the table."""


@dataclass(frozen=True)
class ExpectedError:
    """How far a pair of columns is expected to be off, in total variation."""

    columns: Annotated[ColumnNames, says(minItems=1)]
    measured: bool
    expected: Annotated[float, says(minimum=0, maximum=1)]


# Answers to questions.


@dataclass(frozen=True)
class LeastMove:
    """How far apart two neighbours certainly are."""

    l1: PositiveCount
    squared_l2: PositiveCount
    l_infinity: PositiveCount


@dataclass(frozen=True)
class MoveRecord:
    """How far neighbours are apart at most."""

    l1: PositiveCount
    squared_l2: PositiveCount
    l_infinity: PositiveCount
    exact: Annotated[bool, says(description="whether two neighbours are that far apart")]
    least: Annotated[LeastMove, says(description="two neighbours are that far apart")]


@dataclass(frozen=True)
class RowsGrain:
    """Rows, counted in steps."""

    weight: Annotated[PositiveCount, says(description="steps of a row")]


@dataclass(frozen=True)
class SumGrain:
    """Numbers, added up in steps of a grid."""

    column: str
    middle: Annotated[float, says(description="where step 0 is: a number, or seconds since 1970")]
    grid: Annotated[float, says(exclusiveMinimum=0, description="size of a step")]
    most: Annotated[PositiveCount, says(description="steps to either side")]


@dataclass(frozen=True)
class ProductGrain:
    """Numbers times other ones, or times a weight, added up in steps of their grids."""

    factors: Annotated[tuple[SumGrain, ...], says(minItems=1, maxItems=2)]
    weight: Annotated[PositiveCount, says(description="what their steps are multiplied by")]


@dataclass(frozen=True)
class TreeRecord:
    """A tree over the cells of a column: what is measured of it."""

    columns: ColumnNames
    branching: Annotated[int, says(minimum=2)]
    root: Annotated[bool, says(description="whether all cells together are measured")]
    weight: Annotated[PositiveCount, says(description="steps of a row in every node")]


@dataclass(frozen=True)
class FittedRecord:
    """Cells and sums of cells, fitted to the questions."""

    columns: ColumnNames
    own: Annotated[
        tuple[PositiveCount, ...], says(minItems=1, description="what a row adds to its own cell")
    ]
    rows: Annotated[
        tuple[tuple[int, ...], ...], says(description="what a row of each cell adds to each sum")
    ]
    weight: Annotated[PositiveCount, says(description="steps of each of these")]


@dataclass(frozen=True)
class ResidualRecord:
    """What a table of columns says beyond those of fewer columns."""

    columns: ColumnNames
    weight: Annotated[PositiveCount, says(description="steps of each whole number of it")]


StrategyRecord = TreeRecord | FittedRecord | ResidualRecord


@dataclass(frozen=True)
class PortionRecord:
    """What was measured at once: for which questions, with which noise, at which cost."""

    questions: Annotated[
        tuple[PositiveCount, ...],
        says(minItems=1, uniqueItems=True, description="their numbers, from 1 up"),
    ]
    way: WayName
    grains: Annotated[
        tuple[RowsGrain | SumGrain | ProductGrain, ...],
        says(description="of each vector of totals, in order"),
    ] = field(default=(), metadata=DEFAULT_OMITTED)
    noise: Mechanism | ChoiceNoise | None = field(default=None, metadata=DEFAULT_OMITTED)
    sensitivity: MoveRecord | None = field(default=None, metadata=DEFAULT_OMITTED)
    cost: Guarantee | None = field(default=None, metadata=DEFAULT_OMITTED)
    noisy: Annotated[
        tuple[Distance, ...],
        says(description="noisy totals in steps; noisy cells of a histogram; the chosen number"),
    ] = field(default=(), metadata=DEFAULT_OMITTED)
    strategy: Annotated[
        tuple[StrategyRecord, ...],
        says(description="what was measured in place of totals"),
    ] = field(default=(), metadata=DEFAULT_OMITTED)


Shown = float | str | None
"""A number as an answer shows it: a date is a text, no answer is null."""


@dataclass(frozen=True)
class AnswerRecord:
    """An answer, as `synth.questions.answers.Answer` tells it."""

    question: str
    labels: ColumnNames = field(default=(), metadata=DEFAULT_OMITTED)
    value: float | str | tuple[Shown, ...] | None = field(kw_only=True)
    low: float | str | tuple[Shown, ...] | None = field(kw_only=True)
    high: float | str | tuple[Shown, ...] | None = field(kw_only=True)
    expected_error: Annotated[float | None, says(description="on average over the numbers")] = (
        field(kw_only=True)
    )
    way: WayName = field(kw_only=True)
    remarks: ColumnNames = field(default=(), metadata=DEFAULT_OMITTED)
