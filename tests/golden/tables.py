"""Tables of nobody, the same wherever they are made, and what their columns may hold."""

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd

import synth


def people_frame(rows: int = 600, seed: int = 30) -> pd.DataFrame:
    """Families of one to three, with values that are missing and some that nobody declared.

    Args:
        rows: People.
        seed: Of Python's generator, which gives the same numbers in every version.
    """
    generator = random.Random(seed)
    return pd.DataFrame([_person(number, generator) for number in range(rows)])


def _person(number: int, generator: random.Random) -> dict[str, Any]:
    age = 18 + int(80 * generator.random() ** 1.4)
    sex = "F" if generator.random() < 0.5 + 0.2 * (age > 70) else "M"
    region = generator.choices(
        ["North", "South", "East", "West", "Moon"], [40, 25, 20, 14, 1]
    )[0]
    hours = 0 if age > 64 else round(generator.gauss(38 - 8 * (sex == "F"), 6))
    income = round(400 * max(0, hours) + 120 * age + generator.expovariate(1 / 4000), -2)
    start = 2020 + int(5 * generator.random())
    return {
        "person": number // 2 + (10_000 + number) * (generator.random() >= 0.8),
        "sex": sex,
        "age": age if generator.random() > 0.01 else 120,
        "region": region if generator.random() > 0.03 else None,
        "hours": hours,
        "income": income if generator.random() > 0.06 else None,
        "smoker": [None, "yes", "no"][generator.choices(range(3), [3, 30 - age // 4, 70])[0]],
        "since": f"{start}-{1 + int(12 * generator.random()):02}-15",
        "until": f"{min(2024, start + int(3 * generator.random()))}-12-{1 + number % 28:02}",
    }


def column_domains() -> dict[str, Any]:
    """What each column may hold."""
    days = ("2020-01-01", "2024-12-31")
    return {
        "sex": ["F", "M"],
        "age": synth.Integer(18, 97, bins=8),
        "region": synth.Categorical(
            ["North", "South", "East", "West"], missing=True, outside="cell"
        ),
        "hours": synth.Integer(0, 69, bins=7, spikes=[0], outside="nearest"),
        "income": synth.Number(
            0,
            60_000,
            edges=[0, 8_000, 14_000, 20_000, 30_000, 60_000],
            decimals=0,
            missing=True,
        ),
        "smoker": synth.Boolean(true_values=["yes"], false_values=["no"], missing=True),
        "since": synth.Date(*days, period="year"),
        "until": synth.Date(*days, period="year"),
    }


def declared_domain(*others: str) -> synth.Domain:
    """The declaration of all columns, and of some that follow from them."""
    derived = {
        "stage": synth.Derived(formula="bins(age, 30, 65)"),
        "wage": synth.Derived(formula="round(income / (hours + 1), 2)"),
        "coast": synth.Derived(
            lookup="region", table={"North": "sea", "South": "sea"}, default="land"
        ),
    }
    return synth.Domain(column_domains() | {name: derived[name] for name in others})


def long_domain() -> synth.Domain:
    """Long columns in order, of which neighbouring cells are alike."""
    return synth.Domain(
        age=synth.Integer(18, 97, bins=80),
        income=synth.Number(0, 60_000, bins=100, missing=True),
    )


def vast_domain() -> synth.Domain:
    """More cells than are listed one by one."""
    return synth.Domain(
        age=synth.Integer(18, 97, bins=80),
        hours=synth.Integer(0, 69, bins=70),
        income=synth.Number(0, 60_000, bins=60, missing=True),
        region=["North", "South", "East", "West"],
        sex=["F", "M"],
    )


SCHEMA = {
    "fields": [
        {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"]}},
        {
            "name": "age",
            "type": "integer",
            "constraints": {"minimum": 18, "maximum": 97},
            "synth:bins": 8,
        },
        {"name": "smoker", "type": "string", "constraints": {"enum": ["yes", "no"]}},
        {
            "name": "region",
            "type": "string",
            "constraints": {"enum": ["North", "South", "East", "West"]},
        },
    ]
}
"""What some of the columns may hold, as a file says it."""


def write_files(folder: Path, rows: int = 600) -> list[str]:
    """Write the table and its declaration; what a command is given to take them."""
    people_frame(rows).to_csv(folder / "people.csv", index=False)
    (folder / "domain.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    return [str(folder / "people.csv"), "--domain", str(folder / "domain.json")]
