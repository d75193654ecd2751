"""Files of questions."""

import json
from pathlib import Path

import pytest

from synth import limits
from synth.errors import LimitError, QuestionError
from synth.questions import parse, read_questions

BOTH = ["count", {"kind": "mean", "columns": ["age"], "weight": 0.1}]


def test_questions_are_read_from_texts_bytes_and_files(tmp_path: Path) -> None:
    """A list of questions is read alike from a text, from bytes and from a file.

    The list holds one question as a text and one as a JSON object. The file holds it under
    the key `questions`, and begins with a byte order mark.
    """
    expected = (parse("count"), parse("mean age weight 0.1"))
    text = json.dumps(BOTH)
    assert read_questions(text) == read_questions(text.encode()) == expected

    path = tmp_path / "questions.json"
    path.write_text(json.dumps({"questions": BOTH}), encoding="utf-8-sig")
    assert read_questions(path) == expected


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", r"^The list of questions is not valid JSON at line 1\.$"),
        ("[\n1,,\n]", r"^The list of questions is not valid JSON at line 2\.$"),
        (b"\xff", r"^The list of questions is not UTF-8 text\.$"),
        ("\ud800", r"^The list of questions is not UTF-8 text\.$"),
        ("[" * 100_000, r"^The list of questions is nested too deeply\.$"),
        ("[" + "9" * 5000 + "]", r"^The list of questions is not valid JSON\.$"),
        (
            "{}",
            r"^The questions must be a JSON list of texts and objects, or an object with "
            r"such",
        ),
        ('"count"', r"^The questions must be a JSON list"),
        ('{"questions": [], "note": 1}', r"^The questions must be a JSON list"),
        ('{"questions": {}}', r"^The questions must be a JSON list"),
        ("[]", r"^There is no question\.$"),
        (
            '[{"kind": "count", "kind": "share"}]',
            r"The list of questions says 'kind' twice; leave one\.$",
        ),
        ("[5]", r"^A question must be a text or a JSON object with a 'kind'\.$"),
        (
            '["count", "cont"]',
            r"^Question 2: The question cannot be read at 'cont' \(character 1",
        ),
        ('["count", {"kind": "x"}]', r"^Question 2: The 'kind' of a question must be one of"),
        (
            Path("/nowhere/at/all.json"),
            r"^The file of questions '/nowhere/at/all.json' cannot be",
        ),
    ],
)
def test_what_is_no_list_of_questions_is_refused(
    source: str | bytes | Path, message: str
) -> None:
    """What is no list of questions in JSON is refused with a message that says why.

    Among the cases are text that is not UTF-8, lists nested too deeply, a number of too many
    digits, a key that is there twice, and a file that does not exist.
    """
    with pytest.raises(QuestionError, match=message):
        read_questions(source)


def test_too_many_questions_and_too_many_bytes_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """More than 10,000 questions, or more bytes than the limit, are refused."""
    with pytest.raises(
        LimitError, match=r"^There are 10,001 questions; the limit is 10,000\.$"
    ):
        read_questions(json.dumps(["count"] * 10_001))

    # With a limit of 0 MB any text is too large.
    monkeypatch.setattr(limits, "QUESTIONS_MB", 0)
    with pytest.raises(LimitError, match=r"^The questions are larger than 0 MB\.$"):
        read_questions("[]")
