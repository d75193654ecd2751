"""Collected files: all three kinds read alike, and everything that may be amiss with one."""

import csv
import io
import json
from collections.abc import Callable

import numpy as np
import pytest

from synth import limits
from synth.collecting import FormDesign, read_collected
from synth.collecting.answers import Content
from synth.errors import CollectError, LimitError
from tests.collecting.forms import answer_line, make_design

FORM = make_design()
PLACES = ((0, 2), (1, 1), (1, 0))
LINES = [answer_line(FORM, places, number) for number, places in enumerate(PLACES)]


def as_csv(header: list[str] | None = None) -> bytes:
    """The three answers as a CSV file, with another header if one is given."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(
        header or ["form", "epsilon", "person", *(q.text for q in FORM.questions)]
    )
    for line in map(json.loads, LINES):
        writer.writerow([line["form"], line["epsilon"], line["person"], *line["answers"]])
    return text.getvalue().encode()


@pytest.mark.parametrize(
    "files",
    [
        [(f"{i}.json", f"{line}\n".encode()) for i, line in enumerate(LINES)],
        [("all.jsonl", "\r\n\r\n".join(LINES).encode())],
        [("all.txt", b"\xef\xbb\xbf" + "\n".join(LINES).encode())],
        [
            ("one.json", json.dumps(json.loads(LINES[0]), indent=2).encode()),
            ("rest.json", "\n".join(LINES[1:]).encode()),
        ],
        [("all.csv", as_csv())],
        [("all.CSV", as_csv(["form", "epsilon", "person", "1", "2"]))],
    ],
)
def test_all_kinds_read_alike(files: list[Content]) -> None:
    """Three answers are the same people however they were collected.

    They come as a file each, as lines with blank ones or a mark at their beginning (BOM), as
    JSON over several lines, or as CSV. `PLACES` are the chosen options; of question 2 each
    was chosen once.
    """
    collected = read_collected(files, FORM)

    assert np.array_equal(collected.codes, PLACES)
    assert collected.people == 3
    assert collected.counts(1).tolist() == [1, 1, 1]


def change_answer(change: Callable[[dict[str, object]], object]) -> str:
    """The second answer with one change."""
    document = json.loads(LINES[1])
    change(document)
    return json.dumps(document)


def answer_to_other_form(form: FormDesign) -> str:
    return answer_line(form, [0] * len(form.questions))


DAMAGED = [
    (LINES[1][:-9], "is damaged: it is no whole JSON object"),
    ("[1]", "is no answer: it must hold form, epsilon, person, answers"),
    (change_answer(lambda d: d.update(truths=[0])), "is no answer: it must hold"),
    (change_answer(lambda d: d.pop("person")), "is no answer: it must hold"),
    (
        answer_to_other_form(make_design(3)),
        "was made with epsilon 3, and this form has epsilon 2.",
    ),
    (answer_to_other_form(make_design(sizes=(3,))), "is of another form."),
    (
        change_answer(lambda d: d.update(form=d["person"], epsilon="x" * 99)),
        "is of another form.",
    ),
    (change_answer(lambda d: d.update(epsilon="1")), "says another epsilon than its form."),
    (LINES[0], "has the person of 'a.txt', line 1, again; leave one of them."),
    (change_answer(lambda d: d.update(person="me")), "holds no person's number of 32"),
    (change_answer(lambda d: d.update(answers=["answer 0"])), "does not answer 2 questions."),
    (
        change_answer(lambda d: d.update(answers=["answer 0", "secret"])),
        "answers question 2 with none of its options.",
    ),
    (
        change_answer(lambda d: d.update(answers=[0, 1])),
        "answers question 1 with none of its options.",
    ),
    (LINES[1].replace("{", '{"form": 1, '), "is damaged: it is no whole JSON object"),
]


@pytest.mark.parametrize(("line", "says"), DAMAGED)
def test_one_line_amiss_refuses_all_in_one_sentence(line: str, says: str) -> None:
    """One damaged line refuses all answers, with the file, the line and the reason.

    The damaged line is the second of three. An answer ("secret") is never shown in the
    message.
    """
    text = "\n".join((LINES[0], line, LINES[2]))

    with pytest.raises(CollectError) as caught:
        read_collected([("a.txt", text.encode())], FORM)

    assert str(caught.value).startswith(f"'a.txt', line 2, {says}")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ([], "There are no answers."),
        ([("a.json", b" \n")], "'a.json' is empty."),
        ([("a.json", b"\xff\xfe")], "'a.json' is not UTF-8 text."),
        (
            [("a.csv", b"form,person\n")],
            "'a.csv' must begin with a line of form, epsilon, person and the questions.",
        ),
        ([("a.csv", as_csv()[:-12])], "'a.csv', line 4, has 4 cells, and the first has 5."),
        ([("a.csv", as_csv() + b'"')], "'a.csv' is damaged at line 5."),
        (
            [("a\n.json", b"{"), ("b.json", b"x"), ("c.json", b"")],
            "'a .json' is damaged: it is no whole JSON object, or "
            "says something twice (2 more are amiss).",
        ),
        (
            [("a.json", LINES[0].encode()), ("a (1).json", LINES[0].encode())],
            "'a (1).json' has the person of 'a.json' again; leave one of them.",
        ),
    ],
)
def test_a_wrong_file_of_answers_is_refused_in_one_sentence(
    files: list[Content], says: str
) -> None:
    """A file that holds no answers, or that is damaged, is refused in a sentence that names
    it.

    Of several such files the first is named, and the others are counted.
    """
    with pytest.raises(CollectError) as caught:
        read_collected(files, FORM)

    assert str(caught.value) == says


def test_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """More people, or a larger file, than the limit allows are refused.

    The limits are set to two people, for three answers, and to 0 MB.
    """
    monkeypatch.setattr(limits, "COLLECTED_PEOPLE", 2)
    with pytest.raises(LimitError, match="There are more than 2 people"):
        read_collected([("a.txt", "\n".join(LINES).encode())], FORM)

    monkeypatch.setattr(limits, "COLLECTED_MB", 0)
    with pytest.raises(LimitError, match=r"'a.txt' is larger than 0 MB"):
        read_collected([("a.txt", b"{}")], FORM)
