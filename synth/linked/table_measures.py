"""The measurements of one linked table, one after another. PUBLIC.

What is measured, with parts of the table's budget::

    numbers      how many rows of each child table a row has, by root, row or band
    columns      each column, by the law that is expected to be nearest
    agreements   how often two rows of one parent agree in each column, unless noise is loud
    distances    of all pairs of columns from a sample drawn by the columns, all at once
    pairs        those whose distance is larger than their noise would be, some of them of
                 two different rows of one parent; with the columns alone, the columns again

Each measurement is repaired (`targets`), and the model is fitted to all of them (`model`).
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from synth import limits
from synth.domain import LinkedPackage
from synth.errors import ArgumentError, LimitError
from synth.estimate import Account, choose_pairs, shrink
from synth.linked.codes import LinkedCodes
from synth.linked.laws import (
    LAWS_APART,
    LINKS_APART,
    BelievedRows,
    choose_law,
    draw_noise,
    size_noise,
)
from synth.linked.marginals import CountLaw, LinkedMarginal, Place
from synth.linked.model import LinkedModel, Target
from synth.linked.targets import (
    NoisyLinked,
    repair_agreement,
    repair_base,
    repair_link,
    scale_agreement,
)
from synth.noise import Mechanism, WeightedNoise, blend_reach
from synth.privacy import GRID
from synth.util import Floats, Ints


def estimate_roots(measurements: Sequence[tuple[Ints, Mechanism]]) -> float:
    """Return the estimated number of roots.

    Roots are the rows of the root table. The sum of each histogram of them is their number
    with noise. The estimate is the mean of these sums, weighted by the inverse of their
    variances.

    Args:
        measurements: The noisy values of each histogram, shape (cells,), and their noise.
    """
    sums = [values.sum() for values, _ in measurements]
    return float(np.average(sums, weights=_weigh_sums(measurements)))


def reach_of_roots(measurements: Sequence[tuple[Ints, Mechanism]]) -> float:
    """Return the half width of the 95 % interval of the estimated number of roots.

    It is of the exact law of the noise on the weighted mean (`estimate_roots`).

    Args:
        measurements: The noisy values of each histogram, shape (cells,), and their noise.

    >>> from synth.noise import DiscreteLaplace
    >>> reach_of_roots([(np.array([40]), DiscreteLaplace(Fraction(2)))])
    6.0
    """
    weights = _weigh_sums(measurements)
    weights /= weights.sum()
    return blend_reach(
        [
            WeightedNoise(noise.cell_noise.number_law, np.array([weight]), each=len(values))
            for weight, (values, noise) in zip(weights, measurements, strict=True)
        ]
    )


def _weigh_sums(measurements: Sequence[tuple[Ints, Mechanism]]) -> Floats:
    """Return the inverse of the variance of the sum of each histogram, shape (histograms,).

    The noise on a sum has the variance of a cell times the number of cells.
    """
    return np.array([1 / (len(values) * noise.variance) for values, noise in measurements])


# Parts of a table's budget; pairs have the rest.
# For the numbers of rows below.
NUMBERS_SHARE = Fraction(8, 100)
# The share for the table's columns.
COLUMNS_SHARE = Fraction(30, 100)
# The share for how often two rows of one parent agree.
AGREEMENTS_SHARE = Fraction(10, 100)
# The share for the distances of pairs from expectations.
DISTANCES_SHARE = Fraction(7, 100)
# Noise on the share of agreeing pairs from which it is not measured.
LOUD_AGREEMENT = 0.1
# Cells of the largest measured pair.
MOST_CELLS = 2**18


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedRequest:
    """A request for noisy numbers, which are paid at once.

    Attributes:
        marginals: The histogram; or several, whose distances from guesses are asked.
        guesses: Expected roots in each cell; none for the histogram itself.
        noise: The noise on each number.
        cost: Epsilon or rho.
    """

    marginals: tuple[LinkedMarginal, ...]
    guesses: tuple[Floats, ...]
    noise: Mechanism
    cost: Fraction


# Asks, gets noisy numbers, shape (numbers,), and returns the model.
Strategy = Generator[LinkedRequest, Ints, LinkedModel]


class TableMeasures:
    """One table, its budget in epsilon or rho, and its measurements."""

    def __init__(
        self, package: LinkedPackage, account: Account, table: int, *, budget: Fraction
    ) -> None:
        """Share the table's budget among its measurements.

        Args:
            package: The declared tables.
            account: The budget of all tables, and what it protects.
            table: The number of this table.
            budget: Its part of the budget, in epsilon or rho.
        """
        self.package = package
        self.account = account
        self.table = table
        self.below = package.children(table)  # the numbers of its child tables
        self.column_numbers = range(len(package.tables[table].domain.names))
        self.shares = {
            "numbers": budget * NUMBERS_SHARE if self.below else Fraction(0),
            "columns": budget * COLUMNS_SHARE,
            "agreements": Fraction(0),
            "distances": budget * DISTANCES_SHARE,
        }
        if package.tables[table].most > 1:  # else no parent has two rows
            self.shares["agreements"] = budget * AGREEMENTS_SHARE
        self.shares["pairs"] = budget - sum(self.shares.values())
        # All noisy counts of each histogram of one column, which may be measured twice.
        self.measured: dict[LinkedMarginal, list[NoisyLinked]] = {}
        # The believed number of roots, which `measure` sets.
        self.roots = 0

    @property
    def _declared_numbers(self) -> list[LinkedMarginal]:
        """For each child table, the histogram of how many of its rows a row of this one has.

        All roots have equal weight in it (`CountLaw.ROOTS`).
        """
        return [
            LinkedMarginal(table=self.table, columns=(self.package.number(child),))
            for child in self.below
        ]

    @property
    def _single_columns(self) -> list[LinkedMarginal]:
        """For each declared column, its histogram, in which all roots have equal weight."""
        return [
            LinkedMarginal(table=self.table, columns=((self.table, column),))
            for column in self.column_numbers
        ]

    def check_noise(self) -> None:
        """Refuse a limit of rows that needs more noise than Synth draws.

        Raises:
            LimitError: Some noise would be too large; the message names the table and its
                limit of rows of one parent.
        """
        try:
            for marginals, share in (
                (self._declared_numbers, "numbers"),
                (self._single_columns, "columns"),
            ):
                costs = self._split_by_size(self.shares[share], marginals)
                for marginal, cost in zip(marginals, costs, strict=True):
                    # Which law will count is not known yet, so all must be possible.
                    for law in CountLaw:
                        reach = replace(marginal, law=law).reach(self.package)
                        noise = draw_noise(self.account, cost, reach)
                        # The limit is of a standard deviation.
                        if noise.variance > limits.LINKED_NOISE**2:
                            raise ArgumentError("The noise is too loud for linked tables.")
        except ArgumentError:
            declared = self.package.tables[self.table]
            raise LimitError(
                f"Up to {declared.most:,} rows of one parent in '{declared.name}' need more "
                "noise than Synth draws at this budget; keep fewer rows (synth:maxRows), or "
                "spend more."
            ) from None

    def expect_error(self, believed: BelievedRows) -> float:
        """Return the mean total variation of the table's columns that noise alone causes.

        The columns are counted by roots; `believed` says how many there are. The total
        variation is half of the sum of the errors of all shares.
        """
        marginals = self._single_columns
        costs = self._split_by_size(self.shares["columns"], marginals)
        # Cells times the noise of each, halved, as a part of the roots.
        errors = [
            np.prod(marginal.shape(self.package))
            * size_noise(self.account, float(cost), 1)
            / (2 * max(believed.roots, 1.0))
            for marginal, cost in zip(marginals, costs, strict=True)
        ]
        return min(1.0, float(np.mean(errors)))

    def measure(self, model: LinkedModel, numbers: dict[int, BelievedRows]) -> Strategy:
        """Measure the table, fit it, and return the model, to which it was added.

        This is a generator: it yields requests and is sent noisy numbers.

        Args:
            model: The model of the tables before this one; it is changed in place.
            numbers: The believed rows of the tables so far, by number; those of the child
                tables are added, and of the root table its own.
        """
        yield from self._measure_counts(self._declared_numbers, self.shares["numbers"])
        columns = self._choose_histograms(numbers.get(self.table, BelievedRows.of_root(1.0)))
        yield from self._measure_counts(columns, self.shares["columns"])
        if self.package.tables[self.table].parent is None:
            # Every histogram of the root table counts each root once.
            root_counts = [
                (noisy.values, noisy.mechanism)
                for measurements in self.measured.values()
                for noisy in measurements
            ]
            model.roots = max(1, round(estimate_roots(root_counts)))
            numbers[self.table] = BelievedRows.of_root(model.roots)
        believed = numbers[self.table]
        # What the numbers of rows below say of each child table.
        for child, marginal in zip(self.below, self._declared_numbers, strict=True):
            parents = repair_base(self.package, self.measured[marginal], believed).values
            units = marginal.units(self.package)
            numbers[child] = BelievedRows.below(
                self.package, child, parents / units, above=believed
            )
        bases = self._repair_columns(believed)
        self.roots = model.roots
        sample = model.try_out(bases)
        agreements = yield from self._measure_agreements(sample)
        links = yield from self._measure_links(sample, believed, agreements)
        if not links:
            # Then the columns were measured again.
            bases = self._repair_columns(believed)
        model.fit([*bases, *agreements, *links])
        return model

    def _repair_columns(self, believed: BelievedRows) -> list[Target]:
        """Return the repaired counts of all columns measured so far, one target for each.

        `believed` are the believed rows of the table, to which the counts add up.
        """
        return [
            repair_base(self.package, measurements, believed)
            for measurements in self.measured.values()
        ]

    def _choose_histograms(self, believed: BelievedRows) -> list[LinkedMarginal]:
        """Return the histogram of each column, under the law with the least average error.

        The law says what has equal weight: rows; roots, which are rows of the first table
        with all rows below them; or rows by band of the number of rows of their parent.
        `believed` has the estimated numbers of rows and roots, in all and by band.
        """
        marginals = self._single_columns
        costs = self._split_by_size(self.shares["columns"], marginals)
        # `LAWS_APART` is how far apart the laws of rows and of roots in a column usually are.
        return [
            self._choose_law(marginal, believed, cost, distance=LAWS_APART)
            for marginal, cost in zip(marginals, costs, strict=True)
        ]

    def _choose_law(
        self,
        marginal: LinkedMarginal,
        believed: BelievedRows,
        cost: Fraction,
        *,
        distance: float,
    ) -> LinkedMarginal:
        """Return a histogram under the law with the least average error at this cost.

        The law says what has equal weight: rows; roots, which are rows of the first table
        with all rows below them; or rows by band of the number of rows of their parent.

        Args:
            marginal: The histogram, by roots.
            believed: What is believed of the table's rows, for the size of the errors.
            cost: The marginal's part of the budget, in epsilon or rho.
            distance: How far apart the laws of rows and of roots usually are: `LAWS_APART`
                for a column, `LINKS_APART` for a pair.
        """
        noise = size_noise(self.account, float(cost), 1)
        return choose_law(self.package, marginal, believed, noise=noise, distance=distance)

    def _split_by_size(
        self, budget: Fraction, marginals: Sequence[LinkedMarginal]
    ) -> list[Fraction]:
        """Return the cost of each histogram: a budget, split by their numbers of cells.

        Larger ones get more, so that the sum of average errors is the least. Costs are in
        epsilon or rho, as the budget.
        """
        sizes = [int(np.prod(marginal.shape(self.package))) for marginal in marginals]
        return self.account.by_size(budget, sizes) if sizes else []

    def _measure_counts(
        self, marginals: Sequence[LinkedMarginal], budget: Fraction
    ) -> Generator[LinkedRequest, Ints, None]:
        """Measure histograms, and keep their noisy counts in `self.measured`.

        This is a generator: it yields requests and is sent noisy numbers.

        Args:
            marginals: The histograms.
            budget: What all of them cost, in epsilon or rho; larger ones get more.
        """
        for marginal, cost in zip(
            marginals, self._split_by_size(budget, marginals), strict=True
        ):
            noise = draw_noise(self.account, cost, marginal.reach(self.package))
            values = yield LinkedRequest(
                marginals=(marginal,), guesses=(), noise=noise, cost=cost
            )
            self.measured.setdefault(marginal, []).append(
                NoisyLinked(marginal, values, noise)
            )

    def _list_pairs(self) -> Iterator[LinkedMarginal]:
        """Yield the histograms of two columns among which pairs are chosen.

        Each counts by roots: rows of the root table, whose rows below share a weight. Both
        columns may be of one row, or one of a row above it. Under one parent they may be the
        same column of two rows, or columns of two rows of different tables.
        """
        for pair in self._pairs_of_one_row():
            yield LinkedMarginal(table=self.table, columns=pair)
        declared = self.package.tables[self.table]
        if declared.parent is None:
            return
        if declared.most > 1:
            for column in self.column_numbers:
                place = (self.table, column)
                yield LinkedMarginal(table=self.table, columns=(place,), others=(place,))
        for sibling_table in self.package.children(declared.parent):
            # Each pair of tables once: with the later one, when both are drawn.
            if sibling_table < self.table:
                for sibling_place in self._places(sibling_table):
                    for column in self.column_numbers:
                        yield LinkedMarginal(
                            table=sibling_table,
                            columns=(sibling_place,),
                            others=((self.table, column),),
                        )

    def _places(self, table: int) -> list[Place]:
        """Return all declared columns of a table, each with the number of the table."""
        return [
            (table, column) for column in range(len(self.package.tables[table].domain.names))
        ]

    def _pairs_of_one_row(self) -> list[tuple[Place, Place]]:
        """Return the pairs of columns of one row, or of a row and a row above it.

        The bands of the numbers of child rows count as columns here. The band of the table's
        own number is paired with the columns that were not measured with it.
        """
        # The column with the number of a child's rows is followed by the band of this number.
        bands: list[int] = []
        for child in self.below:
            _, number_column = self.package.number(child)
            bands.append(number_column + 1)
        places_here = [(self.table, column) for column in (*self.column_numbers, *bands)]
        places_above: list[Place] = []
        for table_above in self.package.lineage(self.table)[1:]:
            places_above += self._places(table_above)
        pairs: list[tuple[Place, Place]] = [*combinations(places_here, 2)]
        pairs += product(places_above, places_here)
        if self.package.tables[self.table].parent is not None:
            parent, number_column = self.package.number(self.table)
            band = (parent, number_column + 1)
            # Histograms by band have the band as their first column, and are not among these.
            measured_columns = {marginal.columns for marginal in self.measured}
            pairs += [(band, place) for place in places_here if (place,) in measured_columns]
        return pairs

    def _measure_agreements(
        self, sample: LinkedCodes
    ) -> Generator[LinkedRequest, Ints, list[Target]]:
        """Measure how often two rows of one parent agree in each column.

        This is a generator: it yields requests, is sent noisy numbers, and returns the
        repaired counts. If the noise is loud nothing is measured, and pairs get this budget.

        Args:
            sample: Rows drawn by the columns alone.
        """
        budget = self.shares["agreements"]
        if not budget:
            return []
        marginals = [
            LinkedMarginal(
                table=self.table, columns=(place,), others=(place,), by_agreement=True
            )
            for place in self._places(self.table)
        ]
        # The expected number of roots with two rows of one parent.
        roots = float(self._expect_independent(sample, marginals[0]).sum())
        costs = self._split_by_size(budget, marginals)
        # All have two cells, and so about the same cost.
        if size_noise(self.account, float(costs[0]), 1) > LOUD_AGREEMENT * roots:
            self.shares["pairs"] += budget
            return []
        targets = []
        for marginal, cost in zip(marginals, costs, strict=True):
            noise = draw_noise(self.account, cost, marginal.reach(self.package))
            values = yield LinkedRequest(
                marginals=(marginal,), guesses=(), noise=noise, cost=cost
            )
            noisy = NoisyLinked(marginal, values, noise)
            targets.append(repair_agreement(self.package, noisy, roots))
        return targets

    def _measure_links(
        self, sample: LinkedCodes, believed: BelievedRows, agreements: Sequence[Target]
    ) -> Generator[LinkedRequest, Ints, list[Target]]:
        """Measure the pairs of columns that are worth their cost.

        First the distances of all pairs from independence are measured at once. This is a
        generator: it yields requests, is sent noisy numbers, and returns the repaired counts.
        They are none if no pair is worth it; then the columns are measured again.

        Args:
            sample: Rows drawn by the columns alone, which tell the counts of independence.
            believed: The believed rows of the table.
            agreements: How often two rows of one parent agree in each column, if measured.
        """
        package = self.package
        account = self.account
        possible = [
            marginal
            for marginal in self._list_pairs()
            if np.prod(marginal.shape(package)) <= MOST_CELLS
        ]
        guesses = [self._expect_independent(sample, marginal) for marginal in possible]
        chosen: dict[int, Fraction] = {}
        if possible:
            cost = self.shares["distances"]
            noise = account.distance_noise(cost, len(possible))
            flat = tuple(guess.ravel() for guess in guesses)
            noisy_distances = yield LinkedRequest(
                marginals=tuple(possible), guesses=flat, noise=noise, cost=cost
            )
            # Distances are measured in whole numbers: parts of 1 / GRID of a root.
            distances = shrink(noisy_distances.astype(np.float64), noise) / GRID
            chosen = choose_pairs(
                account, self.shares["pairs"], distances.tolist(), guesses=guesses
            )
            chosen = self._drop_loud(chosen, possible)
        if not chosen:
            # Without possible pairs, nothing was spent on distances.
            budget = self.shares["pairs"] + (0 if possible else self.shares["distances"])
            yield from self._measure_counts([*self.measured], budget)
            return []
        links = []
        # `number` is the position of the pair in `possible`.
        for number, cost in chosen.items():
            marginal = self._choose_law(
                possible[number], believed, cost, distance=LINKS_APART
            )
            noise = draw_noise(account, cost, marginal.reach(package))
            values = yield LinkedRequest(
                marginals=(marginal,), guesses=(), noise=noise, cost=cost
            )
            noisy = NoisyLinked(marginal, values, noise)
            link = repair_link(
                package, noisy, self._expect_independent(sample, marginal), numbers=believed
            )
            # What was measured of the agreement in this column, for a pair of two rows.
            agreed = [
                target for target in agreements if target.marginal.columns == marginal.columns
            ]
            links.append(
                scale_agreement(link, agreed[0]) if marginal.others and agreed else link
            )
        return links

    def _drop_loud(
        self, chosen: dict[int, Fraction], possible: Sequence[LinkedMarginal]
    ) -> dict[int, Fraction]:
        """Return the chosen pairs whose noise is small enough to be drawn, with their costs.

        They share the cost of the ones that would be too noisy.

        Args:
            chosen: The cost of each chosen pair, by its position in `possible`.
            possible: The histograms of all pairs.
        """
        # Far below the largest scale, as the size is approximate and the law may change.
        loudest = limits.MAX_SCALE / 4
        # By roots one root adds at most its units to a histogram.
        quiet = {
            number: cost
            for number, cost in chosen.items()
            if size_noise(self.account, float(cost), possible[number].units(self.package))
            < loudest
        }
        if not quiet or len(quiet) == len(chosen):
            return quiet
        costs = self.account.split(
            self.shares["pairs"], [float(cost) for cost in quiet.values()]
        )
        return dict(zip(quiet, costs, strict=True))

    def _expect_independent(self, sample: LinkedCodes, marginal: LinkedMarginal) -> Floats:
        """Return the expected roots in each cell if the columns were independent.

        They are the products of the shares of each column in the sample, scaled to the
        believed number of roots, in the shape of the histogram.

        Args:
            sample: Drawn rows of the table and the tables above.
            marginal: The histogram.
        """
        counted = (
            sample.tally(marginal).reshape(marginal.shape(self.package)).astype(np.float64)
        )
        total = max(float(counted.sum()), 1.0)
        # Bands, the first axis, are no column: each of them is a table by itself.
        first_axis = 1 if marginal.law is CountLaw.BANDS else 0
        axes = tuple(range(first_axis, counted.ndim))
        totals = counted.sum(axis=axes, keepdims=True)
        if marginal.law is CountLaw.BANDS:
            expected = np.where(totals > 0, totals, 0.0)
        else:
            expected = np.full((1,) * counted.ndim, total)
        for axis in axes:
            other_axes = tuple(place for place in axes if place != axis)
            sums = counted.sum(axis=other_axes, keepdims=True)
            shares = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
            expected = expected * shares
        # From whole units of the sample's roots to the believed number of roots. By rows or
        # bands the scale is another one, but then `repair_link` sets it.
        scale = sample.levels[0].rows * marginal.units(self.package)
        return np.asarray(expected * (self.roots / scale))
