"""Errors before and after a change, case by case under the same noise: minutes, not hours.

    PYTHONPATH=. python tests/bench/paired.py --run before.jsonl     # in the one tree
    PYTHONPATH=. python tests/bench/paired.py --run after.jsonl      # in the other
    PYTHONPATH=. python tests/bench/paired.py --compare before.jsonl after.jsonl

The tables are some of `tests.bench.tables`, at most `ROWS` rows of each, and with
``--guesses`` those of `tests.bench.guesses`; with ``--folder`` all CSV files of a folder, cut
as those without a declaration. Every release draws known bytes for noise
(`tests.golden.same.fixed`). So a change that does not reach a case leaves it equal to the
digit, and the others differ by less than chance."""

import argparse
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import geometric_mean, mean, stdev
from typing import Any

import numpy as np

from synth.forecasts import outlook
from synth.private.counting.counts import CodedRows
from tests.bench import guesses, tables
from tests.bench.utility import LEVEL, WITH, Case, Codes, Table, _plan, measure_release
from tests.golden.same import fixed_noise

ROWS = 6_000
"""Most rows of a table; fewer rows show at epsilon 1 what more show at .1."""
NAMES = ("adult", "ma2019", "fulton", "taxis", "pums", "seven", "loose")
EPSILONS = ("0.1", "0.3", "1", "3")
GUESSED = ("ma", "adult", "fulton", "lahman")
"""Tables with guesses; of all but ``ma`` three quarters are released, around the fourth."""
KINDS = ("right", "old", "part", "unlinked", "reversed")


def sample_rows(rows: CodedRows) -> CodedRows:
    """A part of a table at random, the same each time."""
    order = np.random.default_rng(3).permutation(len(rows.codes[0]))[:ROWS]
    return CodedRows(
        domain=rows.domain,
        codes=[np.asarray(column)[order] for column in rows.codes],
        rows=len(order),
    )


def load(name: str, folder: Path | None, *, guessed: bool = False) -> Table:
    """A table by its name, with guesses if they are wanted."""
    if name == "ma":
        pair = guesses.load_years()
        return Table(pair.rows, _known(pair.rows, pair.guesses))
    rows = tables.TABLES[name]() if folder is None else _cut(folder / f"{name}.csv")
    if not guessed:
        return Table(sample_rows(rows), {})
    order = np.random.default_rng(15).permutation(len(rows.codes[0]))
    real_half, guess_half = np.split(order, [3 * len(order) // 4])
    real_codes, guess_codes = (
        [np.asarray(column)[part] for column in rows.codes]
        for part in (real_half, guess_half)
    )
    drifted = {
        "right": guess_codes,
        "old": guesses._drifted(guess_codes),
        **guesses._wrong(guess_codes),
    }
    return Table(
        CodedRows(domain=rows.domain, codes=real_codes, rows=len(real_half)),
        _known(rows, drifted),
    )


def _known(rows: CodedRows, guesses_by_kind: dict[str, guesses.Columns]) -> dict[str, Codes]:
    """Guesses, and one whose columns run backwards."""
    best = guesses_by_kind.get("right") or guesses_by_kind["old"]
    back = [size - 1 - column for size, column in zip(rows.domain.shape, best, strict=True)]
    return {**guesses_by_kind, "reversed": back}


def _cut(path: Path) -> CodedRows:
    """A table of a folder without the column that numbers its rows."""
    return tables.cut(str(path), without=["Unnamed: 0"])


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """All cases of a run, table by table."""
    accounts = [name == "delta" for name in options.accounts.split(",")]
    folder, table_names = options.folder, options.tables
    names = sorted(p.stem for p in folder.glob("*.csv")) if folder else table_names.split(",")
    methods = options.methods.split(",")
    if options.guesses:
        methods = ["auto", *(WITH + kind for kind in options.kinds.split(","))]
    for name, epsilon, delta, method in product(
        names, options.epsilons.split(","), accounts, methods
    ):
        if not (name == "ma" and method == WITH + "right"):
            yield Case(name, method, epsilon, delta, "add-remove")


def run(options: argparse.Namespace) -> None:
    """Release what the file lacks, a line each."""
    path: Path = options.run
    lines = path.read_text().splitlines() if path.is_file() else []
    done = {
        (*map(str, (r["table"], r["method"], r["epsilon"], r["delta"])), r["release"])
        for r in map(json.loads, lines)
    }
    loaded: tuple[str, Table] | None = None
    for case in cases(options):
        for release in range(options.releases):
            if (*map(str, case[:4]), release) in done:
                continue
            if loaded is None or loaded[0] != case.table:
                loaded = case.table, load(case.table, options.folder, guessed=options.guesses)
            outcome = _released(case, loaded[1], release)
            with path.open("a") as file:
                file.write(json.dumps({**outcome, "release": release}) + "\n")


def _released(case: Case, table: Table, release: int) -> dict[str, Any]:
    """One release under known noise, and what was forecast of it."""
    noise = (*case._replace(method=""), release)
    with fixed_noise(f"{noise}"):
        outcome = measure_release(case, table)
    forecast = outlook(_plan(case, table.rows), table.rows.rows)
    return {**outcome, "forecast": [str(forecast.method), *forecast.pairs]}


def read(path: Path) -> dict[Case, list[dict[str, Any]]]:
    """The releases of a file by case."""
    releases_by_case: dict[Case, list[dict[str, Any]]] = {}
    for line in map(json.loads, path.read_text().splitlines()):
        releases_by_case.setdefault(Case(*[line[name] for name in Case._fields]), []).append(
            line
        )
    return releases_by_case


def compare(before: Path, after: Path) -> None:
    """The ratio of mean pair errors of every case that is in both, and their mean."""
    old, new, ratios = read(before), read(after), {}
    for case in old.keys() & new.keys():
        pairs_of_errors = list(
            zip(
                *[[max(r["pairs"], LEVEL) for r in side[case]] for side in (old, new)],
                strict=False,
            )
        )
        ratio = mean(new_error for _, new_error in pairs_of_errors) / mean(
            old_error for old_error, _ in pairs_of_errors
        )
        differences = [new_error - old_error for old_error, new_error in pairs_of_errors]
        unsure = (
            stdev(differences)
            / len(differences) ** 0.5
            / mean(old_error for old_error, _ in pairs_of_errors)
            if differences[1:]
            else 1.0
        )
        ratios[case] = ratio, unsure
    for case, (ratio, unsure) in sorted(ratios.items(), key=lambda item: item[1]):
        if abs(ratio - 1) > 0.005:
            ways = [
                "/".join(sorted({r["followed"] for r in side[case]})) for side in (old, new)
            ]
            error = mean(r["pairs"] for r in old[case])
            print(
                f"{case.table:10} {case.method:18} {case.epsilon:4} "
                f"{'delta' if case.delta else 'pure':5} {error:.4f} x {ratio:.3f} "
                f"+- {unsure:.3f}  {' -> '.join(dict.fromkeys(ways))}"
            )
    values = [ratio for ratio, _ in ratios.values()]
    beyond = sum(ratio - 2 * unsure > 1.05 for ratio, unsure in ratios.values())
    same = sum(abs(ratio - 1) <= 0.005 for ratio in values)
    print(
        f"{len(values)} cases, {same} within .5 %: geometric mean "
        f"{geometric_mean(values):.4f}, "
        f"{min(values):.3f} to {max(values):.3f}; above 1.05 beyond chance: {beyond}"
    )


def print_harm(path: Path) -> None:
    """What releases around a guess are off, by that of releases without one, kind by kind."""
    releases_by_case = read(path)
    for kind in KINDS:
        ratios = {}
        for case, with_guess in releases_by_case.items():
            without = releases_by_case.get(case._replace(method="auto"))
            if case.method == WITH + kind and without:
                ratio = mean(r["pairs"] for r in with_guess) / mean(
                    r["pairs"] for r in without
                )
                ratios.setdefault((case.epsilon, case.delta), {})[case.table] = ratio
        for (epsilon, delta), ratios_by_table in sorted(ratios.items()):
            print(
                f"{kind:9} {epsilon:4} {'delta' if delta else 'pure':5} "
                f"mean {geometric_mean(ratios_by_table.values()):.3f}  "
                + "  ".join(f"{name} {ratio:.3f}" for name, ratio in ratios_by_table.items())
            )


def main() -> None:
    parser = argparse.ArgumentParser(description="Errors before and after a change.")
    parser.add_argument("--run", type=Path)
    parser.add_argument("--compare", type=Path, nargs=2)
    parser.add_argument("--harm", type=Path)
    parser.add_argument("--tables", default=",".join(NAMES))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--methods", default="auto")
    parser.add_argument("--epsilons", default=",".join(EPSILONS))
    parser.add_argument("--accounts", default="pure,delta")
    parser.add_argument("--releases", type=int, default=2)
    parser.add_argument("--guesses", action="store_true")
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    if options.guesses and options.tables == parser.get_default("tables"):
        options.tables = ",".join(GUESSED)
    if options.run:
        run(options)
    if options.compare:
        compare(*options.compare)
    if options.harm:
        print_harm(options.harm)


if __name__ == "__main__":
    main()
