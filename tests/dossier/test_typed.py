"""Typed answers: their file, its published schema, and what is refused."""

import json
from typing import Any

import pytest

from synth import limits
from synth.dossier import QUESTIONS, TypedAnswers, list_questions, read_typed_answers
from synth.dossier.typed import MAX_BYTES, load_typed_answers
from synth.errors import ReleaseError
from tests.published.changes import faults

RIGHT = {"format": "synth-dossier-answers-1", "answers": {"purpose": "teaching"}}
DIGEST = "0" * 64


def test_a_file_of_answers_is_read_as_it_was_written() -> None:
    """The file names open questions with an empty text, which is read as no answer."""
    typed = TypedAnswers({"purpose": "a\nb \u0141"}, DIGEST)
    content = typed.to_bytes(list_questions(frozenset(QUESTIONS)))
    written = json.loads(content)
    assert list(written["answers"]) == list(QUESTIONS)
    assert written["answers"]["contact"] == ""
    assert read_typed_answers(content) == typed
    assert faults("dossier.answers", json.loads(typed.to_bytes())) == []


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({"purpose": 3}, "'purpose' is no text"),
        ({"unknown": "x"}, "a question that this version"),
        ({"sector": "Farming"}, "is one of Technology"),
        ({"published": "30.11.2026"}, "is a day, such as"),
        ({"published": "20261130"}, "is a day, such as"),
        ({"purpose": "x" * (limits.DOSSIER_ANSWER + 1)}, "more than 4,000 characters"),
    ],
)
def test_what_is_no_answer_is_refused_in_one_sentence(answers: Any, sentence: str) -> None:
    """The reader refuses it, and the schema does, but for days of other forms."""
    document = {**RIGHT, "answers": answers}
    with pytest.raises(ReleaseError, match=sentence):
        read_typed_answers(json.dumps(document).encode())
    assert faults("dossier.answers", document) or "published" in answers


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"answers": {}},
        {**RIGHT, "format": "synth-dossier-answers-2"},
        {**RIGHT, "more": 1},
        {**RIGHT, "answers": []},
        {**RIGHT, "certificate_sha256": 3},
        {"format": RIGHT["format"]},
    ],
)
def test_what_is_no_file_of_answers_is_refused(document: Any) -> None:
    with pytest.raises(ReleaseError):
        read_typed_answers(json.dumps(document).encode())
    assert faults("dossier.answers", document)


def test_a_text_that_no_file_can_hold_is_refused() -> None:
    content = json.dumps({**RIGHT, "answers": {"purpose": "\ud800"}}).encode()
    with pytest.raises(ReleaseError, match="is no text"):
        read_typed_answers(content)


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Any) -> None:
    with pytest.raises(ReleaseError, match="cannot be read: there is no such file"):
        load_typed_answers(tmp_path / "answers.json")
    (tmp_path / "answers.json").write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(ReleaseError, match="too large"):
        load_typed_answers(tmp_path / "answers.json")


def test_every_question_of_the_schema_has_a_topic() -> None:
    for key, question in QUESTIONS.items():
        assert question.topic, key
        assert question.text.endswith((".", "?"))
