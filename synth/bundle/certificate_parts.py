"""Parts of certificates. PUBLIC."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from synth.bundle.typed_json import WrongFormError, says
from synth.estimate import WayName, in_sentence, list_measuring, name_method
from synth.noise import Mechanism
from synth.privacy import Guarantee, Neighbors, plain
from synth.util import omitted

NOT_IN_LEDGER: Literal["not recorded in a ledger"] = "not recorded in a ledger"
# What the certificate says instead of the spend's time, if nothing was spent.
NEVER_SPENT = "never: nothing was spent"

Natural = Annotated[int, says(minimum=0)]
PositiveCount = Annotated[int, says(minimum=1)]
Digest = Annotated[str, says(pattern="^[0-9a-f]{64}$")]
ColumnNames = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A guarantee, in numbers and in words.

    Attributes:
        kind: The kind of guarantee, in words.
        epsilon: Its epsilon.
        delta: Its delta; 0 if it has none.
        statement: The promise, in one paragraph.
    """

    kind: str
    epsilon: Fraction
    delta: Fraction
    statement: str


@dataclass(frozen=True)
class Drawing:
    """How the synthetic rows were drawn.

    Attributes:
        rounding: How shares became whole numbers of rows.
        seed: The public seed, drawn after the noise.
    """

    rounding: str
    seed: Annotated[str, says("public; drawn after the noise", pattern="^[0-9]+$")]


@dataclass(frozen=True)
class LedgerRecord:
    """A spend in the ledger.

    Attributes:
        entry: The number of the spend.
        head: Hash of the ledger's newest event of the release.
        requested_by: Who asked for the spend, if it needed two persons; else empty.
        approved_by: The second person, who approved it; else empty.
    """

    entry: PositiveCount
    head: Digest
    requested_by: Annotated[
        str, says("who asked for the spend, if it needed two persons", minLength=1)
    ] = omitted("")
    approved_by: Annotated[
        str, says("the second person, who approved the spend", minLength=1)
    ] = omitted("")

    @property
    def persons_in_words(self) -> str:
        """Who asked for the spend and who approved it; empty if it needed one person."""
        if not self.approved_by:
            return ""
        return f"{self.requested_by} asked for it, and {self.approved_by} approved it"


@dataclass(frozen=True, kw_only=True)
class ScoreRecord:
    """A utility score that was bought after the release.

    Attributes:
        what: The comparison, in words.
        error: The mean total variation of all pairs of columns, noise included.
        k_marginal: The same as a score of 0 to 1,000.
        reach: Half the width of the 95 % interval.
        pairs: The number of pairs of columns.
        rows: The public number of rows that was compared with.
        noisy_distance: The noisy sum of L1 distances, in 64ths of a row.
        sensitivity: The sensitivity of that sum.
        scale: The scale of its noise.
        epsilon: The cost.
        entry: The number of the spend in the ledger.
    """

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
    """A measurement for the declaration, paid before the release.

    Attributes:
        kind: Whether it drafted a declaration or checked one.
        guarantee: Its cost.
        neighbors: Which tables its guarantee compares.
        person: The column that identifies persons, or empty.
        max_rows: Rows of one person that are used.
        entry: Hash of the spend in the ledger.
        said: The noisy numbers, by name.
    """

    kind: Literal["draft", "check"]
    guarantee: Guarantee
    neighbors: Neighbors
    person: Annotated[str, says("the column that identifies persons; or empty")]
    max_rows: PositiveCount
    entry: Annotated[Digest, says("hash of the spend in the ledger")]
    said: Annotated[Mapping[str, object], says("the noisy number")]


@dataclass(frozen=True)
class ColumnDecision:
    """What the steward decided about a column.

    Attributes:
        column: Its name.
        decision: Why it is left out, or what becomes of the values that it loses.
    """

    column: str
    decision: Annotated[str, says("why it is left out, or what becomes of lost values")]


@dataclass(frozen=True)
class DeclarationRecord:
    """The part of the declaration that comes from the rows, or from the steward.

    Attributes:
        looked: Whether the steward saw exact numbers of rows that fit.
        taken_is_public: Whether the steward vouches that all values taken from the rows
            are public.
        preparations: The measurements that were paid before the release.
        left_out: The columns that the declaration names and leaves out.
        agreed: The columns that lose values, as the steward agreed.
    """

    looked: Annotated[bool, says("the steward saw exact numbers of rows that fit")]
    taken_is_public: Annotated[
        bool, says("the steward vouches that all values taken from the rows are public")
    ]
    preparations: Annotated[
        tuple[PreparationRecord, ...], says("paid for before; the guarantee includes them")
    ]
    left_out: Annotated[
        tuple[ColumnDecision, ...], says("columns that the declaration names and leaves out")
    ] = omitted(())
    agreed: Annotated[
        tuple[ColumnDecision, ...], says("columns that lose values, as the steward agreed")
    ] = omitted(())


@dataclass(frozen=True)
class IdentifierRecord:
    """A column of unique IDs.

    Attributes:
        column: Its name.
        pattern: The pattern of the IDs.
        empty: The number of rows without an ID.
    """

    column: str
    pattern: str
    empty: Annotated[int, says("rows without an ID", minimum=0)]


# Rows drawn at no cost.


class DrawnFrom(StrEnum):
    """What rows were drawn from at no cost."""

    DECLARATION = "declaration"
    RELEASE = "release"


# Names of the files of such rows.
STEMS = {DrawnFrom.DECLARATION: "dummy", DrawnFrom.RELEASE: "set_shares"}


@dataclass(frozen=True)
class ShareRecord:
    """A share that a person set.

    Attributes:
        column: The name of the column.
        cell: The label of the cell.
        share: The share of the rows in this cell.
    """

    column: str
    cell: str
    share: Fraction


# A release by histogram.


@dataclass(frozen=True, kw_only=True)
class HistogramReleased:
    """The numbers of rows that left with a noisy histogram.

    Attributes:
        rows: Rows of the table, if public.
        noisy_rows: Rows with their own noise, if counted.
        threshold: The least count that is listed; None if all cells are.
        left_out: Noisy rows that rules leave out, if the number of rows is public.
    """

    rows: Annotated[int | None, says("rows of the table, if public")]
    noisy_rows: Annotated[int | None, says("rows with their own noise")]
    threshold: Annotated[int | None, says("least count listed; null: all cells")]
    left_out: Annotated[
        int | None, says("noisy rows that rules leave out, if 'rows' is public")
    ]


# A release by marginals.


@dataclass(frozen=True)
class ChoiceNoise:
    """The law of a private choice, which has no noise of its own.

    Attributes:
        law: The name of the law.
    """

    law: Literal["permute-and-flip", "exponential mechanism"]


Distance = Annotated[int, says(minimum=-(2**62), maximum=2**62)]


@dataclass(frozen=True, kw_only=True)
class MomentRecord:
    """A sum of the numbers of columns.

    Attributes:
        columns: The columns whose product is summed; none for the rows themselves.
        by: The columns whose cells have one sum each; none for all rows.
        ranged: Whether numbers are counted from the middle of their range.
        given: The columns that need a value, too.
    """

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
    """A payment for a measurement of one table.

    Attributes:
        what: The measurement, in words.
        columns: The columns of the histogram; none for something else.
        values: Noisy distances, sums or rows left out.
        moments: The sums that the values are, one after the other.
        cost: The guarantee that it spends.
        noise: The mechanism, or the law of a choice.
    """

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
    """A payment for a measurement of linked tables.

    Attributes:
        what: The measurement, in words.
        marginals: The columns of the histogram, or of the measured distances.
        is_distance: Whether distances were measured.
        numbers: The number of noisy values.
        cost: The guarantee that it spends.
        noise: The mechanism, or the law of a choice.
    """

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
    """The noise on a histogram of all cells.

    Attributes:
        name: The mechanism, in words.
        sensitivity: How far the counts of neighbours differ, in L1.
        scale: The scale of the noise.
        cells: The number of cells.
        sampler: How the noise was drawn, in words.
        moments: The payments for sums of numbers, in addition.
        checked: What `verify` checks of the rows.
    """

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
        """Return the statement's text about the noise, which follows the mechanism's name.

        Args:
            cost: Returns a guarantee in words.
        """
        payments = [
            f"\nIn addition {cost(payment.cost)} for {payment.what}."
            for payment in self.moments
        ]
        return (
            f"; {self.cells:,} cells, noise of\nscale {plain(self.scale)}, sensitivity "
            f"{self.sensitivity}; drawn by\n{self.sampler}." + "".join(payments)
        )

    @property
    def method_name(self) -> str:
        """The name of the method, as screens say it."""
        return name_method(None, self.cells)


@dataclass(frozen=True, kw_only=True)
class MarginalsMechanism:
    """The measurements for a model of marginals, and their noise.

    Attributes:
        name: The mechanism, in words.
        strategy: The name of the strategy that chose the marginals.
        accounting: How the costs add up.
        spent: The cost of all payments together.
        marginals: Every payment, in order; those with columns are histograms.
        sampler: How the noise was drawn, in words.
        checked: What `verify` checks of the rows.
    """

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
        "rows fit the domain and the rules; draws the\n"
        "                          rows of a model again."
    )

    def __post_init__(self) -> None:
        """Check that a strategy of this name exists."""
        if self.strategy not in list_measuring():
            raise WrongFormError("mechanism.strategy")

    def explain(self, cost: Callable[[Guarantee], str]) -> str:
        """Return the statement's text about the noise, which follows the mechanism's name.

        Args:
            cost: Returns a guarantee in words.
        """
        payments = [
            f"  {cost(payment.cost)} for {payment.what}" for payment in self.marginals
        ]
        # The parameter of Gaussian differential privacy, mu^2, gets its name in words.
        unit = " of Gaussian differential privacy" if self.spent.is_gaussian else ""
        name = in_sentence(name_method(self.strategy, None))
        return (
            f", method: {name}; noise drawn by\n{self.sampler}.\nTotal "
            f"{cost(self.spent)}{unit}:\n" + "\n".join(payments)
        )

    @property
    def method_name(self) -> str:
        """The name of the method, as screens say it."""
        return name_method(self.strategy, None)


@dataclass(frozen=True)
class MarginalsReleased:
    """The number of rows that left with noisy marginals.

    Attributes:
        rows: Rows of the table, if public.
        total: Their number; estimated from the noisy counts if private.
    """

    rows: Annotated[int | None, says("if public", minimum=0)]
    total: Annotated[
        Natural, says("the number of rows; estimated from the noisy counts if private")
    ]


# A release's statement about its noise: name, sampler, facts, and how `verify` checks it.
MechanismClaim = HistogramMechanism | MarginalsMechanism
RowsClaim = HistogramReleased | MarginalsReleased


@dataclass(frozen=True)
class ErrorBar:
    """The error bar of a single pair of columns.

    Attributes:
        columns: The names of the columns.
        measured: Whether the pair was measured.
        expected: The expected total variation.
    """

    columns: Annotated[ColumnNames, says(minItems=1)]
    measured: bool
    expected: Annotated[float, says(minimum=0, maximum=1)]


# Answers to questions.


@dataclass(frozen=True)
class LeastMove:
    """Norms of a difference between neighbours.

    Attributes:
        l1: The sum of the absolute differences.
        squared_l2: The sum of the squared differences.
        l_infinity: The largest absolute difference.
    """

    l1: PositiveCount
    squared_l2: PositiveCount
    l_infinity: PositiveCount


@dataclass(frozen=True, kw_only=True)
class MoveRecord(LeastMove):
    """How far neighbours differ at most, in three norms.

    Attributes:
        exact: Whether two neighbours differ by exactly this.
        least: How far two neighbours differ for certain.
    """

    exact: Annotated[bool, says("whether two neighbours differ by exactly this")]
    least: Annotated[LeastMove, says("two neighbours differ by this")]


@dataclass(frozen=True)
class RowsGrain:
    """Whole numbers that are counts of rows.

    Attributes:
        weight: The steps of a row.
    """

    weight: Annotated[PositiveCount, says("steps of a row")]


@dataclass(frozen=True, kw_only=True)
class SumGrain:
    """Whole numbers that are sums of a column's numbers, in steps.

    Attributes:
        column: The name of the column.
        middle: Where step 0 is: a number, or seconds since 1970.
        grid: The size of a step.
        most: The steps to either side.
    """

    column: str
    middle: Annotated[float, says("where step 0 is: a number, or seconds since 1970")]
    grid: Annotated[float, says("size of a step", exclusiveMinimum=0)]
    most: Annotated[PositiveCount, says("steps to either side")]


@dataclass(frozen=True)
class ProductGrain:
    """Whole numbers that are sums of products.

    Attributes:
        factors: The columns, one or two.
        weight: The factor of their steps.
    """

    factors: Annotated[tuple[SumGrain, ...], says(minItems=1, maxItems=2)]
    weight: Annotated[PositiveCount, says("the factor of their steps")]


@dataclass(frozen=True, kw_only=True)
class TreeRecord:
    """A tree of intervals, measured in place of totals.

    Attributes:
        columns: The columns of the cells.
        branching: The number of children of a node.
        root: Whether all cells together are measured.
        weight: The steps of a row in every node.
    """

    columns: ColumnNames
    branching: Annotated[int, says(minimum=2)]
    root: Annotated[bool, says("whether all cells together are measured")]
    weight: Annotated[PositiveCount, says("steps of a row in every node")]


@dataclass(frozen=True, kw_only=True)
class FittedRecord:
    """Sums fitted to the questions, measured in place of totals.

    Attributes:
        columns: The columns of the cells.
        own: The amount that a row adds to its cell.
        rows: The amount that a row of each cell adds to each sum.
        weight: The steps of each of these.
    """

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
    """Residuals of a marginal, measured in place of totals.

    Attributes:
        columns: The columns of the marginal.
        weight: The steps of each of its whole numbers.
    """

    columns: ColumnNames
    weight: Annotated[PositiveCount, says("steps of each whole number of it")]


StrategyRecord = TreeRecord | FittedRecord | ResidualRecord


@dataclass(frozen=True, kw_only=True)
class PortionRecord:
    """A measurement that answers some questions at once.

    Attributes:
        questions: Their numbers, from 1 up.
        way: How they are answered.
        grains: How each vector of totals became whole numbers, in order.
        noise: The mechanism, or the law of a choice; None if nothing was spent.
        sensitivity: How far neighbours differ.
        cost: The guarantee that it spends.
        noisy: Noisy totals in steps, noisy cells of a histogram, or the chosen number.
        strategy: The quantities measured in place of totals.
    """

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
    """An answer to a question.

    Attributes:
        question: The question in canonical form.
        labels: The labels of its numbers, if it has several.
        value: The answer; None if there is none.
        low: The low end of the 95 % interval.
        high: The high end of the 95 % interval.
        expected_error: The average error, over the noise and over the numbers.
        way: How it was answered.
        remarks: Sentences about the answer.
    """

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
