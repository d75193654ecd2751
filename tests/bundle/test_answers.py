"""The files of answers: what they say, in which cells, and that all of it is public."""

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth import limits
from synth.bundle import CONDITIONS, AnswersCertificate, writers_of
from synth.bundle.answers import answer_writers, answers_table
from synth.bundle.resources import ANSWER_COLUMNS
from synth.domain import read_schema
from synth.errors import ReleaseError
from synth.privacy import Guarantee, Neighbors, RowReading
from synth.questions import Inquiry
from tests.bundle.asked import DOMAIN, QUESTIONS, cached_answers
from tests.bundle.bundles import read_bundle

NAMES = {
    "answers.csv",
    "answers.json",
    "certificate.json",
    "certificate.schema.json",
    "croissant.json",
    "datapackage.json",
    "declaration.json",
    "inquiry.json",
    "open.html",
    "statement.txt",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a bundle of answers to the six `QUESTIONS`."""
    return read_bundle(
        cached_answers().write_archive(tmp_path_factory.mktemp("asked") / "a.zip")
    )


def test_there_is_a_line_for_each_number_and_no_cell_is_a_formula(
    files: dict[str, bytes],
) -> None:
    """answers.csv has a line for each number, and a text that begins with = gets an
    apostrophe.

    A spreadsheet would run that text as a formula.
    """
    header, *lines = csv.reader(io.StringIO(files["answers.csv"].decode()))
    assert tuple(header) == ANSWER_COLUMNS

    # A table has as many numbers as labels; other answers have one.
    content = json.loads(files["answers.json"])["answers"]
    label_counts = [len(answer_line.get("labels", "1")) for answer_line in content]
    assert len(lines) == sum(label_counts)

    assert [line[1] for line in lines if line[0] == "table job"] == [
        "'=cook",
        "tailor",
        "clerk",
    ]

    # The most frequent job is chosen privately, so it has no interval.
    (chosen,) = (line for line in lines if line[0] == "top 1 job")
    assert chosen[2].removeprefix("'") in ("=cook", "tailor", "clerk")
    assert chosen[3:5] == ["", ""]

    # The first count has its noisy value, its interval, and the noise by which it was
    # measured.
    first_answer = content[0]
    assert lines[0][2:] == [
        *(str(first_answer[name]) for name in ("value", "low", "high", "expected_error")),
        "l-infinity",
    ]


def test_the_statement_says_what_is_promised_and_every_caveat(
    files: dict[str, bytes],
) -> None:
    """The statement has the guarantee, every caveat, every question, and what each cost.

    Four of the six questions share K-norm noise for epsilon 2/3. Entry 1 of the ledger is the
    budget.
    """
    statement = " ".join(files["statement.txt"].decode().split())
    for caveat in (*CONDITIONS, RowReading.LINES.caveat, *AnswersCertificate.CAVEATS):
        assert caveat in statement

    assert (
        "The released files are 1-differentially private for tables that differ in one"
        in statement
    )

    for question in QUESTIONS:
        assert question in statement
    assert (
        "Questions 1, 3, 5, 6: noise on all numbers at once (l-infinity); K-norm" in statement
    )
    assert "(exact). Cost: epsilon 2/3." in statement
    assert "Spend: entry 2 of the steward's ledger." in statement


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"guarantee": Guarantee.zcdp(Fraction(1, 100))}, "The spend is rho = 0.01 (zCDP)"),
        (
            {"questions": ["count"]},
            "public information only, and nothing about any row. The privacy unit",
        ),
        (
            {"guarantee": Guarantee.zcdp(Fraction(1, 100))},
            "With a probability of at most 1e-09 (delta), the guarantee fails.",
        ),
        (
            {"neighbors": Neighbors.ADD_REMOVE, "questions": ["count"]},
            "Number of rows: private.",
        ),
        ({"questions": ["count"]}, "Question 1: public already; nothing was spent."),
        ({"questions": ["table age by job"]}, "numbers, in answers.csv"),
    ],
)
def test_the_statement_of_other_answers(
    tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    """The statement names what differs: the spend, a delta, public answers, or private rows.

    `options` are the questions ("mean age" if there are none) and how they are asked.
    """
    options = dict(options)
    answers = cached_answers(*options.pop("questions", ("mean age",)), **options)
    files = read_bundle(answers.write_archive(tmp_path / "a.zip"))

    assert sentence in " ".join(files["statement.txt"].decode().split())


def test_it_can_be_asked_again(files: dict[str, bytes]) -> None:
    """The files of a bundle give back the inquiry and the declared domain as they were."""
    inquiry = Inquiry.from_json(json.loads(files["inquiry.json"]))
    assert inquiry == Inquiry.read(QUESTIONS, DOMAIN, Guarantee.pure(1), dataset="staff")
    assert read_schema(files["declaration.json"]) == DOMAIN


def test_a_folder_and_a_zip_hold_the_same_files(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    """Answers in a folder and in a zip file have the same bytes, and so has a second zip
    file.

    In the zip file the certificate comes first.
    """
    answers = cached_answers()
    written = answers.write(tmp_path / "folder")
    zipped = read_bundle(answers.write_archive(tmp_path / "a.zip"))

    assert {name: path.read_bytes() for name, path in written.items()} == zipped
    assert set(zipped) == set(files) == NAMES
    assert next(iter(zipped)) == "certificate.json"

    again = answers.write_archive(tmp_path / "again.zip")
    assert again.read_bytes() == (tmp_path / "a.zip").read_bytes()


def test_files_follow_from_what_came_out_alone(tmp_path: Path) -> None:
    """Two bundles with the same noisy numbers (all 0) have the same files.

    So nothing else of a run gets into them.
    """
    answers = cached_answers()
    noisy = tuple(np.zeros_like(noisy_part) for noisy_part in answers.noisy)

    pair = [
        read_bundle(replace(answers, noisy=noisy).write_archive(tmp_path / name))
        for name in ("first.zip", "second.zip")
    ]

    assert pair[0] == pair[1]


def test_no_answer_and_no_interval_are_empty_cells(tmp_path: Path) -> None:
    """A mean of no rows has no answer, and its cells in answers.csv are empty.

    Jobs that were chosen privately have no label, and they differ from each other.
    """
    answers = cached_answers("mean age where age >= 89 and job = tailor", "top 2 job")

    # The noisy sums of the mean become 0, as noise alone could look like enough rows.
    mean, *others = answers.noisy
    answers = replace(answers, noisy=(np.zeros_like(mean), *others))

    lines = answers_table(answers.certificate).to_pylist()
    assert lines[0]["value"] == lines[0]["low"] == ""
    assert [line["label"] for line in lines[1:]] == ["", ""]
    assert len({line["value"] for line in lines[1:]}) == 2

    files = read_bundle(answers.write_archive(tmp_path / "a.zip"))
    assert "   no answer" in files["statement.txt"].decode()


def test_a_certificate_that_nobody_could_read_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate above the size that `verify` reads is refused before any file is
    written.
    """
    answers = cached_answers()

    # The functions that write the files can be had in two ways, and name the same ones.
    before = answers.certificate, answers.inquiry
    assert set(answer_writers(*before)) == set(writers_of(*before))

    # With a limit of 0 MB every certificate is too large.
    monkeypatch.setattr(limits, "RECORD_MB", 0)
    with pytest.raises(ReleaseError) as caught:
        answers.write(tmp_path / "folder")
    assert str(caught.value) == (
        "The certificate of these answers is larger than 0 MB, the limit; ask fewer "
        "questions, or tables of fewer cells."
    )
