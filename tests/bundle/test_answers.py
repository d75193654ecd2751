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
    "statement.txt",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return read_bundle(
        cached_answers().write_archive(tmp_path_factory.mktemp("asked") / "a.zip")
    )


def test_there_is_a_line_for_each_number_and_no_cell_is_a_formula(
    files: dict[str, bytes],
) -> None:
    """An answer with several numbers has a line each; a value that begins
    with = is quoted.
    """
    header, *lines = csv.reader(io.StringIO(files["answers.csv"].decode()))
    assert tuple(header) == ANSWER_COLUMNS
    content = json.loads(files["answers.json"])["answers"]
    label_counts = [len(answer_line.get("labels", "1")) for answer_line in content]
    assert len(lines) == sum(label_counts)
    assert [line[1] for line in lines if line[0] == "table job"] == [
        "'=cook",
        "tailor",
        "clerk",
    ]
    (chosen,) = (line for line in lines if line[0] == "top 1 job")
    assert chosen[2].removeprefix("'") in ("=cook", "tailor", "clerk")
    assert chosen[3:5] == ["", ""]
    first = content[0]
    assert lines[0][2:] == [
        *(str(first[name]) for name in ("value", "low", "high", "expected_error")),
        "l-infinity",
    ]


def test_the_statement_says_what_is_promised_and_every_caveat(
    files: dict[str, bytes],
) -> None:
    """Four of six questions share K-norm noise for epsilon 2/3."""
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
    options = dict(options)
    answers = cached_answers(*options.pop("questions", ("mean age",)), **options)
    files = read_bundle(answers.write_archive(tmp_path / "a.zip"))
    assert sentence in " ".join(files["statement.txt"].decode().split())


def test_it_can_be_asked_again(files: dict[str, bytes]) -> None:
    inquiry = Inquiry.from_json(json.loads(files["inquiry.json"]))
    assert inquiry == Inquiry.read(QUESTIONS, DOMAIN, Guarantee.pure(1), dataset="staff")
    assert read_schema(files["declaration.json"]) == DOMAIN


def test_a_folder_and_a_zip_hold_the_same_files(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    """The certificate comes first, and writing again gives the same bytes."""
    answers = cached_answers()
    written = answers.write(tmp_path / "folder")
    zipped = read_bundle(answers.write_archive(tmp_path / "a.zip"))
    assert {name: path.read_bytes() for name, path in written.items()} == zipped
    assert set(zipped) == set(files) == NAMES
    assert next(iter(zipped)) == "certificate.json"
    again = answers.write_archive(tmp_path / "again.zip")
    assert again.read_bytes() == (tmp_path / "a.zip").read_bytes()


def test_files_follow_from_what_came_out_alone(tmp_path: Path) -> None:
    """The same noisy numbers give the same files, whatever the table was."""
    answers = cached_answers()
    noisy = tuple(np.zeros_like(noisy_part) for noisy_part in answers.noisy)
    first, second = (replace(answers, noisy=noisy) for _ in range(2))
    pair = [
        read_bundle(result.write_archive(tmp_path / f"{i}.zip"))
        for i, result in enumerate((first, second))
    ]
    assert pair[0] == pair[1]


def test_no_answer_and_no_interval_are_empty_cells(tmp_path: Path) -> None:
    """With no rows left after noise a mean has no answer, and what was chosen has no
    interval.
    """
    answers = cached_answers("mean age where age >= 89 and job = tailor", "top 2 job")
    mean, *others = answers.noisy  # seldom the noise alone would look like enough rows
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
    """What would exceed the limit of `verify` is refused before the files are written."""
    answers = cached_answers()
    before = answers.certificate, answers.inquiry
    assert set(answer_writers(*before)) == set(writers_of(*before))
    monkeypatch.setattr(limits, "RECORD_MB", 0)
    with pytest.raises(ReleaseError) as caught:
        answers.write(tmp_path / "folder")
    assert str(caught.value) == (
        "The certificate of these answers is larger than 0 MB, the limit; ask fewer "
        "questions, or tables of fewer cells."
    )
