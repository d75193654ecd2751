"""Figures in the documents are what their scripts print."""

import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from synth.estimate import Repair
from synth.privacy import Neighbors
from tests.bench import bench_defaults, bench_repairs
from tests.bench.bench_repairs import KINDS, Table, measure_repairs, measure_two_samples
from tests.tables import ROOT, SHARED

README = ROOT / "README.md"
WORTH = ROOT / "docs" / "explanation" / "worth.md"
NAMES = {"ma2019": "Massachusetts 2019", "adult": "Adult"}
"""The tables of `tests/bench/bench_defaults.py` by their names in the README."""
REPAIRS = {
    "clamp at 0": Repair.CLAMP,
    "clamp and rescale": Repair.RESCALE,
    "nearest": Repair.NEAREST,
    "automatic (default)": Repair.AUTO,
}
"""The repairs by their names at the head of the documents' columns."""
BEYOND_ROUNDING = 0.02
"""How far a figure may be off besides its rounding, as a share.

The scripts draw known bytes, so a figure moves only if the code does. This leaves room for a
change that only uses other bytes: the mean of five releases moves by about a hundredth.
"""


def read_tables(page: Path, *columns: str) -> list[list[dict[str, str]]]:
    """The tables of a page that have these columns, each a list of lines by column."""
    tables = []
    for block in re.findall(r"(?:^\|.*\|\n)+", page.read_text("utf-8"), re.M):
        head, _, *lines = (
            [cell.strip(" *") for cell in line.strip("|\n").split("|")]
            for line in block.splitlines()
        )
        if set(columns) <= set(head):
            tables.append([dict(zip(head, line, strict=True)) for line in lines])
    return tables


def is_rounded(figure: str, measured: float) -> bool:
    """Whether a figure is a measured one, rounded to as many digits as it has."""
    last_digit = 10.0 ** -len(figure.partition(".")[2])
    return abs(float(figure) - measured) <= last_digit / 2 + BEYOND_ROUNDING * measured


def list_wrong_figures(
    lines: list[dict[str, str]], table: Table, neighbors: Neighbors, kind: str = "pairs"
) -> list[str]:
    """The figures of a document's table that the script does not print."""
    wrong = []
    for line in lines:
        figures = {REPAIRS[name]: figure for name, figure in line.items() if name in REPAIRS}
        errors = measure_repairs(table, Fraction(line["epsilon"]), neighbors, list(figures))
        for (repair, figure), measured in zip(
            figures.items(), errors[KINDS.index(kind)], strict=True
        ):
            if not is_rounded(figure, measured):
                wrong.append(
                    f"epsilon {line['epsilon']}, {repair}: {figure}, not {measured:.4f}"
                )
    return wrong


BENCH = ROOT / "tests" / "bench"
SMALL: dict[str, tuple[str, ...]] = {
    "bench_bars": ("1",),
    "bench_conclusions": (
        "--releases=1",
        "--tables=made 0",
        "--epsilon=1",
        "--out=made.jsonl",
    ),
    "bench_defaults": (
        "--tables=ma2019",
        "--epsilons=1",
        "--releases=1",
        "--results=made.json",
    ),
    "bench_derived": ("1",),
    "bench_exports": ("1000",),
    "bench_holes": (
        "--who=none,auto",
        "--tables=dense",
        "--epsilons=1",
        "--results=made.jsonl",
    ),
    "bench_linked": ("500",),
    "bench_replicates": ("--releases=1", "--tables=2", "--epsilon=1", "--cases=survey"),
    "bench_rows": ("1e5",),
    "bench_scale": ("1e5",),
    "fit_interval": ("--measure", "made.jsonl"),
    "fit_lists": ("--measure", "made.jsonl"),
    "paired": ("--run=made.jsonl", "--tables=titanic", "--epsilons=1", "--releases=1"),
    "train": ("make", "made", "--releases=1", "--ways=errors"),
    "utility": ("--tables=titanic", "--methods=auto", "--epsilons=1", "--releases=1"),
}
"""Scripts that back a figure, with the words of a form that takes seconds."""
ELSEWHERE = {
    "bench_forecast": "tests/forecasts/test_histogram.py",
    "bench_repairs": "tests/house/test_figures.py",
}
"""Scripts of which other tests run parts, and where."""
OF_OTHERS = {
    "peer_rows": "needs the authors' code of the peers",
    "spark_rows": "needs Java and pyspark",
}
"""Scripts that take what a test does not have."""


def list_scripts() -> set[str]:
    """The scripts that documents cite, or that `make bench` runs."""
    pages = [README, *(ROOT / "docs").rglob("*.md")]
    cited = (re.findall(r"tests/bench/(\w+)\.py", page.read_text("utf-8")) for page in pages)
    return {path.stem for path in BENCH.glob("bench_*.py")}.union(*cited)


def test_every_script_behind_a_figure_is_run_by_a_test() -> None:
    """Each script that the documents cite is run by a test, here or elsewhere, or is on the
    list of those that need what a test does not have.
    """
    assert list_scripts() == {*SMALL, *ELSEWHERE, *OF_OTHERS}
    for script, test in ELSEWHERE.items():
        assert script in (ROOT / test).read_text("utf-8")


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared tables")
@pytest.mark.parametrize("script", SMALL)
def test_scripts_behind_figures_run(script: str, tmp_path: Path) -> None:
    """Each script behind a figure runs in a small form of seconds, and prints or writes
    something.
    """
    path = BENCH / f"{script}.py"
    process = subprocess.run(
        [sys.executable, path, *SMALL[script]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SECONDS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() or any(tmp_path.iterdir())


@pytest.mark.slow
def test_the_errors_of_the_survey_are_those_of_the_script() -> None:
    """The errors of the survey on the site are what their script prints, but for rounding."""
    survey, neighbors = bench_repairs.read_survey(), Neighbors.REPLACE_ONE
    # The site has two such tables without a column "table": the survey, and one long column.
    worth, _ = (
        lines
        for lines in read_tables(WORTH, "epsilon", "automatic (default)")
        if "table" not in lines[0]
    )
    assert [line["epsilon"] for line in worth] == ["0.1", "1", "10"]
    assert list_wrong_figures(worth, survey, neighbors) == []

    (figure,) = re.findall(
        r"Two samples of the survey itself differ by (\.\d+)\.", WORTH.read_text("utf-8")
    )
    assert is_rounded(figure, measure_two_samples(survey))


def read_defaults() -> dict[str, Any]:
    """The results that `tests/bench/bench_defaults.py` wrote."""
    results: dict[str, Any] = json.loads(bench_defaults.RESULTS.read_text("utf-8"))
    return results


def test_the_readme_has_the_results_of_its_script() -> None:
    """The README's table of errors by default, beside peers, is that of the script's file of
    results, rounded; what was not measured is a dash.
    """
    results = read_defaults()
    sizes = {
        f"{NAMES[name]}, {table['rows']:,} rows, {table['columns']} columns": name
        for name, table in results["tables"].items()
    }
    (lines,) = read_tables(README, "table", "epsilon", bench_defaults.DEFAULT)
    cases = [(sizes[line["table"]], line["epsilon"]) for line in lines]
    assert cases == list(product(results["tables"], bench_defaults.EPSILONS))

    for (name, epsilon), line in zip(cases, lines, strict=True):
        settings = results["tables"][name]
        measured = {
            **{s: settings[s][epsilon]["error"] for s in bench_defaults.SETTINGS},
            **{peer: errors[name].get(epsilon) for peer, errors in results["peers"].items()},
        }
        for column, error in measured.items():
            shown = line[column]
            assert shown == "-" if error is None else is_last_digit(shown, error), (
                name,
                epsilon,
                column,
            )


def is_last_digit(figure: str, measured: float) -> bool:
    """Whether a figure is a measured one, rounded."""
    last_digit = 10.0 ** -len(figure.partition(".")[2])
    return abs(float(figure) - measured) <= last_digit / 2 + 1e-9


def test_the_readme_says_how_its_numbers_were_made() -> None:
    """The number of releases and their longest time in the README are those of the file of
    results, and the results are of the peers' numbers that the script names.
    """
    results, text = read_defaults(), " ".join(README.read_text("utf-8").split())
    assert results["releases"] == 5
    assert results["peers"] == bench_defaults.PEERS
    seconds = [
        result["processor seconds"]
        for table in results["tables"].values()
        for setting in bench_defaults.SETTINGS
        for result in table[setting].values()
    ]
    (limit,) = re.findall(r"five releases of at most (\d+) seconds of processor", text)
    assert max(seconds) <= float(limit) <= max(seconds) + 1


@pytest.mark.slow
def test_the_errors_of_one_long_column_are_those_of_the_script() -> None:
    """The errors of one long column on the site are what their script prints, but for
    rounding.
    """
    # The site has two such tables without a column "table": the survey, and one long column.
    _, lines = (
        lines
        for lines in read_tables(WORTH, "epsilon", "automatic (default)")
        if "table" not in lines[0]
    )
    column = bench_repairs.read_column()
    assert list_wrong_figures(lines, column, Neighbors.ADD_REMOVE, "cells") == []


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared tables")
@pytest.mark.parametrize(
    ("name", "folder"),
    [("Adult, five columns", "adult/"), ("Massachusetts 2019, six columns", "sdnist_ma/")],
)
def test_the_errors_of_shared_tables_are_those_of_the_script(name: str, folder: str) -> None:
    """The errors of two public tables on the site are what their script prints, but for
    rounding.

    `name` is that of the table on the site, `folder` that of its file.
    """
    (all_lines,) = read_tables(WORTH, "table", "epsilon", "automatic (default)")
    lines = [line for line in all_lines if line["table"] == name]
    assert lines

    (place,) = (place for place in bench_repairs.TABLES if place[0].startswith(folder))
    table = bench_repairs.read_shared(*place)
    assert list_wrong_figures(lines, table, Neighbors.REPLACE_ONE) == []


def test_a_figure_that_is_no_rounding_is_seen() -> None:
    """A figure passes only if it is the measured number, rounded to its digits, give or
    take 2 %.
    """
    assert is_rounded(".031", 0.0312)
    for old, measured in (
        (".029", 0.0312),
        (".001", 0.0316),
        (".004", 0.0029),
        ("0.24", 0.2),
    ):
        assert not is_rounded(old, measured)


def test_tables_are_read_by_their_columns(tmp_path: Path) -> None:
    """Only Markdown tables with all named columns are read, line by line, without bold
    marks.
    """
    page = tmp_path / "page.md"
    page.write_text(
        "text\n\n| a | b |\n|---|---|\n| 1 | **.2** |\n| 3 | |\n\n| c |\n|---|\n| 4 |\n"
    )
    assert read_tables(page, "b") == [[{"a": "1", "b": ".2"}, {"a": "3", "b": ""}]]
    assert read_tables(page, "a", "c") == []
