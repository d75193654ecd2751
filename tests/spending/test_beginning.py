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
    """Write a table of ages 20 to 69 and of two sexes in turn; by default all rows fit."""
    lines = [f"{20 + i % 50},{sexes[i % 2]}\n" for i in range(rows)]
    path.write_text("age,sex\n" + "".join(lines))
    return path


def write_package(table: Path) -> Path:
    """Write the same bytes as a gzip file."""
    packed = table.with_name("copy.csv.gz")
    packed.write_bytes(gzip.compress(table.read_bytes()))
    return packed


def add_a_row(table: Path) -> Path:
    """Write a table of 401 rows, one more than `write_people` has."""
    return write_people(table.with_name("longer.csv"), rows=401)


def type_columns(table: Path) -> Path:
    """Write the same rows as Parquet, so that ages are integers."""
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
    """The path of a table of 400 people with ages and sexes, all of which fit `DOMAIN`."""
    return write_people(tmp_path / "t.csv")


def open_book(folder: Path, *datasets: str) -> Ledger:
    """Open a ledger file with a budget of epsilon 30 for each dataset."""
    ledger = Ledger(folder / "ledger.db")
    for dataset in datasets or ("people",):
        ledger.set_budget(dataset, parse_budget("30", REPLACE))
    return ledger


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    """A ledger file with a budget of epsilon 30 for the dataset 'people'."""
    return open_book(tmp_path)


def pay_check(
    ledger: Ledger, source: Any, dataset: str = "people", epsilon: int = 2
) -> Preparation:
    """Check, by default for epsilon 2, how many rows fit; return what the ledger records."""
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
    """A look and a paid check of a dataset count for every later version of its file.

    The check costs epsilon 2 and the release 1, so its certificate claims 3. The file is
    changed in between as the parameter says.
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
    """Spaces around a dataset's name make no other dataset.

    The check of ' people ' costs epsilon 2, and the release of 'people' costs 1: together 3.
    """
    pay_check(book, table, dataset="  people ")
    result = synthesize(PLAN, add_a_row(table), ledger=book)
    assert result.certificate.guarantee.epsilon == 3


def test_a_draft_counts_although_the_declaration_was_typed(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """A draft for 5 and a release for 1 of the same dataset cost 6 in all.

    This holds whether the declaration was typed or is the drafted one. The drafted one names
    the draft itself, which is then not counted twice.
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
    """A look and a check of the same file count, even if they were recorded for another
    dataset.

    The check costs 2 and the release 1: 3 in all. A file with one more row is another table,
    so only the 1 of its own release counts.
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
    # A check that protects persons is left out: it cannot be added to a guarantee of rows.
    check_fit(by_person, table, ledger=book)

    same = confirm_bundle(synthesize(PLAN, table, ledger=book), tmp_path, book)
    assert (same.guarantee.epsilon, same.declaration.looked) == (3, True)

    changed = synthesize(PLAN, add_a_row(table), ledger=book).certificate
    assert (changed.guarantee.epsilon, changed.declaration.looked) == (1, False)


def test_a_look_at_a_table_that_the_ledger_cannot_recognise_belongs_to_its_dataset(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """A look at a table without a fingerprint counts for all later tables of its dataset.

    A table on a Spark cluster has no files here, so the ledger cannot recognise it: its mark
    is empty. Two such looks are recorded once.
    """
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
    """`verify` refutes a certificate that omits a paid check which the ledger knows.

    To forge it, the release is made while the function that recalls earlier payments finds
    none.
    """
    pay_check(book, add_a_row(table))

    with patch("synth.spending.beginning.collect", lambda *_, **__: ()):
        silent = synthesize(PLAN, table, ledger=book)

    bundle = silent.write_archive(tmp_path / "b.zip", book)
    with pytest.raises(RefutedError, match="leaves out a check that the ledger records"):
        verify(bundle, book)


def test_a_certificate_that_hides_a_look_at_another_file_is_refuted(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """`verify` refutes a release and answers that do not tell of a look which the ledger
    knows.

    To forge them, both are made while the function that recalls looks finds none.
    """
    look_at(DOMAIN, add_a_row(table), ledger=book, dataset="people")

    with patch("synth.spending.purchase.tables_looked_at", lambda *_, **__: []):
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
    """A release of mended rows is not called noise because of a check before they were
    mended.

    When the check was paid, for 2, the sexes were coded 1 and 2, so that no row fit. It
    counts for the guarantee, 2 + 5 = 7. But the release's own noisy counts show that the rows
    now fit.
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
    """Return a progress callback with which somebody else acts on the same ledger file.

    It acts when the rows are counted, right before the spend is recorded.
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
@pytest.mark.first_case
def test_what_others_record_while_rows_are_counted_is_in_the_certificate(
    method: Method, table: Path, tmp_path: Path, book: Ledger
) -> None:
    """The certificate counts what others record between the counting and the spend.

    While this release for 1 counts its rows, somebody else looks at exact numbers and pays a
    check for 2: the certificate claims 3 and tells of the look.
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


@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT])
def test_a_release_made_again_has_the_certificate_of_its_time(
    method: Method, table: Path, tmp_path: Path, book: Ledger
) -> None:
    """What was looked at and paid for after a release is not told as if it came before.

    The same request later gives the same certificate, and `verify` confirms both.
    """
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1), dataset="people", method=method)
    first = synthesize(plan, table, ledger=book)
    look_at(DOMAIN, table, ledger=book, dataset="people")
    pay_check(book, table)

    again = synthesize(plan, table, ledger=book)

    assert again.repeated
    assert again.certificate == first.certificate
    bundle = again.write_archive(tmp_path / "b.zip", book)
    assert verify(bundle, book, redraw=True).verdict is Verdict.CONFIRMED


def test_answers_asked_again_have_the_certificate_of_their_time(
    table: Path, book: Ledger
) -> None:
    """A look after answers is not told as if it came before them."""
    first = ask(_read_inquiry(), table, ledger=book)
    look_at(DOMAIN, table, ledger=book, dataset="people")

    again = ask(_read_inquiry(), table, ledger=book)

    assert again.repeated
    assert again.certificate == first.certificate


def test_answers_say_of_a_look_while_rows_are_counted(
    table: Path, tmp_path: Path, book: Ledger
) -> None:
    """Answers tell of a look at exact numbers by somebody else while the rows
    were counted.
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
    """A draft whose result nobody had seen before a release does not count for that release.

    It was paid first, right before the release's spend, but its result was stored only later.
    So the release stays at 1 and is confirmed, and the next one counts the draft: 1 + 2 = 3.
    """
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
    """After a check that found few fitting rows, a release needs `anyway=True`.

    The sexes of the checked file were coded 1 and 2, so no row fit. The check cost 2 and the
    release costs 1: 3 in all.
    """
    where: dict[str, Any] = {"ledger": tmp_path / "l.db", "dataset": "people"}
    codes = write_people(tmp_path / "codes.csv", sexes="12")
    synth.check(codes, DOMAIN, 2, **where, budget=20)

    with pytest.raises(synth.SynthError, match="by the check"):
        synth.release(table, DOMAIN, epsilon=1, **where)

    release = synth.release(table, DOMAIN, epsilon=1, **where, anyway=True)
    assert release.certificate.guarantee.epsilon == 3
