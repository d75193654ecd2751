"""Two reports: one for everybody, that depends on nothing private; one for the steward
alone.
"""

import ast
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from synth.bundle import Result, read_archive, write_pages
from synth.domain import Domain
from synth.door import Ledger
from synth.noise import DiscreteLaplace
from synth.plans import Method, Plan
from synth.private.comparison import compare_tables, internal_report
from synth.private.comparison.report import MARK
from synth.private.table import open_table
from synth.spending import add_score, synthesize
from tests.processes import run
from tests.tables import ROOT, write

DOMAIN = Domain(sex=["F", "M"], job=["baker", "smith", "judge"])
ROWS = [["F", "baker"]] * 30 + [["M", "smith"]] * 20 + [["F", "smith"]] * 9
NEIGHBOUR = [*ROWS[:-1], ["M", "judge"]]


def release_of(folder: Path, rows: list[list[str]], method: Method = Method.DENSE) -> Result:
    """A release of rows at epsilon 1, with a noisy score of its quality for another epsilon
    1.
    """
    table = write(folder / f"{len(list(folder.iterdir()))}.csv", list(DOMAIN.names), rows)
    ledger = Ledger()
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1), method=method)
    return add_score(
        synthesize(plan, table, ledger=ledger), table, Fraction(1), ledger=ledger
    )


@pytest.mark.parametrize("method", [Method.DENSE, Method.ONE_SHOT])
def test_the_external_report_is_the_same_on_neighbours_with_frozen_noise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    """A confidential row changes the public report only by way of the noisy numbers.

    All noise and random bits are frozen: a noisy vector depends on its length alone. Then
    every byte of the report, with the bought score, is the same for two tables that differ in
    one row.
    """
    frozen = {n: np.random.default_rng(n).integers(0, 40, n) for n in range(1, 40)}
    monkeypatch.setattr(
        DiscreteLaplace, "release", lambda _, values: frozen[values.size].copy()
    )
    monkeypatch.setattr("synth.door.door.bits.bits", lambda n: bytes(n))

    pages = []
    for rows in (ROWS, NEIGHBOUR):
        result = release_of(tmp_path, rows, method)
        certificate = replace(result.certificate, created="", dataset="table")
        files = write_pages(certificate, result.record, result.synthetic)
        pages.append(files["open.html"].decode())

    assert "mean total variation" in pages[0]
    assert pages[0] == pages[1]
    assert MARK not in pages[0]


@pytest.fixture(scope="module")
def internal(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page for the steward alone, about a release of ROWS."""
    folder = tmp_path_factory.mktemp("internal")
    result = release_of(folder, ROWS)
    return internal_report(compare_tables(open_table(folder / "0.csv"), result))


def test_the_internal_report_is_marked_on_every_page_and_figure(internal: str) -> None:
    """The steward's report is marked as private on every printed page and in every figure.

    Each of the seven figures has the mark, a table of its numbers, and a label for screen
    readers, and so has each of the two small pictures of columns, but for a table. MARK is
    the text of the mark.
    """
    assert f'<div class="private">{MARK}</div>' in internal
    assert ".private{position:fixed" in internal  # a fixed box is printed on every page

    figures = internal.count("<figure ")
    small = internal.count("<figure>")
    assert (figures, small) == (7, 2)  # pairs, worst, strengths, split, repairs, two columns
    assert internal.count('"text":"PRIVATE') == figures
    assert internal.count('data-mark="PRIVATE">') == small
    assert internal.count("The same as a table") == figures
    assert internal.count("aria-label=") == figures + small


def test_the_internal_report_needs_no_network(internal: str) -> None:
    assert "default-src 'none'" in internal


@pytest.mark.slow
def test_nothing_that_writes_a_bundle_knows_the_internal_report() -> None:
    """Only the screen that asks first, and the command line, import the private report.

    All modules of the package and the pages are searched for imports of `internal_report`.
    """
    users = []
    for path in [*(ROOT / "synth").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        names = [
            alias.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        ]
        if "internal_report" in names and path.parent.name != "comparison":
            users.append(path.name)

    assert sorted(users) in (["details.py"], ["compare.py", "details.py"])


def test_a_release_loads_no_comparison() -> None:
    """The modules that make a release load none of the private comparison."""
    loaded = (
        "import sys, synth.cli.main, synth.bundle.archive, synth.spending.pipeline;"
        "print([m for m in sys.modules if m.startswith('synth.private.comparison')])"
    )
    assert run(loaded).stdout.strip() == "[]"


def test_bundles_hold_no_internal_report(tmp_path: Path) -> None:
    """No file of a bundle has the mark of the private report; its own report is the public
    one.
    """
    path = release_of(tmp_path, ROWS).write_archive(tmp_path / "b.zip")
    files = read_archive(path)
    assert "open.html" in files
    assert not any(MARK.encode() in files[name] for name in files)
