"""A tiny package of depth 3 with siblings, and linked tables at random. No test is in
here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pyarrow as pa

from synth.domain import LinkedPackage, read_package
from synth.linked import CountLaw, LinkedMarginal


def _field(name: str, kind: str = "integer") -> dict[str, Any]:
    return {"name": name, "type": kind}


def _listed(name: str, cells: str = "01") -> dict[str, Any]:
    return {
        "name": name,
        "type": "string",
        "constraints": {"enum": [*cells], "required": True},
        "synth:outside": "drop",
    }


def _link(table: str, *names: str) -> dict[str, Any]:
    return {"fields": [*names], "reference": {"resource": table, "fields": [*names]}}


DOCUMENT: dict[str, Any] = {
    "name": "households",
    "resources": [
        {
            "name": "homes",
            "path": "homes.csv",
            "schema": {"primaryKey": "h", "fields": [_field("h"), _listed("a")]},
        },
        {
            "name": "persons",
            "path": "persons.csv",
            "synth:maxRows": 2,
            "schema": {
                "primaryKey": ["h", "p"],
                "fields": [_field("h"), _field("p"), _listed("b")],
                "foreignKeys": [_link("homes", "h")],
            },
        },
        {
            "name": "events",
            "path": "events.csv",
            "synth:maxRows": 2,
            "schema": {
                "fields": [_field("h"), _field("p"), _listed("c")],
                "foreignKeys": [_link("persons", "h", "p")],
            },
        },
        {
            "name": "cars",
            "path": "cars.csv",
            "synth:maxRows": 4,
            "synth:keep": "first",
            "synth:order": "d",
            "schema": {
                "fields": [_field("h"), _listed("d")],
                "foreignKeys": [_link("homes", "h")],
            },
        },
    ],
}


HOMES, PERSONS, CARS, EVENTS = range(4)
"""The numbers of the tables; (CARS, 0) is the first column of cars."""


def households() -> LinkedPackage:
    """Homes, their persons and cars, and the events of persons: in the order homes, persons,
    cars, events."""
    return read_package(DOCUMENT)


def marginals(package: LinkedPackage) -> list[LinkedMarginal]:
    """Histograms of every kind and law."""
    homes, persons, cars, events = range(4)
    band_p, band_c = (
        (table, column + 1)
        for table, column in (package.number(persons), package.number(cars))
    )
    marginals_of_all = [
        LinkedMarginal(table=homes, columns=((homes, 0),)),
        LinkedMarginal(table=homes, columns=(package.number(persons),)),
        LinkedMarginal(table=homes, columns=((homes, 0), band_c)),
        LinkedMarginal(table=persons, columns=(package.number(events),)),
        LinkedMarginal(table=persons, columns=(band_p, (persons, 0)), law=CountLaw.BANDS),
        LinkedMarginal(table=cars, columns=(band_c, (cars, 0)), law=CountLaw.BANDS),
        LinkedMarginal(table=cars, columns=((cars, 0),), others=((cars, 0),)),
        LinkedMarginal(
            table=cars, columns=((cars, 0),), others=((cars, 0),), by_agreement=True
        ),
        LinkedMarginal(table=events, columns=((events, 0),), others=((events, 0),)),
        LinkedMarginal(table=persons, columns=((persons, 0),), others=((cars, 0),)),
    ]
    for table in (persons, cars, events):
        for law in (CountLaw.ROOTS, CountLaw.ROWS):
            marginals_of_all.append(
                LinkedMarginal(table=table, columns=((homes, 0), (table, 0)), law=law)
            )
    return marginals_of_all


@dataclass
class Files:
    """Rows of files, in order: keys and values as texts."""

    rows: dict[str, list[tuple[str, ...]]] = field(
        default_factory=lambda: {"homes": [], "persons": [], "events": [], "cars": []}
    )

    def tables(self) -> dict[str, pa.Table]:
        """As tables in memory."""
        names = {"homes": "ha", "persons": "hpb", "events": "hpc", "cars": "hd"}
        return {
            table: pa.table(
                {
                    name: pa.array([row[i] for row in self.rows[table]], pa.string())
                    for i, name in enumerate(columns)
                }
            )
            for table, columns in names.items()
        }

    def without(self, key: str) -> "Files":
        """All rows but those that carry a key."""
        rows_of_others = {
            name: [r for r in rows if r[0] != key] for name, rows in self.rows.items()
        }
        return Files(rows_of_others)

    def add(self, added: "Files", random: Random) -> "Files":
        """These rows and others, each file in a new order."""
        rows_of_both = {}
        for name, rows in self.rows.items():
            rows_of_both[name] = [*rows, *added.rows[name]]
            random.shuffle(rows_of_both[name])
        return Files(rows_of_both)


def root_at_random(key: str, random: Random) -> Files:
    """All that carries one key: several root rows, or none; orphans, repeats and odd
    values.
    """
    files = Files()

    def cell() -> str:
        return random.choice("00011x")

    for _ in range(random.choice((0, 1, 1, 1, 2))):
        files.rows["homes"].append((key, cell()))
    for _ in range(random.randrange(5)):
        files.rows["persons"].append((key, random.choice("123"), cell()))
    for _ in range(random.randrange(12)):
        files.rows["events"].append((key, random.choice("1123"), cell()))
    for _ in range(random.randrange(8)):
        files.rows["cars"].append((key, cell()))
    return files


def files_at_random(random: Random, keys: Sequence[str] = "ABC") -> Files:
    """Several roots, rows without a key, and children of nobody."""
    files = Files()
    for key in keys:
        files = files.add(root_at_random(key, random), random)
    files.rows["events"].append(("Z", "1", "0"))
    return files.add(root_at_random("", random), random)


def tallies(tables: Mapping[str, pa.Table]) -> list[list[int]]:
    """All histograms of tables in memory, exact."""
    from synth.private.counting import ENGINES, Engine, settle_tables
    from synth.private.table import open_any

    package = households()
    open_tables = {name: open_any(table) for name, table in tables.items()}
    rows = settle_tables(package, open_tables, ENGINES[Engine.DUCKDB].link)
    return [rows.tally(marginal).tolist() for marginal in marginals(package)]
