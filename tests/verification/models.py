"""Bundles of models that several tests make and tamper with."""

import io
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from synth.bundle import guarded_table
from synth.domain import Domain
from synth.domain.building import Categorical, Integer, Number
from synth.plans import Method, Plan
from synth.rows import write_csv
from synth.spending import synthesize
from tests.bundle.bundles import replace_signed
from tests.ledger.ledgers import ledger_with_budget
from tests.tables import write

DELTA = Fraction(1, 10**9)

DOMAIN = Domain(
    kin=["head", "child", "=aunt"],
    marital=Categorical(["never", "married", "widowed"], missing=True),
    age=Integer(0, 99, bins=10),
    income=Number(0, 1000, bins=8),
)

RULES = {"impossible": [{"kin": ["child"], "marital": ["married", "widowed"]}]}


def write_table(folder: Path, count: int = 3_000) -> Path:
    generator = np.random.default_rng(4)
    kin = generator.choice(["head", "child", "=aunt"], count)
    marital = np.where(
        kin == "child", "never", generator.choice(["married", "widowed"], count)
    )
    age = np.where(kin == "child", 5, 50) + generator.integers(0, 12, count)
    people = np.arange(count) // 3
    rows = zip(kin, marital, age, generator.integers(0, 1000, count), people, strict=True)
    header = [*DOMAIN.names, "pid"]
    return write(folder / "t.csv", header, [[str(cell) for cell in r] for r in rows])


def make_bundle(folder: Path, **options: Any) -> Path:
    """A bundle with its ledger."""
    budget = options.pop("budget", "epsilon=20,delta=1e-6")
    arguments = {"domain": DOMAIN, "epsilon": Fraction(10), "method": Method.DENSE, **options}
    plan = Plan(**arguments, dataset="survey")
    ledger = ledger_with_budget(folder / "b.db", budget, "survey", plan.neighbors)
    result = synthesize(plan, write_table(folder), ledger=ledger)
    return result.write_archive(folder / "b.zip", ledger)


def with_table(files: dict[str, bytes], change: Any) -> Any:
    """Change the rows in the Parquet file alone."""
    table = change(pq.read_table(io.BytesIO(files["synthetic.parquet"])))
    out = io.BytesIO()
    pq.write_table(table, out)
    replace_signed(files, "synthetic.parquet", out.getvalue())
    return table


def edit_counts(change: Any) -> Any:
    """Change the lines of noisy counts."""

    def edit(files: dict[str, bytes]) -> None:
        lines = files["noisy_counts.csv"].splitlines(keepends=True)
        replace_signed(files, "noisy_counts.csv", b"".join(change(lines)))

    return edit


def edit_rows(change: Any) -> Any:
    """Change the rows in both files."""

    def edit(files: dict[str, bytes]) -> None:
        table = with_table(files, change)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "synthetic.csv"
            write_csv([guarded_table(table)], path)
            replace_signed(files, "synthetic.csv", path.read_bytes())

    return edit
