"""What a derived column gains over a measured one: Adult with an age group; needs shared
tables.

    PYTHONPATH=. python tests/bench/bench_derived.py [RELEASES]

The age group is cut where bins of the age begin. Errors are total variations, means of
releases by `auto` at epsilon 1: of the pair of age and age group, and of all pairs of the
other columns."""

import sys
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa

from synth.domain import Categorical, Derived, Domain, read_schema
from synth.plans import Plan
from synth.private.comparison import Compared, compare_derived, compare_tables
from synth.private.table import open_any
from synth.rows import with_derived
from synth.spending import synthesize
from tests.tables import SHARED

DECLARED, TABLE = "adult/domain.schema.json", "adult/adult_train.csv"
CUTS = (30, 45, 60)


def real_rows() -> tuple[Domain, pa.Table, list[str]]:
    """The declared columns, the rows, and the names of the age groups, which the rows
    have.
    """
    import pandas as pd

    domain = read_schema(SHARED / DECLARED)
    table = pa.Table.from_pandas(pd.read_csv(SHARED / TABLE, dtype=str), preserve_index=False)
    rule = Derived(
        formula=f"bins(age, {', '.join(map(str, CUTS))})", name="age_group", place=99
    )
    both = Domain((domain["age"],), domain.missing_values, derived=[rule])
    ages = pa.table({"age": table["age"].cast(pa.int64())})
    group = with_derived(both, ages)["age_group"].cast(pa.string())
    return (
        domain,
        table.append_column("age_group", group),
        list(both.derived[0].expected.texts),
    )


def error_of_other_pairs(compared: Compared) -> float:
    """Mean error of the pairs without the age group."""
    names = [name for name in compared.domain.names if name != "age_group"]
    return float(
        np.mean([compared.errors.two_way.by_table[pair] for pair in combinations(names, 2)])
    )


def share_inconsistent(compared: Compared, labels: list[str]) -> float:
    """Share of synthetic rows whose age group is not that of their age."""
    rows = compared.result.synthetic.table
    ages = np.array(rows["age"].to_pylist(), dtype=float)
    group_codes = np.array([labels.index(text) for text in rows["age_group"].to_pylist()])
    return float((np.searchsorted(CUTS, ages, "right") != group_codes).mean())


def main() -> None:
    if not SHARED.is_dir():
        print("bench_derived: the shared tables are not here, so nothing was measured.")
        return
    domain, table, labels = real_rows()
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    measured = Domain(
        (*domain.columns, Categorical(name="age_group", categories=tuple(labels))),
        domain.missing_values,
    )
    rule = Derived(
        formula=f"bins(age, {', '.join(map(str, CUTS))})", name="age_group", place=99
    )
    derived = Domain(domain.columns, domain.missing_values, derived=[rule])
    for kind, declared in (("measured", measured), ("derived", derived)):
        errors = []
        for _ in range(times):
            compared = compare_tables(
                open_any(table), synthesize(Plan(domain=declared, epsilon=Fraction(1)), table)
            )
            pair = compared.errors.two_way.by_table.get(("age", "age_group"))
            if pair is None:
                pair = compare_derived(compared)[0].pairs["age"]
            age_error = compared.errors.one_way.by_table[("age",)]
            errors.append(
                (
                    pair,
                    age_error,
                    share_inconsistent(compared, labels),
                    error_of_other_pairs(compared),
                )
            )
        pair, age_error, wrong, other_pairs = np.mean(errors, axis=0)
        print(
            f"{kind:9} age by age group {pair:.4f} (age alone {age_error:.4f}), rows that "
            f"contradict themselves {100 * wrong:.1f} %, pairs of the other columns "
            f"{other_pairs:.4f}"
        )


if __name__ == "__main__":
    main()
