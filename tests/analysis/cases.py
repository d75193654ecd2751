"""Tables and releases for the coverage of conclusions.

A case is a table, an epsilon, a relation, and whom questions are about. The rows are counted
once and released again and again, in this process and without files: all that a release does
besides, from its door to its rows, is done each time. About people, the table itself is drawn
anew from the rows that are there, which then are the population."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

from synth.analysis import About
from synth.bundle import Result
from synth.domain import Domain, read_schema
from synth.estimate import LargeRows
from synth.lessons import survey_domain, write_example
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.private.counting import Counts, count
from synth.private.counting.counts import CodedRows
from synth.private.table import open_table
from synth.spending import synthesize
from tests.counting.coding import coded
from tests.tables import SHARED

TABLES = ("survey", "adult5", "adult14")
EPSILONS = ("0.3", "1", "5")


@dataclass(frozen=True, eq=False)
class Table:
    """A table with its declaration, and its values as pandas reads them."""

    path: Path
    domain: Domain
    frame: pd.DataFrame


@dataclass(frozen=True)
class Case:
    """What is released, how, and whom questions are about."""

    table: str
    epsilon: str
    neighbors: Neighbors
    about: About = About.ROWS

    def __str__(self) -> str:
        people = ", people" if self.about is About.PEOPLE else ""
        return f"{self.table}, epsilon {self.epsilon}, {self.neighbors.value}{people}"

    @property
    def is_model(self) -> bool:
        """Whether marginals are measured, and rows are settled on them."""
        return self.table == "adult14"

    @cached_property
    def plan(self) -> Plan:
        """Of a release."""
        method = Method.AUTO if self.is_model else Method.DENSE
        return Plan(
            domain=source(self.table).domain,
            epsilon=Fraction(self.epsilon),
            neighbors=self.neighbors,
            method=method,
        )

    def release(self, rng: np.random.Generator, *, settled: bool = True) -> Result:
        """Made once more.

        Args:
            rng: Draws the table from its population.
            settled: Whether the rows of a model are settled on what was measured. That takes
                most of the time, and no interval rests on rows.
        """
        population = counted(self.table)
        sampled = self.about is About.PEOPLE
        rows = _sample(population, rng) if sampled else population
        with ExitStack() as patched:
            read = "count_and_add" if isinstance(rows, Counts) else "read_rows"
            patched.enter_context(
                patch(f"synth.spending.pipeline.{read}", lambda *_, **__: (rows, None))
            )
            if not settled:
                patched.enter_context(patch.object(LargeRows, "settle", lambda *_: None))
            return synthesize(self.plan, source(self.table).path)


def _sample(population: Counts | CodedRows, rng: np.random.Generator) -> Counts | CodedRows:
    """As many rows, drawn at random from the population that the rows are taken for."""
    if isinstance(population, CodedRows):
        chosen = rng.integers(population.rows, size=population.rows)
        return replace(population, codes=[column[chosen] for column in population.codes])
    counts = rng.multinomial(population.rows, population.counts / population.counts.sum())
    is_occupied = counts > 0
    return replace(
        population, cells=population.cells[is_occupied], counts=counts[is_occupied]
    )


def cases(tables: list[str], about: About = About.ROWS) -> Iterator[Case]:
    """All cases of some tables."""
    for name, epsilon, neighbors in product(tables, EPSILONS, Neighbors):
        yield Case(name, epsilon, neighbors, about)


@cache
def counted(name: str) -> Counts | CodedRows:
    """The rows of a table: by cell, or, for a model, as codes."""
    table = source(name)
    opened = open_table(table.path)
    return (coded if name == "adult14" else count)(opened, table.domain)


@cache
def source(name: str) -> Table:
    """A table by name: survey, adult5, adult14."""
    if name == "survey":
        # A folder of its own, so that no other run writes the file anew while this one reads
        # it.
        path, _ = write_example(tempfile.mkdtemp(prefix="synth-survey-"))
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
    return Table(path, domain, plain_values(frame[list(domain.names)], domain))


def plain_values(frame: pd.DataFrame, domain: Domain) -> pd.DataFrame:
    """Values as pandas compares them fastest: numbers within their bounds, texts as
    categories.
    """
    values_by_name = {}
    for column in domain.columns:
        values = frame[column.name]
        if (bounds := getattr(column, "bounds", None)) is not None:
            values_by_name[column.name] = values.astype(float).clip(*map(float, bounds))
        else:
            is_coded = isinstance(values.dtype, pd.CategoricalDtype)
            values_by_name[column.name] = (
                values if is_coded else values.astype(object).astype("category")
            )
    return pd.DataFrame(values_by_name)


Measure = Callable[[pd.DataFrame], tuple[np.ndarray, np.ndarray]]
"""Numbers of a frame, and the standard errors that rows alone would give them."""
