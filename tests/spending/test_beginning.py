"""Looks, drafts and checks belong to a dataset: a release counts them, whatever its file's
bytes.

What the ledger recorded before the line of the release's spend counts, and `verify` agrees.
"""

import gzip
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import synth
from synth.bundle import ReleaseCertificate, Result
from synth.bundle.declaration import MOSTLY_NOISE
from synth.domain import Categorical, Domain, Integer
from synth.door import Ledger, Preparation, keep_preparation
from synth.drafting import DraftRequest
from synth.errors import RefutedError
from synth.estimate import FitCheck
from synth.plans import Method, Plan
from synth.privacy import ROW, Guarantee, Neighbors, Unit, parse_budget
from synth.questions import Inquiry
from synth.spending import (
    RELEASE_STAGES,
    STAGES,
    ask,
    check_fit,
    draft_domain,
    look_at,
    synthesize,
)
from synth.verification import verify
from synth.verification.verdict import Verdict

DOMAIN = Domain(
    (
        Integer(name="age", minimum=0, maximum=99, bins=5),
        Categorical(name="sex", categories=("F", "M")),
    )
)
PLAN = Plan(domain=DOMAIN, epsilon=Fraction(1), dataset="people", method=Method.DENSE)
REPLACE = Neighbors.REPLACE_ONE
LOOKED = "the steward looked at exact numbers of rows that fit"


def write_people(path: Path, rows: int = 400, sexes: str = "FM") -> Path:
    lines = [f"{20 + i % 50},{sexes[i % 2]}\n" for i in range(rows)]
    path.write_text("age,sex\n" + "".join(lines))
    return path


def write_package(table: Path) -> Path:
    packed = table.with_name("copy.csv.gz")
    packed.write_bytes(gzip.compress(table.read_bytes()))
    return packed


def add_a_row(table: Path) -> Path:
    return write_people(table.with_name("longer.csv"), rows=401)


def type_columns(table: Path) -> Path:
    typed = table.with_name("t.parquet")
    pq.write_table(pa_csv.read_csv(table), typed)
    return typed


CHANGES: dict[str, Callable[[Path], Any]] = {
    "the same file": lambda table: table,
    "packed": write_package,
    "one row more": add_a_row,
    "typed": type_columns,
    "in memory": pd.read_csv,
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_people(tmp_path / "t.csv")


def open_book(folder: Path, *datasets: str) -> Ledger:
    ledger = Ledger(folder / "ledger.db")
    for dataset in datasets or ("people",):
        ledger.set_budget(dataset, parse_budget("30", REPLACE))
    return ledger


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    return open_book(tmp_path)


def pay_check(
    ledger: Ledger, source: Any, dataset: str = "people", epsilon: int = 2
) -> Preparation:
    fit_check = FitCheck(
        domain=DOMAIN, epsilon=Fraction(epsilon), neighbors=REPLACE, unit=ROW, dataset=dataset
    )
    return check_fit(fit_check, source, ledger=ledger)


def confirm_bundle(result: Result, folder: Path, ledger: Ledger) -> ReleaseCertificate:
    """Return the certificate, after `verify` confirmed the bundle with the ledger."""
    checked = verify(result.write_archive(folder / "b.zip", ledger), ledger)
    assert checked.verdict is Verdict.CONFIRMED
    assert isinstance(checked.certificate, ReleaseCertificate)
    return checked.certificate


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_dataset_keeps_its_looks_and_checks_when_its_file_changes(
    change: str, table: Path, tmp_path: Path, book: Ledger
) -> None:
    """Whatever was spent on a dataset, 2 for the check, counts for every later version of its
    file.
    """
    look_at(DOMAIN, table, ledger=book, dataset="people")
    first_check = pay_check(book, table)
    source = CHANGES[change](table)
    certificate = confirm_bundle(synthesize(PLAN, source, ledger=book), tmp_path, book)
    assert certificate.guarantee.epsilon == 3
    assert [preparation.entry for preparation in certificate.declaration.preparations] == [
        first_check.entry
    ]
    assert certificate.declaration.looked
    assert LOOKED in certificate.guarantee.statement
    assert "All drafts and checks for the dataset count" in certificate.guarantee.statement


def test_every_spelling_of_a_name_is_the_same_dataset(table: Path, book: Ledger) -> None:
    pay_check(book, table, dataset="  people ")
    result = synthesize(PLAN, add_a_row(table), ledger=book)
    assert result.certificate.guarantee.epsilon == 3


def test_a_draft_counts_although_the_declaration_was_typed(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """A draft for 5 and a release for 1 of the same dataset are 6 in all, whoever wrote the
    declaration.
    """
    request = DraftRequest(
        columns=("age", "sex"),
        guarantee=Guarantee.pure(5),
        neighbors=REPLACE,
        unit=ROW,
        dataset="people",
    )
    drafted = draft_domain(request, table, ledger=book)
    certificate = confirm_bundle(
        synthesize(PLAN, add_a_row(table), ledger=book), tmp_path, book
    )
    assert certificate.guarantee.epsilon == 6
    assert "This counts the draft of the declaration" in certificate.guarantee.statement
    assert drafted.domain is not None
    typed_release = synthesize(
        Plan(domain=drafted.domain, epsilon=Fraction(1), dataset="people"), table, ledger=book
    )
    assert typed_release.certificate.guarantee.epsilon == 6, (
        "and once, if the declaration names it too"
    )


def test_what_was_recorded_under_another_name_counts_for_the_same_file(
    table: Path, tmp_path: Path
) -> None:
    """A look and a check for 2 under another name count for this file: 3 in all.

    Another version of the file, of another dataset, is not the same table.
    """
    book = open_book(tmp_path, "people", "others", "persons")
    look_at(DOMAIN, table, ledger=book, dataset="others")
    pay_check(book, table, dataset="others")
    by_person = FitCheck(
        domain=DOMAIN.project(["sex"]),
        epsilon=Fraction(1),
        neighbors=REPLACE,
        unit=Unit("age", 2),
        dataset="persons",
    )
    check_fit(by_person, table, ledger=book)  # it cannot be added to a guarantee of rows
    same = confirm_bundle(synthesize(PLAN, table, ledger=book), tmp_path, book)
    assert (same.guarantee.epsilon, same.declaration.looked) == (3, True)
    changed = synthesize(PLAN, add_a_row(table), ledger=book).certificate
    assert (changed.guarantee.epsilon, changed.declaration.looked) == (1, False)


def test_a_look_at_a_table_that_the_ledger_cannot_recognise_belongs_to_its_dataset(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """As of a table of a Spark cluster, which has no files here."""
    with patch("synth.spending.fit.mark_of", lambda *_: ""):
        look_at(DOMAIN, table, ledger=book, dataset="people")
        look_at(DOMAIN, table, ledger=book, dataset="people")
    assert len(book.looks()) == 1
    assert confirm_bundle(
        synthesize(PLAN, table, ledger=book), tmp_path, book
    ).declaration.looked


def test_a_certificate_that_hides_a_check_of_another_file_is_refuted(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    pay_check(book, add_a_row(table))
    with patch("synth.spending.beginning.collect", lambda *_: ()):
        silent = synthesize(PLAN, table, ledger=book)
    bundle = silent.write_archive(tmp_path / "b.zip", book)
    with pytest.raises(RefutedError, match="leaves out a check that the ledger records"):
        verify(bundle, book)


def test_a_certificate_that_hides_a_look_at_another_file_is_refuted(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    look_at(DOMAIN, add_a_row(table), ledger=book, dataset="people")
    with patch("synth.spending.purchase.tables_looked_at", lambda *_: []):
        silent = synthesize(PLAN, table, ledger=book)
        released = ask(_read_inquiry(), table, ledger=book)
    bundle = silent.write_archive(tmp_path / "b.zip", book)
    with pytest.raises(RefutedError, match="looked at exact numbers of the rows before"):
        verify(bundle, book)
    answers = released.write_archive(tmp_path / "a.zip", book)
    with pytest.raises(RefutedError, match="looked at exact numbers of the rows before"):
        verify(answers, book)


def test_rows_that_were_mended_after_a_check_are_not_called_noise(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """The check of the earlier file counts, but the release's own counts know the rows
    better.
    """
    pay_check(book, write_people(tmp_path / "codes.csv", sexes="12"))
    plan = Plan(domain=DOMAIN, epsilon=Fraction(5), dataset="people", method=Method.DENSE)
    result = synthesize(plan, table, ledger=book)
    certificate = confirm_bundle(result, tmp_path, book)
    assert certificate.guarantee.epsilon == 7
    assert not result.is_noise
    assert MOSTLY_NOISE not in certificate.rows_fit
    assert "Checked before the release: about " in certificate.rows_fit


def act_before_the_spend(
    ledger: Ledger, act: Callable[[Ledger], object]
) -> Callable[[str], None]:
    """Return a progress that lets another process act after counting, right before the
    spend.
    """

    def report(stage: str) -> None:
        if stage in (RELEASE_STAGES[1], STAGES[1]):
            with Ledger(ledger.path) as other_ledger:
                act(other_ledger)

    return report


def _read_inquiry() -> Inquiry:
    return Inquiry.read(
        ["count where age >= 65"], DOMAIN, Guarantee.pure(1), dataset="people"
    )


@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT])
def test_what_others_record_while_rows_are_counted_is_in_the_certificate(
    method: Method, table: Path, tmp_path: Path, book: Ledger
) -> None:
    """Somebody else looks and pays a check for 2 while a release for 1 counts its rows: 3 in
    all.
    """

    def act(other_ledger: Ledger) -> None:
        look_at(DOMAIN, table, ledger=other_ledger, dataset="people")
        pay_check(other_ledger, add_a_row(table))

    plan = Plan(domain=DOMAIN, epsilon=Fraction(1), dataset="people", method=method)
    result = synthesize(plan, table, ledger=book, progress=act_before_the_spend(book, act))
    certificate = result.certificate
    assert (certificate.guarantee.epsilon, certificate.declaration.looked) == (3, True)
    assert result.plan.domain.looked
    assert result.record.domain.looked
    bundle = result.write_archive(tmp_path / "b.zip", book)
    assert verify(bundle, book, redraw=True).verdict is Verdict.CONFIRMED


def test_answers_say_of_a_look_while_rows_are_counted(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """Somebody else looks at the table while its rows are counted, and the certificate says
    so.
    """

    def act(other_ledger: Ledger) -> None:
        look_at(DOMAIN, table, ledger=other_ledger, dataset="people")

    answers = ask(
        _read_inquiry(), table, ledger=book, progress=act_before_the_spend(book, act)
    )
    assert LOOKED in answers.certificate.guarantee.statement
    bundle = answers.write_archive(tmp_path / "a.zip", book)
    assert verify(bundle, book).verdict is Verdict.CONFIRMED


def test_a_draft_whose_result_came_after_the_release_is_not_missed(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """It was paid first, and nobody saw its result before the release's line was written."""
    spends: list[Any] = []

    def act(other_ledger: Ledger) -> None:
        spends.append(
            other_ledger.spend(
                dataset="people",
                guarantee=Guarantee.pure(2),
                neighbors=REPLACE,
                purpose="draft",
            )
        )

    result = synthesize(PLAN, table, ledger=book, progress=act_before_the_spend(book, act))
    bundle = result.write_archive(tmp_path / "b.zip", book)
    (spend,) = spends
    paid = Preparation(
        kind="draft",
        guarantee=Guarantee.pure(2),
        neighbors=REPLACE,
        unit=ROW,
        entry=spend.hash,
        said={},
    )
    keep_preparation(book, spend, paid)
    assert result.certificate.guarantee.epsilon == 1
    assert verify(bundle, book).verdict is Verdict.CONFIRMED
    later = synthesize(PLAN, add_a_row(table), ledger=book)
    assert later.certificate.guarantee.epsilon == 3


def test_python_refuses_few_rows_by_a_check_of_the_dataset(
    table: Path, tmp_path: Path
) -> None:
    """A check for 2 says that few rows fit, so the release for 1 needs `anyway`, and costs 3
    in all.
    """
    where: dict[str, Any] = {"ledger": tmp_path / "l.db", "dataset": "people"}
    codes = write_people(tmp_path / "codes.csv", sexes="12")
    synth.check(codes, DOMAIN, 2, **where, budget=20)
    with pytest.raises(synth.SynthError, match="by the check"):
        synth.release(table, DOMAIN, 1, **where)
    release = synth.release(table, DOMAIN, 1, **where, anyway=True)
    assert release.certificate.guarantee.epsilon == 3
