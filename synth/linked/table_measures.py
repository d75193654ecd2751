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
from itertools import combinations

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
from synth.noise import Mechanism
from synth.privacy import GRID
from synth.util import Floats, Ints


def estimate_roots(measurements: Sequence[tuple[Ints, Mechanism]]) -> tuple[float, float]:
    """Return the inverse-variance mean of the sums of histograms of roots, and its precision.

    Args:
        measurements: The noisy values of each histogram, shape (cells,), and their noise.
    """
    weights = np.array([1 / (len(values) * noise.variance) for values, noise in measurements])
    mean = np.average([values.sum() for values, _ in measurements], weights=weights)
    return float(mean), float(weights.sum())


# Parts of a table's budget; pairs have the rest.
# For the numbers of rows below.
NUMBERS_SHARE = Fraction(8, 100)
# For the table's columns.
COLUMNS_SHARE = Fraction(30, 100)
# For how often two rows of one parent agree.
AGREEMENTS_SHARE = Fraction(10, 100)
# For the distances of pairs from expectations.
DISTANCES_SHARE = Fraction(7, 100)
# Noise on the share of agreeing pairs from which it is not measured.
LOUD_AGREEMENT = 0.1
# Cells of the largest measured pair.
MOST_CELLS = 2**18


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedRequest:
    """Measurements at once.

    Attributes:
        marginals: The histogram; or several, whose distances from guesses are asked.
        guesses: Expected roots in each cell; none for the histogram itself.
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
        """Share the table's budget among its measurements."""
        self.package = package
        self.account = account
        self.table = table
        self.below = package.children(table)
        self.column_numbers = range(len(package.tables[table].domain.names))
        self.shares = {
            "numbers": budget * NUMBERS_SHARE if self.below else Fraction(0),
            "columns": budget * COLUMNS_SHARE,
            "agreements": Fraction(0),
            "distances": budget * DISTANCES_SHARE,
        }
        if package.tables[table].most > 1:
            self.shares["agreements"] = budget * AGREEMENTS_SHARE
        self.shares["pairs"] = budget - sum(self.shares.values())
        self.measured: dict[LinkedMarginal, list[NoisyLinked]] = {}
        self.roots = 0

    @property
    def _declared_numbers(self) -> list[LinkedMarginal]:
        return [
            LinkedMarginal(table=self.table, columns=(self.package.number(c),))
            for c in self.below
        ]

    def check_noise(self) -> None:
        """Refuse caps that need more noise than Synth draws.

        Raises:
            LimitError: With the table and its cap.
        """
        columns = [
            LinkedMarginal(table=self.table, columns=((self.table, c),))
            for c in self.column_numbers
        ]
        try:
            for marginals, share in (
                (self._declared_numbers, "numbers"),
                (columns, "columns"),
            ):
                costs = self._by_size(self.shares[share], marginals)
                for marginal, cost in zip(marginals, costs, strict=True):
                    for law in CountLaw:
                        reach = replace(marginal, law=law).reach(self.package)
                        noise = draw_noise(self.account, cost, reach)
                        if noise.variance > limits.LINKED_NOISE**2:
                            raise ArgumentError("The noise is too loud for linked tables.")
        except ArgumentError:
            declared = self.package.tables[self.table]
            raise LimitError(
                f"Up to {declared.most:,} rows of one parent in '{declared.name}' need more "
                "noise than Synth draws at this budget; keep fewer rows (synth:maxRows), or "
                "spend more."
            ) from None

    def expect_error(self, here: BelievedRows) -> float:
        """Return its columns' mean total variation by roots, by noise alone."""
        marginals = [
            LinkedMarginal(table=self.table, columns=((self.table, c),))
            for c in self.column_numbers
        ]
        costs = self._by_size(self.shares["columns"], marginals)
        errors = [
            np.prod(marginal.shape(self.package))
            * size_noise(self.account, float(cost), 1)
            / (2 * max(here.roots, 1.0))
            for marginal, cost in zip(marginals, costs, strict=True)
        ]
        return min(1.0, float(np.mean(errors)))

    def measure(self, model: LinkedModel, numbers: dict[int, BelievedRows]) -> Strategy:
        """Measure the table, and add it to the model."""
        yield from self._counts(self._declared_numbers, self.shares["numbers"])
        columns = self._columns(numbers.get(self.table, BelievedRows.of_root(1.0)))
        yield from self._counts(columns, self.shares["columns"])
        if self.package.tables[self.table].parent is None:
            root_counts = [
                (m.values, m.mechanism)
                for repeated in self.measured.values()
                for m in repeated
            ]
            model.roots = max(1, round(estimate_roots(root_counts)[0]))
            numbers[self.table] = BelievedRows.of_root(model.roots)
        here = numbers[self.table]
        for child, marginal in zip(self.below, self._declared_numbers, strict=True):
            parents = repair_base(self.package, self.measured[marginal], here).values
            units = marginal.units(self.package)
            numbers[child] = BelievedRows.below(
                self.package, child, parents / units, above=here
            )
        bases = self._bases(here)
        self.roots = model.roots
        sample = model.try_out(bases)
        alike = yield from self._agreements(sample)
        links = yield from self._links(sample, here, alike)
        if not links:
            bases = self._bases(here)
        model.fit([*bases, *alike, *links])
        return model

    def _bases(self, here: BelievedRows) -> list[Target]:
        """Return the repaired counts of all columns measured so far."""
        return [
            repair_base(self.package, measurements, here)
            for measurements in self.measured.values()
        ]

    def _columns(self, here: BelievedRows) -> list[LinkedMarginal]:
        """Return the marginals of single columns, each under the law with less noise for its
        cost.
        """
        marginals = [
            LinkedMarginal(table=self.table, columns=((self.table, c),))
            for c in self.column_numbers
        ]
        costs = self._by_size(self.shares["columns"], marginals)
        return [
            self._by_law(marginal, here, cost, distance=LAWS_APART)
            for marginal, cost in zip(marginals, costs, strict=True)
        ]

    def _by_law(
        self, marginal: LinkedMarginal, here: BelievedRows, cost: Fraction, *, distance: float
    ) -> LinkedMarginal:
        """Return a marginal under the counting law with the smallest error at this cost.

        Args:
            here: What is believed of the table's rows, for the size of the errors.
            cost: The marginal's part of the budget, in epsilon or rho.
            distance: How far apart the laws of rows and of roots usually are: `LAWS_APART`
                for a column, `LINKS_APART` for a pair.
        """
        noise = size_noise(self.account, float(cost), 1)
        return choose_law(self.package, marginal, here, noise=noise, distance=distance)

    def _by_size(
        self, budget: Fraction, marginals: Sequence[LinkedMarginal]
    ) -> list[Fraction]:
        """Return the cost of each marginal: the budget, split by their numbers of cells.

        Larger ones get more, so that the sum of errors is the least (`Account.by_size`).
        """
        sizes = [int(np.prod(marginal.shape(self.package))) for marginal in marginals]
        return self.account.by_size(budget, sizes) if sizes else []

    def _counts(
        self, marginals: Sequence[LinkedMarginal], budget: Fraction
    ) -> Generator[LinkedRequest, Ints, None]:
        """Measure marginals, dividing a budget by their sizes, and keep the noisy counts."""
        for marginal, cost in zip(marginals, self._by_size(budget, marginals), strict=True):
            noise = draw_noise(self.account, cost, marginal.reach(self.package))
            values = yield LinkedRequest(
                marginals=(marginal,), guesses=(), noise=noise, cost=cost
            )
            self.measured.setdefault(marginal, []).append(
                NoisyLinked(marginal, values, noise)
            )

    def _candidates(self) -> Iterator[LinkedMarginal]:
        """Yield the marginals of two columns among which pairs are chosen.

        Pairs of columns that may be measured, by roots.
        """
        declared = self.package.tables[self.table]
        bands = [self.package.number(child)[1] + 1 for child in self.below]
        places_here = [(self.table, c) for c in (*self.column_numbers, *bands)]
        places_above = [
            (t, c)
            for t in self.package.lineage(self.table)[1:]
            for c in range(len(self.package.tables[t].domain.names))
        ]
        pairs: list[tuple[Place, Place]] = [*combinations(places_here, 2)]
        pairs += [(a, b) for a in places_above for b in places_here]
        if declared.parent is not None:
            parent, number = self.package.number(self.table)
            measured_columns = {m.columns for m in self.measured}
            pairs += [
                ((parent, number + 1), b) for b in places_here if (b,) in measured_columns
            ]
        yield from (LinkedMarginal(table=self.table, columns=pair) for pair in pairs)
        if declared.parent is None:
            return
        if declared.most > 1:
            for c in self.column_numbers:
                yield LinkedMarginal(
                    table=self.table, columns=((self.table, c),), others=((self.table, c),)
                )
        for sibling_table in self.package.children(declared.parent):
            if sibling_table < self.table:
                for a in range(len(self.package.tables[sibling_table].domain.names)):
                    for c in self.column_numbers:
                        yield LinkedMarginal(
                            table=sibling_table,
                            columns=((sibling_table, a),),
                            others=((self.table, c),),
                        )

    def _agreements(
        self, sample: LinkedCodes
    ) -> Generator[LinkedRequest, Ints, list[Target]]:
        """Measure how often siblings agree; return the repaired counts.

        How often two rows of one parent agree in each column, unless noise is loud.
        """
        budget = self.shares["agreements"]
        if not budget:
            return []
        marginals = [
            LinkedMarginal(
                table=self.table,
                columns=((self.table, c),),
                others=((self.table, c),),
                by_agreement=True,
            )
            for c in self.column_numbers
        ]
        roots = float(self._guess(sample, marginals[0]).sum())
        costs = self._by_size(budget, marginals)
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

    def _links(
        self, sample: LinkedCodes, here: BelievedRows, alike: Sequence[Target]
    ) -> Generator[LinkedRequest, Ints, list[Target]]:
        """Measure the pairs that are worth their cost; return the repaired counts.

        Worthwhile pairs, by their distances from a sample of the columns.
        """
        package = self.package
        account = self.account
        possible = [
            marginal
            for marginal in self._candidates()
            if np.prod(marginal.shape(package)) <= MOST_CELLS
        ]
        guesses = [self._guess(sample, marginal) for marginal in possible]
        chosen: dict[int, Fraction] = {}
        if possible:
            cost = self.shares["distances"]
            noise = account.distance_noise(cost, len(possible))
            flat = tuple(guess.ravel() for guess in guesses)
            noisy_distances = yield LinkedRequest(
                marginals=tuple(possible), guesses=flat, noise=noise, cost=cost
            )
            distances = shrink(noisy_distances.astype(np.float64), noise) / GRID
            chosen = choose_pairs(
                account, self.shares["pairs"], distances.tolist(), guesses=guesses
            )
            chosen = self._quiet(chosen, possible)
        if not chosen:
            budget = self.shares["pairs"] + (0 if possible else self.shares["distances"])
            yield from self._counts([*self.measured], budget)
            return []
        links = []
        for number, cost in chosen.items():
            marginal = self._by_law(possible[number], here, cost, distance=LINKS_APART)
            noise = draw_noise(account, cost, marginal.reach(package))
            values = yield LinkedRequest(
                marginals=(marginal,), guesses=(), noise=noise, cost=cost
            )
            noisy = NoisyLinked(marginal, values, noise)
            link = repair_link(package, noisy, self._guess(sample, marginal), numbers=here)
            agreed = [
                target for target in alike if target.marginal.columns == marginal.columns
            ]
            links.append(
                scale_agreement(link, agreed[0]) if marginal.others and agreed else link
            )
        return links

    def _quiet(
        self, chosen: dict[int, Fraction], possible: Sequence[LinkedMarginal]
    ) -> dict[int, Fraction]:
        """Return the chosen pairs without those that would be too noisy, by number.

        Pairs whose noise can be drawn under any law share the cost of the others.
        """
        least = limits.MAX_SCALE / 4
        quiet = {
            n: cost
            for n, cost in chosen.items()
            if size_noise(self.account, float(cost), possible[n].units(self.package)) < least
        }
        if not quiet or len(quiet) == len(chosen):
            return quiet
        costs = self.account.split(
            self.shares["pairs"], [float(cost) for cost in quiet.values()]
        )
        return dict(zip(quiet, costs, strict=True))

    def _guess(self, sample: LinkedCodes, marginal: LinkedMarginal) -> Floats:
        """Return the expected counts of a pair whose columns do not depend on each other.

        Roots by cell if the columns were independent, in the shape of a histogram.
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
        scale = sample.levels[0].rows * marginal.units(self.package)
        return np.asarray(expected * (self.roots / scale))
