"""Errors of what a user gets by default, on two public tables, beside peers: README's table.

    PYTHONPATH=. python tests/bench/bench_defaults.py [--tables ma2019] [--epsilons 1]
        [--releases 5] [--results FILE]

Each release is one call of `synth.release` with a path, a description and epsilon, and with
no other choice: no delta, and a guarantee for replacing a row. A second setting has the
guarantee of the peers: adding or removing a row, with a delta of one in a billion. The error
is the share of rows in the wrong place (total variation), a mean over all pairs of columns
and over the releases. The results and the numbers of the peers go to `defaults.json`, to
which `tests/house/test_figures.py` holds the README. The tables are shared ones, not part of
the repository."""

import argparse
import json
import tempfile
import time
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import synth
from synth.domain import Domain, read_schema
from synth.private.table import open_table
from tests.bench import tables
from tests.bench.utility import Codes, table_error
from tests.counting.coding import coded
from tests.tables import SHARED

RESULTS = Path(__file__).with_name("defaults.json")
DEFAULT = "Synth, by default"
AS_PEERS = "Synth, add-remove, delta 1e-9"
SETTINGS: Mapping[str, Mapping[str, str]] = {
    DEFAULT: {},
    AS_PEERS: {"neighbors": "add-remove", "delta": "1e-9"},
}
"""The arguments of `synth.release` besides epsilon."""
EPSILONS = ("0.1", "1", "10")
TABLES: Mapping[str, str] = {
    "ma2019": "sdnist_ma/ma2019.csv",
    "adult": "adult/adult_coded.csv",
}
"""The shared files."""
PEERS = {
    "MST": {
        "ma2019": {"0.1": 0.181, "1": 0.0501, "10": 0.0267},
        "adult": {"0.1": 0.148, "1": 0.0527, "10": 0.0409},
    },
    "AIM": {
        "ma2019": {"0.1": 0.173, "1": 0.0427, "10": 0.0155},
        "adult": {"1": 0.0442},
    },
}
PEERS_SOURCE = (
    "The authors' code (github.com/ryan112358/private-pgm), measured in November 2026 with "
    "the same tables, cells and error, for add-remove and delta 1e-9, as "
    "tests/bench/utility.py records. AIM was not measured on Adult at epsilon 0.1 and 10, "
    "because a run takes hours."
)


def describe_table(name: str) -> Domain:
    """Return the description of a shared table."""
    if name == "adult":
        return tables.adult_domain()
    return read_schema(SHARED / "sdnist_ma/domain_10col.schema.json")


def read_codes(path: Path, domain: Domain) -> Codes:
    """Return the number of each row's cell, column by column."""
    return coded(open_table(path), domain).codes


def measure_error(name: str, epsilon: str, setting: str) -> tuple[float, float]:
    """Release a table once; return the mean error of its pairs, and seconds of processor."""
    path, domain = SHARED / TABLES[name], describe_table(name)
    start = time.process_time()
    made = synth.release(path, domain, epsilon=epsilon, ledger=False, **SETTINGS[setting])
    seconds = time.process_time() - start

    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "drawn.csv"
        made.table.to_csv(drawn, index=False)
        synthetic = read_codes(drawn, domain)
    return table_error(read_codes(path, domain), synthetic, domain.shape, 2), seconds


def measure_table(name: str, epsilons: list[str], releases: int) -> dict[str, Any]:
    """Return the size of a table, and the mean errors of releases by setting and epsilon."""
    domain = describe_table(name)
    measured: dict[str, Any] = {
        "rows": len(read_codes(SHARED / TABLES[name], domain)[0]),
        "columns": len(domain.shape),
        "pairs": len(list(combinations(domain.shape, 2))),
    }
    for setting in SETTINGS:
        errors = {}
        for epsilon in epsilons:
            drawn = [measure_error(name, epsilon, setting) for _ in range(releases)]
            errors[epsilon] = {
                "error": round(mean(error for error, _ in drawn), 5),
                "of each release": [round(error, 5) for error, _ in drawn],
                "processor seconds": round(mean(seconds for _, seconds in drawn), 1),
            }
            print(f"{name:7} {epsilon:>4}  {setting:30} {errors[epsilon]['error']:.4f}")
        measured[setting] = errors
    return measured


def main() -> None:
    """Measure, and write the file of results."""
    parser = argparse.ArgumentParser(description="Errors of releases by default.")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--epsilons", default=",".join(EPSILONS))
    parser.add_argument("--releases", type=int, default=5)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    results = {
        "version": synth.__version__,
        "releases": options.releases,
        "error": "share of rows in the wrong place, mean over all pairs of columns",
        "tables": {
            name: measure_table(name, options.epsilons.split(","), options.releases)
            for name in options.tables.split(",")
        },
        "peers": PEERS,
        "source of the peers' numbers": PEERS_SOURCE,
    }
    options.results.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
