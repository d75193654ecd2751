"""Linked releases: a rule of reading for each table, and all that the ledger knows of
them.
"""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from synth.bundle import LinkedResult
from synth.domain import write_schema
from synth.door import Ledger
from synth.drafting import DraftRequest
from synth.errors import ArgumentError, OtherVersionError, RefutedError
from synth.estimate import FitCheck
from synth.plans import LinkedPlan
from synth.privacy import Guarantee, Neighbors, RowReading, Unit, parse_budget
from synth.private.table import open_table, parse_format
from synth.spending import RELEASE_STAGES, check_fit, draft_domain, look_at, synthesize_linked
from synth.verification import verify
from synth.verification.verdict import Verdict
from tests.cli.conftest import Line
from tests.linked.households import DOCUMENT, files_at_random, households

ADD = Neighbors.ADD_REMOVE
PLAN = LinkedPlan(package=households(), epsilon=Fraction(3), neighbors=ADD, dataset="P")
RULES = {
    "homes": RowReading.LINES,
    "persons": RowReading.SPAN,
    "events": RowReading.TYPED,
    "cars": RowReading.FRAME,
}


@pytest.fixture
def tables() -> dict[str, pa.Table]:
    """Eight homes with their persons, events and cars, drawn at random."""
    return files_at_random(Random(3), "ABCDEFGH").tables()


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    """A ledger file with a budget of epsilon 30 under add-remove for the dataset P."""
    ledger = Ledger(tmp_path / "l.db")
    ledger.set_budget("P", parse_budget("30", ADD))
    return ledger


def read_each_otherwise(folder: Path, tables: dict[str, pa.Table]) -> dict[str, Any]:
    """Return the tables, each read by another rule: `RULES`."""
    for name in ("homes", "persons"):
        pa_csv.write_csv(tables[name], folder / f"{name}.csv")
    pq.write_table(tables["events"], folder / "events.parquet")
    return {
        "homes": folder / "homes.csv",
        "persons": open_table(folder / "persons.csv", parse_format(["lines=span"])),
        "events": folder / "events.parquet",
        "cars": tables["cars"],
    }


def test_the_certificate_says_how_each_table_is_read(
    tmp_path: Path, tables: dict[str, pa.Table]
) -> None:
    """Plan, caveats and statement say for each table by which rule its rows are read.

    The rule tells whether line breaks in cells are possible; each of the four tables has
    another one (`RULES`). The plan keeps the rules when it is written and read again.
    """
    result = synthesize_linked(PLAN, read_each_otherwise(tmp_path, tables))
    assert result.plan.readings_by_name == RULES

    checked = verify(result.write_archive(tmp_path / "b.zip"))
    caveats = checked.certificate.caveats
    statement = " ".join(checked.archive["statement.txt"].decode().split())
    for name, rule in RULES.items():
        first_sentence = rule.caveat.partition(".")[0]
        assert (
            sum(caveat.startswith(f"Table '{name}': {first_sentence}") for caveat in caveats)
            == 1
        )
        assert f"- Table '{name}': {first_sentence}" in statement

    again = LinkedPlan.from_json(result.plan.to_json())
    assert again == result.plan


@pytest.mark.parametrize("table", ["homes", "persons", "cars"])
def test_another_rule_of_any_table_is_refuted(
    table: str, tmp_path: Path, tables: dict[str, pa.Table]
) -> None:
    """`verify` refutes a bundle whose plan and certificate disagree on how a table is read.

    First the plan has another rule than the certificate; then the certificate leaves the
    table's rule out.
    """
    result = synthesize_linked(PLAN, tables)

    rules = result.plan.readings_by_name | {table: RowReading.SPAN}
    other_version = replace(result.plan, readings=tuple(rules.values()))
    forged = LinkedResult(
        plan=other_version,
        spends=result.spends,
        tables=result.tables,
        certificate=result.certificate,
    )
    with pytest.raises(RefutedError, match="reads the rows of a table in another way"):
        verify(forged.write_archive(tmp_path / "forged.zip"))

    silent = tuple(
        caveat for caveat in result.certificate.caveats if f"Table '{table}'" not in caveat
    )
    fewer = replace(result.certificate, caveats=silent)
    hidden = LinkedResult(
        plan=result.plan, spends=result.spends, tables=result.tables, certificate=fewer
    )

    bundle = hidden.write_archive(tmp_path / "silent.zip")
    with pytest.raises(RefutedError, match="reads the rows of a table in another way"):
        verify(bundle)


def test_a_plan_has_one_rule_for_each_table() -> None:
    """A plan for four tables needs four rules of reading; by default each is "lines".

    A plan with one rule, or with a rule missing in its file, is refused.
    """
    assert PLAN.readings == (RowReading.LINES,) * 4

    with pytest.raises(ArgumentError, match="needs one rule for its rows"):
        replace(PLAN, readings=(RowReading.LINES,))

    written = PLAN.to_json()
    rules = {**written["readings"]}  # type: ignore[dict-item]
    del rules["cars"]
    with pytest.raises(ArgumentError, match="no plan of linked tables"):
        LinkedPlan.from_json({**written, "readings": rules})


def test_a_bundle_of_the_form_before_is_not_refuted(
    tmp_path: Path, tables: dict[str, pa.Table]
) -> None:
    """A bundle in an older format is not called a forgery; it needs the older version."""
    result = synthesize_linked(PLAN, tables)
    older: Any = replace(result.certificate, format="synth-certificate-linked-3")  # type: ignore[arg-type]
    before = LinkedResult(
        plan=result.plan, spends=result.spends, tables=result.tables, certificate=older
    )

    with pytest.raises(OtherVersionError, match="'synth-certificate-linked-3'"):
        verify(before.write_archive(tmp_path / "older.zip"))


def without_a_row(table: pa.Table) -> pa.Table:
    return table.slice(1)


def look_check_and_draft(ledger: Ledger, persons: pa.Table) -> None:
    """Look at the persons, check them for epsilon 1, and draft a declaration for 5."""
    domain = households().tables[1].own
    look_at(domain, persons, ledger=ledger, dataset="P")
    check_fit(
        FitCheck(
            domain=domain, epsilon=Fraction(1), neighbors=ADD, unit=Unit("h", 2), dataset="P"
        ),
        persons,
        ledger=ledger,
    )
    path = ledger.path
    assert path is not None
    source = path.with_name("persons.csv")
    pa_csv.write_csv(persons, source)
    request = DraftRequest(
        columns=("b",),
        guarantee=Guarantee.pure(5),
        neighbors=ADD,
        unit=Unit("h", 2),
        dataset="P",
    )
    draft_domain(request, source, ledger=ledger)


def test_looks_and_payments_for_an_earlier_file_of_a_table_count(
    tmp_path: Path, tables: dict[str, pa.Table], book: Ledger
) -> None:
    """A look, a check and a draft of an earlier file of one table count for the linked
    release.

    The release costs 3, the check 1 and the draft 5, so its certificate must claim 9.
    """
    look_check_and_draft(book, without_a_row(tables["persons"]))
    result = synthesize_linked(PLAN, tables, ledger=book)
    _check_that_all_count(result, tmp_path, book)


def test_looks_and_payments_while_rows_are_counted_count(
    tmp_path: Path, tables: dict[str, pa.Table], book: Ledger
) -> None:
    """Somebody else looks, checks and drafts while rows are counted: all of it counts.

    The callback acts when the rows are counted and the spend is not yet recorded. The release
    costs 3, the check 1 and the draft 5, so its certificate must claim 9.
    """

    def act_in_between(stage: str) -> None:
        if stage == RELEASE_STAGES[1]:
            with Ledger(book.path) as other_ledger:
                look_check_and_draft(other_ledger, tables["persons"])

    result = synthesize_linked(PLAN, tables, ledger=book, progress=act_in_between)
    _check_that_all_count(result, tmp_path, book)


def _check_that_all_count(result: LinkedResult, folder: Path, book: Ledger) -> None:
    """Check that the certificate counts the look, the check for 1 and the draft for 5.

    The bundle must then be confirmed with the ledger.
    """
    certificate = result.certificate
    assert certificate.declaration.looked
    assert certificate.guarantee.epsilon == 3 + 1 + 5
    assert [preparation.kind for preparation in certificate.declaration.preparations] == [
        "check",
        "draft",
    ]
    assert "Table 'persons': checked before the release: " in certificate.rows_fit
    bundle = result.write_archive(folder / "b.zip", book)
    assert verify(bundle, book, redraw=True).verdict is Verdict.CONFIRMED


def test_the_command_line_says_how_each_table_is_read_and_what_was_seen_before(
    tmp_path: Path,
    tables: dict[str, pa.Table],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A release by the command line tells of a look at an earlier file of one table.

    Its certificate also says how the rows of each table are read.
    """
    cli = Line(capsys)
    for name, table in tables.items():
        pa_csv.write_csv(table, tmp_path / f"{name}.csv")

    earlier = tmp_path / "earlier.csv"
    pa_csv.write_csv(without_a_row(tables["cars"]), earlier)
    declared = tmp_path / "cars.schema.json"
    package = tmp_path / "datapackage.json"
    declared.write_text(json.dumps(write_schema(households().tables[2].own)))
    package.write_text(json.dumps(DOCUMENT))
    book = ("--ledger", tmp_path / "l.db", "--dataset", "P")

    cli.output("check", earlier, "--domain", declared, "--look", *book)
    options = ("--epsilon", "3", "--neighbors", "add-remove", "--out", tmp_path / "b.zip")
    cli.output("release", package, *options, *book, "--budget", "9")

    certificate = verify(tmp_path / "b.zip", Ledger(tmp_path / "l.db")).certificate
    assert "exact numbers of rows that fit" in certificate.guarantee.statement
    assert any(caveat.startswith("Table 'cars': Each line") for caveat in certificate.caveats)
