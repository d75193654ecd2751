"""Parts of certificates. PUBLIC."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from synth.bundle.typed_json import WrongFormError, omitted, says
from synth.estimate import list_measuring
from synth.noise import Mechanism
from synth.privacy import Guarantee, Neighbors, plain
from synth.questions import WayName

NOT_IN_LEDGER: Literal["not recorded in a ledger"] = "not recorded in a ledger"

Natural = Annotated[int, says(minimum=0)]
PositiveCount = Annotated[int, says(minimum=1)]
Digest = Annotated[str, says(pattern="^[0-9a-f]{64}$")]
ColumnNames = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Claim:
    kind: str
    epsilon: Fraction
    delta: Fraction
    statement: str


@dataclass(frozen=True)
class Drawing:
    rounding: str
    seed: Annotated[str, says("public; drawn after the noise", pattern="^[0-9]+$")]


@dataclass(frozen=True)
class LedgerRecord:
    entry: PositiveCount
    head: Digest


@dataclass(frozen=True, kw_only=True)
class ScoreRecord:
    what: str
    error: Annotated[float, says("mean total variation, noise included")]
    k_marginal: float
    reach: Annotated[float, says("half width of the 95 % interval")]
    pairs: PositiveCount
    rows: Annotated[PositiveCount, says("public number of rows compared with")]
    noisy_distance: Annotated[int, says("sum of L1 distances, in 64ths of a row")]
    sensitivity: Annotated[PositiveCount, says("of that sum")]
    scale: Fraction
    epsilon: Fraction
    entry: Annotated[PositiveCount, says("of the ledger")]


@dataclass(frozen=True, kw_only=True)
class PreparationRecord:
    kind: Literal["draft", "check"]
    guarantee: Guarantee
    neighbors: Neighbors
    person: Annotated[str, says("the column that identifies persons; or empty")]
    max_rows: PositiveCount
    entry: Annotated[Digest, says("hash of the spend in the ledger")]
    said: Annotated[Mapping[str, object], says("the noisy number")]


@dataclass(frozen=True)
class DeclarationRecord:
    looked: Annotated[bool, says("the steward saw exact numbers of rows that fit")]
    taken_is_public: Annotated[
        bool, says("the steward vouches that all values taken from the rows are public")
    ]
    preparations: Annotated[
        tuple[PreparationRecord, ...], says("paid for before; the guarantee includes them")
    ]


@dataclass(frozen=True)
class IdentifierRecord:
    column: str
    pattern: str
    empty: Annotated[int, says("rows without an ID", minimum=0)]


# Rows drawn at no cost.


class DrawnFrom(StrEnum):
    DECLARATION = "declaration"
    RELEASE = "release"


# Names of the files of such rows.
STEMS = {DrawnFrom.DECLARATION: "dummy", DrawnFrom.RELEASE: "set_shares"}


@dataclass(frozen=True)
class ShareRecord:
    column: str
    cell: str
    share: Fraction


# A release by histogram.


@dataclass(frozen=True, kw_only=True)
class HistogramReleased:
    rows: Annotated[int | None, says("rows of the table, if public")]
    noisy_rows: Annotated[int | None, says("rows with their own noise")]
    threshold: Annotated[int | None, says("least count listed; null: all cells")]
    left_out: Annotated[
        int | None, says("noisy rows that rules leave out, if 'rows' is public")
    ]


# A release by marginals.


@dataclass(frozen=True)
class ChoiceNoise:
    law: Literal["permute-and-flip", "exponential mechanism"]


Distance = Annotated[int, says(minimum=-(2**62), maximum=2**62)]


@dataclass(frozen=True, kw_only=True)
class MomentRecord:
    columns: Annotated[ColumnNames, says("none: the rows themselves", maxItems=2)]
    by: Annotated[ColumnNames, says("columns whose cells have one sum each; none: all rows")]
    ranged: Annotated[
        bool, says("whether numbers are counted from the middle of their range")
    ] = omitted(False)
    given: Annotated[ColumnNames, says("columns that need a value too", minItems=1)] = (
        omitted(())
    )


@dataclass(frozen=True, kw_only=True)
class Payment:
    what: str
    columns: Annotated[ColumnNames, says(minItems=1, uniqueItems=True)] = omitted(())
    values: Annotated[
        tuple[Distance, ...],
        says(
            "noisy distances of all pairs from independence, in 64ths of a row; or "
            "noisy sums in 4096ths of their units (products over all rows: 32768ths); or the "
            "noisy rows that rules leave out of a histogram",
            minItems=1,
        ),
    ] = omitted(())
    moments: Annotated[
        tuple[MomentRecord, ...],
        says("the sums that the values are, one after the other", minItems=1),
    ] = omitted(())
    cost: Guarantee = field(kw_only=True)
    noise: Mechanism | ChoiceNoise = field(kw_only=True)


@dataclass(frozen=True, kw_only=True)
class LinkedPayment:
    what: str
    marginals: Annotated[
        tuple[object, ...],
        says("the columns of the histogram, or of the measured distances", minItems=1),
    ]
    is_distance: bool
    numbers: Annotated[PositiveCount, says("the number of noisy values")]
    cost: Guarantee
    noise: Mechanism | ChoiceNoise


@dataclass(frozen=True, kw_only=True)
class HistogramMechanism:
    name: str
    sensitivity: PositiveCount
    scale: Fraction
    cells: PositiveCount
    sampler: str
    moments: Annotated[
        tuple[Payment, ...], says("paid for sums of numbers, in addition", minItems=1)
    ] = omitted(())

    checked: ClassVar[str] = "rows follow from the noisy counts."

    def explain(self, cost: Callable[[Guarantee], str]) -> str:
        paid = [f"\nIn addition {cost(one.cost)} for {one.what}." for one in self.moments]
        return (
            f"; {self.cells:,} cells, noise of\nscale {plain(self.scale)}, sensitivity "
            f"{self.sensitivity}; drawn by\n{self.sampler}." + "".join(paid)
        )

    @property
    def facts(self) -> dict[str, str]:
        found = {"Scale of the noise": plain(self.scale), "Cells": f"{self.cells:,}"}
        return found | ({"Sums of numbers": f"{len(self.moments):,}"} if self.moments else {})


@dataclass(frozen=True, kw_only=True)
class MarginalsMechanism:
    name: str
    strategy: Annotated[str, (("enum", list_measuring),)]
    accounting: Literal["pure epsilon", "zero-concentrated (zCDP)", "Gaussian (mu-GDP)"]
    spent: Guarantee
    marginals: Annotated[
        tuple[Payment, ...],
        says(
            "every payment, in order; those with columns are the histograms of "
            "noisy_counts.csv",
            minItems=1,
        ),
    ]
    sampler: str

    checked: ClassVar[str] = (
        "rows fit the domain and the rules; --redraw draws\n                                 "
        "    "
        "the rows of a model again."
    )

    def __post_init__(self) -> None:
        if self.strategy not in list_measuring():
            raise WrongFormError("mechanism.strategy")

    def explain(self, cost: Callable[[Guarantee], str]) -> str:
        paid = [f"  {cost(one.cost)} for {one.what}" for one in self.marginals]
        unit = " of Gaussian differential privacy" if self.spent.is_gaussian else ""
        return (
            f", strategy '{self.strategy}'; noise drawn by\n{self.sampler}.\nTotal "
            f"{cost(self.spent)}{unit}:\n" + "\n".join(paid)
        )

    @property
    def facts(self) -> dict[str, str]:
        return {"Strategy": self.strategy, "Things measured": f"{len(self.marginals):,}"}


@dataclass(frozen=True)
class MarginalsReleased:
    rows: Annotated[int | None, says("if public", minimum=0)]
    total: Annotated[
        Natural, says("the number of rows; estimated from the noisy counts if private")
    ]


# A release's statement about its noise: name, sampler, facts, and how `verify` checks it.
MechanismClaim = HistogramMechanism | MarginalsMechanism
RowsClaim = HistogramReleased | MarginalsReleased


@dataclass(frozen=True)
class ErrorBar:
    """The bar of a pair of columns: its expected total variation, and whether it was
    measured.
    """

    columns: Annotated[ColumnNames, says(minItems=1)]
    measured: bool
    expected: Annotated[float, says(minimum=0, maximum=1)]


# Answers to questions.


@dataclass(frozen=True)
class LeastMove:
    l1: PositiveCount
    squared_l2: PositiveCount
    l_infinity: PositiveCount


@dataclass(frozen=True, kw_only=True)
class MoveRecord(LeastMove):
    exact: Annotated[bool, says("whether two neighbours differ by exactly this")]
    least: Annotated[LeastMove, says("two neighbours differ by this")]


@dataclass(frozen=True)
class RowsGrain:
    weight: Annotated[PositiveCount, says("steps of a row")]


@dataclass(frozen=True, kw_only=True)
class SumGrain:
    column: str
    middle: Annotated[float, says("where step 0 is: a number, or seconds since 1970")]
    grid: Annotated[float, says("size of a step", exclusiveMinimum=0)]
    most: Annotated[PositiveCount, says("steps to either side")]


@dataclass(frozen=True)
class ProductGrain:
    factors: Annotated[tuple[SumGrain, ...], says(minItems=1, maxItems=2)]
    weight: Annotated[PositiveCount, says("the factor of their steps")]


@dataclass(frozen=True, kw_only=True)
class TreeRecord:
    columns: ColumnNames
    branching: Annotated[int, says(minimum=2)]
    root: Annotated[bool, says("whether all cells together are measured")]
    weight: Annotated[PositiveCount, says("steps of a row in every node")]


@dataclass(frozen=True, kw_only=True)
class FittedRecord:
    columns: ColumnNames
    own: Annotated[
        tuple[PositiveCount, ...], says("the amount that a row adds to its cell", minItems=1)
    ]
    rows: Annotated[
        tuple[tuple[int, ...], ...],
        says("the amount that a row of each cell adds to each sum"),
    ]
    weight: Annotated[PositiveCount, says("steps of each of these")]


@dataclass(frozen=True)
class ResidualRecord:
    columns: ColumnNames
    weight: Annotated[PositiveCount, says("steps of each whole number of it")]


StrategyRecord = TreeRecord | FittedRecord | ResidualRecord


@dataclass(frozen=True, kw_only=True)
class PortionRecord:
    questions: Annotated[
        tuple[PositiveCount, ...],
        says("their numbers, from 1 up", minItems=1, uniqueItems=True),
    ]
    way: WayName
    grains: Annotated[
        tuple[RowsGrain | SumGrain | ProductGrain, ...],
        says("of each vector of totals, in order"),
    ] = omitted(())
    noise: Mechanism | ChoiceNoise | None = omitted(None)
    sensitivity: MoveRecord | None = omitted(None)
    cost: Guarantee | None = omitted(None)
    noisy: Annotated[
        tuple[Distance, ...],
        says("noisy totals in steps; noisy cells of a histogram; the chosen number"),
    ] = omitted(())
    strategy: Annotated[
        tuple[StrategyRecord, ...], says("the quantity measured in place of totals")
    ] = omitted(())


# A number as an answer shows it: a date is a text, no answer is null.
Shown = float | str | None


@dataclass(frozen=True, kw_only=True)
class AnswerRecord:
    question: str
    labels: ColumnNames = omitted(())
    value: float | str | tuple[Shown, ...] | None = field(kw_only=True)
    low: float | str | tuple[Shown, ...] | None = field(kw_only=True)
    high: float | str | tuple[Shown, ...] | None = field(kw_only=True)
    expected_error: Annotated[float | None, says("on average over the numbers")] = field(
        kw_only=True
    )
    way: WayName = field(kw_only=True)
    remarks: ColumnNames = omitted(())
