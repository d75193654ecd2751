"""Fifty bundles of many shapes: `python -m tests.bundle.shapes FOLDER` writes them.

`tests/bundle/accepted.py` looks at what it is handed with other people's validators.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

import synth
from synth.domain import (
    Boolean,
    Categorical,
    Derived,
    Domain,
    Integer,
    Number,
    Outside,
    building,
)
from synth.estimate import Repair
from synth.plans import Method
from synth.privacy import Neighbors
from tests.bundle.asked import asked_of
from tests.bundle.bundles import ODD, make_bundle
from tests.tables import MIXED, ROWS

HOSTILE = Domain(
    (
        Categorical(
            name='\uff1dsum, "of"', categories=("=1+1", "a,b", 'q"q', "'x", "\u2212x")
        ),
        Integer(name="noisy_count", minimum=-5, maximum=5, missing=True),
    ),
    ("-9",),
)
DATES = Domain(
    day=building.Date("01.01.2020", "31.12.2020", format="%d.%m.%Y", period="week"),
    at=building.Date(
        "2020-01-01T00:00:00", "2020-01-02T00:00:00", time=True, bins=3, missing=True
    ),
    NA=building.Categorical(["NA", "no"], ordered=True),
    missing_values=("NA", ""),
)
OUTSIDE = Domain(
    (
        Number(name="x", minimum="-1.5", maximum="1e3", decimals=3, outside=Outside.CELL),
        Categorical(
            name="k", categories=("1", "2"), meanings={"1": "one"}, outside=Outside.CELL
        ),
        Boolean(name="b", true_values=("=1", "y"), false_values=("n",), outside=Outside.CELL),
        Integer(
            name="i",
            minimum=0,
            maximum=10**6,
            outside=Outside.CELL,
            missing=True,
            spikes=(1,),
        ),
    ),
    ("", "?"),
)
WIDE = Domain(tuple(replace(MIXED.columns[n % 5], name=f"c{n}") for n in range(12)), ("NA",))
FOLLOWING = Domain(
    age=Integer(name="age", minimum=18, maximum=97, bins=8, missing=True),
    group=Derived(formula="bins(age, 30, 65)"),
    old=Derived(formula="age >= 65"),
    half=Derived(formula="age / 2"),
    code=["=1", "2"],
    region=Derived(lookup="code", table={"=1": "-V", "2": "L, A"}),
)
LONE = Domain((Number(name="x", minimum="0", maximum="1", description="A share."),))

DOMAINS = {
    "mixed": MIXED,
    "following": FOLLOWING,
    "hostile": HOSTILE,
    "dates": DATES,
    "outside": OUTSIDE,
    "lone": LONE,
    "odd": replace(ODD, missing_values=("NA",)),
}
TREE = {"method": Method.TREE, "delta": Fraction(1, 10**9)}


def make_bundles(folder: Path) -> Iterator[Path]:
    """Make them, one after the other.

    A lone column's missing value is not written as nothing: Frictionless calls such rows
    blank."""
    kinds: list[dict[str, Any]] = [{"neighbors": n} for n in Neighbors]
    kinds += [
        {"repair": Repair.NONE},
        {"epsilon": Fraction(1, 100)},
        {"size": 0},
        {"size": 3000},
    ]
    kinds += [{"epsilon": Fraction(7), "repair": Repair.POOLED}, TREE]
    for (name, domain), (number, options) in product(DOMAINS.items(), enumerate(kinds)):
        if not (options is TREE and len(domain.columns) == 1):
            arguments = {**options}
            rows = rows_of(domain) * (arguments.pop("size", 300) // 300)
            yield make_bundle(
                folder,
                f"{name}-{number}",
                rows or rows_of(domain)[:1],
                domain=domain,
                **arguments,
            )
    for number, method in enumerate((Method.TREE, Method.AUTO)):
        options = {"method": method, "delta": Fraction(1, 10**9)}
        yield make_bundle(folder, f"wide-{number}", rows_of(WIDE), domain=WIDE, **options)
    yield make_bundle(folder, "long", ROWS * 3000)
    yield from make_guessed_bundles(folder)
    for number, questions in enumerate(
        ((), ("table job",), ("mean age by sex", "median age"))
    ):
        (folder / str(number)).mkdir()
        answers, _ = asked_of(folder / str(number), *questions)
        yield answers.write_archive(folder / f"answers-{number}.zip")


def make_guessed_bundles(folder: Path) -> Iterator[Path]:
    """Releases with derived columns whose guess is a public table."""
    frame = pa.table({"age": [20, 40, 60, 80] * 75, "code": ["=1", "2", "2"] * 100})
    for number, delta in enumerate(("0", "1e-9")):
        release = synth.release(
            frame,
            FOLLOWING,
            epsilon=2,
            delta=delta,
            public=frame[:200],
            vouched_by="The Office",
        )
        yield release.save(folder / f"guessed-{number}.zip")


def rows_of(domain: Domain) -> list[list[str]]:
    """Rows whose cells hold some of the labels, and some of nothing."""
    cells = [
        [*column.declared_texts, "1", "40.5", "", "2020-05-05"] for column in domain.columns
    ]
    return [[row[n % len(row)] for row in cells] for n in range(300)]


if __name__ == "__main__":
    for path in make_bundles(Path(sys.argv[1])):
        print(path)
