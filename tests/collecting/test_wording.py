"""Questions as lines and as JSON, and what is wrong with some."""

import json
from pathlib import Path

import pytest

from synth import limits
from synth.collecting import closed_text, parse_closed, read_closed
from synth.collecting.design import ClosedQuestion
from synth.errors import LimitError, QuestionError, SynthError

LINES = "Do you smoke?\n\nHow often do you swim? [never | now and then | often]\n"


def test_lines_and_json_say_the_same(tmp_path: Path) -> None:
    """Questions are the same as lines of text, as JSON objects and as JSON texts.

    The lines begin with a byte order mark and end with CRLF. A question without options is
    one of yes or no.
    """
    path = tmp_path / "questions.txt"
    path.write_bytes(b"\xef\xbb\xbf" + LINES.replace("\n", "\r\n").encode())
    questions = read_closed(path)
    assert [q.options for q in questions] == [
        ("yes", "no"),
        ("never", "now and then", "often"),
    ]

    documents = [q.to_json() for q in questions]
    assert read_closed(json.dumps(documents)) == questions
    assert (
        read_closed(json.dumps({"questions": [closed_text(q) for q in questions]}))
        == questions
    )
    assert read_closed(json.dumps([{"question": "Do you smoke?"}])) == questions[:1]


def test_a_text_with_bars_survives_as_a_line() -> None:
    """A question whose text has a bar is written with its options in brackets, and read back
    the same.

    A line without brackets is a question of yes or no.
    """
    question = ClosedQuestion("Tea | coffee?")

    assert closed_text(question) == "Tea | coffee? [yes | no]"
    assert parse_closed(closed_text(question)) == question
    assert parse_closed("Do you smoke, ever?").options == ("yes", "no")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "There is no question."),
        (
            "How often? never | often",
            "Line 1: Put the options in brackets, with bars between",
        ),
        ("Do you smoke? yes/no", "Line 1: Put the options in brackets"),
        ("How often? [never | often", "Line 1: Put the options in brackets"),
        ("[]", "The questions must be a JSON list of texts and objects, not empty."),
        ("So?\nSo? [a | a]", "Line 2: Question 'So?' lists the option 'a' twice."),
        ("So? []", "Line 1: Question 'So?': an option is empty."),
        ('["So?", 3]', "Question 2: it must be a text, or an object with 'question' and"),
        ('[{"question": "So?", "more": 1}]', "Question 1: it must be a text, or an object"),
        ('[{"question": "So?", "options": "ab"}]', "Question 1: its options must be a list"),
        ('["So?",', "The list of questions is not valid JSON at line 1."),
        ('[{"question": "a", "question": "b"}]', "The list of questions says 'question'"),
        ("[" * 100_000, "The list of questions is nested too deeply"),
    ],
)
def test_questions_that_cannot_be_read(text: str, says: str) -> None:
    """A list of questions that cannot be read is refused, with the line or the question at
    fault.
    """
    with pytest.raises(QuestionError) as caught:
        read_closed(text)

    assert str(caught.value).startswith(says)


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file, bytes that are no UTF-8, and a file above the limit of 0 MB are
    refused.
    """
    with pytest.raises(QuestionError, match="cannot be read"):
        read_closed(tmp_path / "nowhere")
    with pytest.raises(QuestionError, match="not UTF-8"):
        read_closed(b"\xff\xfe")

    monkeypatch.setattr(limits, "FORM_MB", 0)
    with pytest.raises(LimitError, match="larger than 0 MB"):
        read_closed(b"So?")


def test_a_bracket_that_lists_no_options_is_text() -> None:
    assert parse_closed("Is [this] so?").text == "Is [this] so?"
    with pytest.raises(SynthError):
        parse_closed("[a | b]")
