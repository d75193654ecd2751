"""Linked releases say of all tables what a flat one says: looks, origins, payments,
assurances.
"""

import json
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import synth
from synth.bundle import LinkedCertificate, LinkedResult, linked_claim, linked_rows_fit
from synth.domain import DRAFTED, LOOKED_UP, read_package
from synth.door import Ledger, Preparation
from synth.errors import ArgumentError, LedgerError, RefutedError, ReleaseError
from synth.estimate import FitCheck
from synth.plans import LinkedPlan
from synth.privacy import Guarantee, Neighbors, Unit, parse_budget
from synth.spending import check_fit, look_at, synthesize_linked
from synth.verification import verify
from synth.verification.verdict import Verdict
from tests.cli.conftest import Line
from tests.linked.households import DOCUMENT, files_at_random, households

ADD = Neighbors.ADD_REMOVE
LOOKED = (
    "the steward looked at exact numbers of rows that fit, in this table or another of "
    "its dataset"
)


@pytest.fixture
def tables() -> dict[str, pa.Table]:
    """Eight homes with their persons, events and cars, drawn at random."""
    return files_at_random(Random(3), "ABCDEFGH").tables()


@pytest.fixture
def package(tmp_path: Path, tables: dict[str, pa.Table]) -> Path:
    """Write a package, its four tables, and the declaration of each table alone; return its
    path.
    """
    for name, table in tables.items():
        pa_csv.write_csv(table, tmp_path / f"{name}.csv")
    for resource in DOCUMENT["resources"]:
        fields = [field for field in resource["schema"]["fields"] if len(field) > 2]
        (tmp_path / f"{resource['name']}.schema.json").write_text(
            json.dumps({"fields": fields})
        )
    path = tmp_path / "datapackage.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Line:
    """The command line, called with words as a steward types them."""
    return Line(capsys)


def package_with(table: str, **stamps: Any) -> dict[str, Any]:
    """The package with stamps in the schema of one table; ``synth_`` stands for
    ``synth:``.
    """
    document = deepcopy(DOCUMENT)
    (resource,) = (
        resource for resource in document["resources"] if resource["name"] == table
    )
    resource["schema"] |= {
        name.replace("synth_", "synth:"): value for name, value in stamps.items()
    }
    return document


def budgeted_ledger(folder: Path, dataset: str = "P") -> Ledger:
    """Open a ledger file with a budget of epsilon 9 under add-remove."""
    ledger = Ledger(folder / "l.db")
    ledger.set_budget(dataset, parse_budget("9", ADD))
    return ledger


@pytest.mark.parametrize("table", ["homes", "persons", "events", "cars"])
def test_a_look_at_any_table_is_in_the_certificate(
    table: str, package: Path, cli: Line
) -> None:
    """A look at exact numbers of any of the four tables is told by the package's release.

    The certificate, its sentence on rows that fit, and the statement all say so.
    """
    folder = package.parent
    book = ("--ledger", folder / "l.db", "--dataset", "P")
    declared = ("--domain", folder / f"{table}.schema.json")
    cli.output("check", folder / f"{table}.csv", *declared, "--look", *book)

    options = ("--epsilon", "3", "--neighbors", "add-remove", "--out", folder / "b.zip")
    cli.output("release", package, *options, *book, "--budget", "9")

    checked = verify(folder / "b.zip", Ledger(folder / "l.db"), redraw=True)
    assert checked.verdict is Verdict.CONFIRMED

    certificate = checked.certificate.to_json()
    assert certificate["declaration"]["looked"] is True
    assert LOOKED in certificate["guarantee"]["statement"]
    assert f"Table '{table}': before the release, {LOOKED}." in certificate["rows_fit"]
    assert "exact numbers of rows that fit" in " ".join(
        (checked.archive["statement.txt"]).decode().split()
    )


def test_a_look_under_another_name_is_no_secret_either(tmp_path: Path, tables: Any) -> None:
    """A look at a table counts, although the steward called its dataset Q and not P.

    The ledger knows the table itself. Only the persons were looked at, so the root table, the
    homes, is not marked.
    """
    with budgeted_ledger(tmp_path) as ledger:
        look_at(households().tables[1].own, tables["persons"], ledger=ledger, dataset="Q")
        result = synthesize_linked(
            LinkedPlan(package=households(), epsilon=Fraction(3), neighbors=ADD, dataset="P"),
            tables,
            ledger=ledger,
        )

    assert result.certificate.declaration.looked
    assert result.plan.package.tables[1].domain.looked
    assert not result.plan.package.root.domain.looked


def test_a_look_after_the_release_changes_neither_spend_nor_verdict(
    tmp_path: Path, tables: Any
) -> None:
    """After a look, the repeated release is still free, and has the certificate of its time.

    Both bundles, from before and after the look, are confirmed. Of the budget only the 3 of
    the first release are spent.
    """
    plan = LinkedPlan(package=households(), epsilon=Fraction(3), neighbors=ADD, dataset="P")
    with budgeted_ledger(tmp_path) as ledger:
        first = synthesize_linked(plan, tables, ledger=ledger)
        bundle = first.write_archive(tmp_path / "first.zip", ledger)

        look_at(households().tables[1].own, tables["persons"], ledger=ledger, dataset="P")
        again = synthesize_linked(plan, tables, ledger=ledger)
        assert (again.repeated, ledger.balance("P").spent) == (True, 3)
        assert again.certificate == first.certificate
        assert not again.certificate.declaration.looked

        assert verify(bundle, ledger, redraw=True).verdict is Verdict.CONFIRMED
        second = again.write_archive(tmp_path / "second.zip", ledger)
        assert verify(second, ledger, redraw=True).verdict is Verdict.CONFIRMED


def check_of_persons(plan: LinkedPlan) -> FitCheck:
    """A paid check of the persons of a plan, at epsilon 1."""
    return FitCheck(
        domain=plan.package.tables[1].own,
        epsilon=Fraction(1),
        neighbors=ADD,
        unit=Unit("h", 2),
        dataset="P",
    )


def forge(
    result: LinkedResult, certificate: LinkedCertificate, plan: LinkedPlan
) -> LinkedResult:
    """A result with another certificate and plan, which a forger made to agree."""
    return LinkedResult(
        plan=plan,
        spends=result.spends,
        tables=result.tables,
        certificate=certificate,
        entry=result.entry,
    )


def test_a_certificate_that_hides_a_payment_is_refuted(tmp_path: Path, tables: Any) -> None:
    """`verify` refutes a linked bundle that hides a paid check, which the ledger records."""
    plan = LinkedPlan(package=households(), epsilon=Fraction(3), neighbors=ADD, dataset="P")
    with budgeted_ledger(tmp_path) as ledger:
        check_fit(check_of_persons(plan), tables["persons"], ledger=ledger)
        result = synthesize_linked(plan, tables, ledger=ledger)
        unpaid_certificate = replace(
            result.certificate,
            guarantee=linked_claim(plan),
            rows_fit="The steward did not check before the release whether rows fit.",
            declaration=replace(result.certificate.declaration, preparations=()),
        )

        unpaid = forge(result, unpaid_certificate, result.plan)
        bundle = unpaid.write_archive(tmp_path / "unpaid.zip", ledger)

        with pytest.raises(RefutedError, match="leaves out a check that the ledger records"):
            verify(bundle, ledger)


def test_a_certificate_that_hides_a_look_is_refuted(tmp_path: Path, tables: Any) -> None:
    """`verify` refutes a linked bundle that lists a paid check, but denies a look."""
    plan = LinkedPlan(package=households(), epsilon=Fraction(4), neighbors=ADD, dataset="P")
    with budgeted_ledger(tmp_path) as ledger:
        check_fit(check_of_persons(plan), tables["persons"], ledger=ledger)
        look_at(plan.package.tables[1].own, tables["persons"], ledger=ledger, dataset="P")
        result = synthesize_linked(plan, tables, ledger=ledger)
        unlooked_plan = replace(result.plan, package=plan.package)
        declaration = replace(result.certificate.declaration, looked=False)
        paid = [_read_preparation(table) for table in declaration.preparations]
        unlooked_certificate = replace(
            result.certificate,
            guarantee=linked_claim(unlooked_plan, paid),
            declaration=declaration,
            rows_fit=linked_rows_fit(plan.package, paid),
        )

        unlooked = forge(result, unlooked_certificate, unlooked_plan)
        bundle = unlooked.write_archive(tmp_path / "unlooked.zip", ledger)

        with pytest.raises(RefutedError, match="looked at exact numbers of the rows before"):
            verify(bundle, ledger)


def _read_preparation(table: Any) -> Preparation:
    """The paid preparation, for epsilon 1, that a certificate lists."""
    content = {
        "kind": table.kind,
        "guarantee": {"epsilon": "1"},
        "neighbors": table.neighbors.value,
    }
    content |= {"person": table.person, "max_rows": table.max_rows, "entry": table.entry}
    return Preparation.from_json({**content, "said": dict(table.said)})


def test_paid_checks_of_all_tables_add_to_the_guarantee(package: Path, cli: Line) -> None:
    """Paid checks of several tables all count for the guarantee of the linked release.

    Checks of persons and cars for 1/2 each and a release for 3 are 4 in all. The certificate
    also says that the homes were not checked.
    """
    folder = package.parent
    book = ("--ledger", folder / "l.db", "--dataset", "P", "--neighbors", "add-remove")
    for table, max_rows in (("persons", 2), ("cars", 4)):
        declared = ("--domain", folder / f"{table}.schema.json", "--epsilon", "1/2")
        unit = ("--person", "h", "--max-rows", max_rows)
        cli.output("check", folder / f"{table}.csv", *declared, *unit, *book, "--budget", "9")

    options = (*book, "--epsilon", "3", "--out", folder / "b.zip")
    # Tiny tables: a noisy check may say that few rows fit, which would stop the release.
    cli.output("release", package, *options, "--anyway")

    checked = verify(folder / "b.zip", Ledger(folder / "l.db"), redraw=True)
    assert checked.verdict is Verdict.CONFIRMED

    certificate = checked.certificate
    assert certificate.guarantee.epsilon == 4
    assert "This counts the check of the declaration" in certificate.guarantee.statement
    assert "Table 'cars': checked before the release: " in certificate.rows_fit
    assert "Table 'homes': the steward did not check" in certificate.rows_fit


def test_the_origin_is_the_worst_of_all_tables(tmp_path: Path, tables: Any) -> None:
    """If one table's declaration was looked up in its rows, the whole package counts as
    looked up.

    A certificate that says "declared" instead is refuted.
    """
    taken = package_with("events", synth_origin=LOOKED_UP)
    result = synthesize_linked(
        LinkedPlan(package=read_package(taken), epsilon=Fraction(3), neighbors=ADD), tables
    )

    assert result.certificate.domain_origin == LOOKED_UP
    assert "The declaration is not covered" in result.certificate.guarantee.statement

    bundle = result.write_archive(tmp_path / "b.zip")
    assert verify(bundle).certificate.domain_origin == LOOKED_UP

    honest = replace(result.certificate, domain_origin="declared")
    forged = LinkedResult(
        plan=result.plan, spends=result.spends, tables=result.tables, certificate=honest
    )
    with pytest.raises(RefutedError, match="does not say where the declaration comes from"):
        verify(forged.write_archive(tmp_path / "forged.zip"))


def test_the_steward_vouches_for_all_tables_that_were_taken_from_the_rows(
    package: Path, cli: Line
) -> None:
    """A steward can vouch that values which were taken from rows are public.

    `--vouch` is refused where nothing was taken from the rows. For the cars, looked up in
    their rows, the certificate says that the steward vouches.
    """
    options = ("--epsilon", "3", "--out", package.parent / "b.zip", "--vouch")
    assert "none of these was" in cli.refusal("release", package, *options)

    package.write_text(json.dumps(package_with("cars", synth_origin=LOOKED_UP)))
    cli.output("release", package, *options)

    certificate = verify(package.parent / "b.zip").certificate
    assert certificate.to_json()["declaration"]["taken_is_public"] is True
    assert "The steward vouches that it is public." in certificate.guarantee.statement


def paid_draft(person: str, epsilon: str = "5") -> dict[str, Any]:
    """The record of a paid draft, as a declaration holds it; it protects rows if nobody is
    named.
    """
    guarantee = Guarantee.pure(Fraction(epsilon))
    return Preparation(
        kind="draft",
        guarantee=guarantee,
        neighbors=ADD,
        unit=Unit(person, 2 if person else 1),
        entry="0" * 64,
        said={},
    ).to_json()


def test_a_drafted_table_below_the_root_is_paid_for(tmp_path: Path, tables: Any) -> None:
    """A paid draft of one table counts for the guarantee of the linked release.

    A draft for 5 and a release for 1 are 6 in all; a certificate that claims 1 is refuted.
    """
    document = package_with("persons", synth_origin=DRAFTED, synth_draft=[paid_draft("h")])
    result = synthesize_linked(
        LinkedPlan(package=read_package(document), epsilon=Fraction(1), neighbors=ADD), tables
    )

    assert result.certificate.domain_origin == DRAFTED
    assert result.certificate.guarantee.epsilon == 6

    checked = verify(result.write_archive(tmp_path / "b.zip"), redraw=True)
    assert checked.certificate.guarantee.epsilon == 6

    cheap = replace(result.certificate, guarantee=linked_claim(result.plan))
    forged = LinkedResult(
        plan=result.plan, spends=result.spends, tables=result.tables, certificate=cheap
    )
    with pytest.raises(RefutedError, match="asks for another guarantee"):
        verify(forged.write_archive(tmp_path / "forged.zip"))


def test_a_draft_that_protects_rows_is_not_added_to_one_that_protects_roots(
    tables: Any,
) -> None:
    """A draft that protects single rows cannot be added to a release that protects whole
    homes.
    """
    document = package_with("persons", synth_origin=DRAFTED, synth_draft=[paid_draft("")])
    plan = LinkedPlan(package=read_package(document), epsilon=Fraction(1), neighbors=ADD)
    with pytest.raises(ArgumentError, match="cannot be added up"):
        synthesize_linked(plan, tables)


def test_the_same_tables_under_another_name_are_noticed(tmp_path: Path, tables: Any) -> None:
    """Tables that were released as P are refused under the name Q, together or one alone.

    Otherwise another name would bring a new budget for the same rows.
    """
    with budgeted_ledger(tmp_path) as ledger:
        plan = LinkedPlan(
            package=households(), epsilon=Fraction(1), neighbors=ADD, dataset="P"
        )
        synthesize_linked(plan, tables, ledger=ledger)

    where = {"ledger": tmp_path / "l.db", "neighbors": "add-remove", "budget": "9"}
    with pytest.raises(LedgerError, match="was released before as 'P'"):
        synth.release_linked(tables, DOCUMENT, 1, **where, dataset="Q")

    domain = households().tables[2].own
    with pytest.raises(LedgerError, match="was released before as 'P'"):
        synth.release(
            tables["cars"], domain, epsilon=1, **where, dataset="Q", person="h", max_rows=4
        )


def test_python_refuses_few_rows_as_the_command_line_does(
    tmp_path: Path, tables: Any
) -> None:
    """A linked release is refused after a check that found few fitting rows, unless
    anyway=True.

    No car fits. The check costs 50 and the release 3, so the release all the same claims 53.
    """
    where = {"ledger": tmp_path / "l.db", "neighbors": "add-remove", "dataset": "P"}
    domain = households().tables[2].own
    cars = tables["cars"]
    misfits = cars.set_column(1, "d", pa.array(["?"] * cars.num_rows))
    # So large an epsilon that noise decides nothing.
    synth.check(misfits, domain, 50, **where, person="h", max_rows=4, budget=60)

    with_misfits = {**tables, "cars": misfits}
    with pytest.raises(ReleaseError, match=r"by the check of 'cars', .* with anyway=True"):
        synth.release_linked(with_misfits, DOCUMENT, 3, **where)

    result = synth.release_linked(with_misfits, DOCUMENT, 3, **where, anyway=True)
    assert result.certificate.guarantee.epsilon == 53
