"""Tables, questions and releases for the coverage of conclusions.

A case is a table, a method, an epsilon and a relation; a release of it is made once and answers all
kinds of questions. Truths are counted in the table's values with pandas, apart from the package.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from synth.arrays import Ints
from synth.bundle.result import Result
from synth.counting.counts import count
from synth.domain.bins import Binned
from synth.domain.domain import Domain
from synth.domain.table_schema import read_schema
from synth.lessons.survey import survey_domain, write_example
from synth.noise.laplace import DiscreteLaplace
from synth.noisy.counts import NoisyCounts
from synth.pipeline import synthesize
from synth.plan import Method, Plan
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.repair.histogram import Repair, repair
from synth.repair.record import HistogramRecord
from synth.table.private_table import open_table

SHARED = Path(__file__).parents[2] / ".." / "shared" / "data"
EPSILONS = ("0.3", "1", "5")


@dataclass(frozen=True)
class Case:
    """What is released, and how."""

    table: str
    epsilon: str
    neighbors: Neighbors

    def __str__(self) -> str:
        return f"{self.table}, epsilon {self.epsilon}, {self.neighbors.value}"

    @cached_property
    def plan(self) -> Plan:
        """Of a release."""
        method = Method.AUTO if self.table == "adult14" else Method.DENSE
        return Plan(
            source(self.table).domain, Fraction(self.epsilon), self.neighbors, method=method
        )

    def release(self) -> Result:
        """Made once more."""
        return synthesize(self.plan, source(self.table).path)

    @cached_property
    def counts(self) -> Ints:
        """The exact rows by cell."""
        table = source(self.table)
        return count(open_table(table.path), table.domain).dense()

    def quick(self) -> HistogramRecord:
        """Noisy counts alone, with the law that a release would have."""
        domain, scale = self.plan.domain, self.neighbors.sensitivity / Fraction(self.epsilon)
        noisy = self.counts + np.asarray(DiscreteLaplace(scale).draw(domain.size))
        rows = int(self.counts.sum()) if self.neighbors is Neighbors.REPLACE_ONE else None
        paid = Guarantee.pure(Fraction(self.epsilon))
        made = NoisyCounts(domain, noisy, scale, self.neighbors, paid, rows)
        return HistogramRecord(made, repair(made, Repair.CLAMP))


def cases(tables: list[str]) -> Iterator[Case]:
    """All cases of some tables."""
    for name, epsilon, neighbors in product(tables, EPSILONS, Neighbors):
        yield Case(name, epsilon, neighbors)


@dataclass(frozen=True, eq=False)
class Table:
    """A table with its declaration, and its values as pandas reads them."""

    path: Path
    domain: Domain
    frame: pd.DataFrame


@cache
def source(name: str) -> Table:
    """A table by name: survey, adult5, adult14."""
    if name == "survey":
        folder = Path("/tmp/synth-coverage")
        folder.mkdir(exist_ok=True)
        path, _ = write_example(folder)
        domain = survey_domain().project(
            ("age", "sex", "education", "employment", "household_size")
        )
    else:
        path = SHARED / "adult/adult_train.csv"
        schema = "domain_5col.schema.json" if name == "adult5" else "domain.schema.json"
        domain = read_schema((SHARED / "adult" / schema).read_bytes())
        if name == "adult14":
            domain = domain.project([n for n in domain.names if n != "fnlwgt"])
    frame = pd.read_csv(path, skipinitialspace=True, na_values=["?"], keep_default_na=True)
    return Table(path, domain, frame[list(domain.names)])


Truth = Callable[[pd.DataFrame], pd.Series]
"""Which rows meet a condition."""


def conditions(domain: Domain, name: str, rng: np.random.Generator) -> tuple[str, Truth]:
    """A condition on one column, along its cells, as text and in pandas."""
    column = domain[name]
    quoted = f'"{name}"'
    if isinstance(column, Binned):
        first, last = column.end_codes
        lows = [float(one) for one in column.extent[0]][first : last + 1]
        if len(lows) < 2:
            return f"{quoted} >= {lows[0]:g}", lambda frame: frame[name] >= lows[0]
        edge = float(lows[int(rng.integers(1, len(lows)))])
        low, high = float(column.bounds[0]), float(column.bounds[1])
        if rng.random() < 0.5:
            return (
                f"{quoted} >= {edge:g}",
                lambda frame: frame[name].clip(low, high) >= edge,
            )
        return f"{quoted} < {edge:g}", lambda frame: frame[name].clip(low, high) < edge
    labels = [label for label in column.labels]
    many = int(rng.integers(1, max(2, len(labels) // 2 + 1)))
    some = [str(one) for one in rng.choice(labels, many, replace=False)]
    listed = ", ".join(f"'{one}'" for one in some)
    return f"{quoted} in ({listed})", lambda frame: frame[name].astype(str).isin(some)


def conjunction(domain: Domain, names: list[str], rng: np.random.Generator) -> tuple[str, Truth]:
    """Conditions on several columns at once."""
    found = [conditions(domain, name, rng) for name in names]
    text = " and ".join(one for one, _ in found)
    return text, lambda frame: np.logical_and.reduce([one(frame) for _, one in found])
