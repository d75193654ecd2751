"""The page Collect without a browser: a form is made, answers are read, and what is
refused.
"""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.collect.choices import EXAMPLE, Collecting
from synth.collecting import FormDesign, form_html
from tests.app.steward import error_texts, go_to, press, text_of, visit
from tests.collecting.forms import answer_line, make_design


@pytest.fixture
def page() -> AppTest:
    """The page Collect, with its example of two questions."""
    return visit("collect")


def answer_lines(of: FormDesign, people: int = 60) -> bytes:
    """Return the lines that people send to a form, whose options they take in turn."""
    places = [[number % size for size in of.shape] for number in range(people)]
    return "\n".join(
        answer_line(of, chosen_places, number) for number, chosen_places in enumerate(places)
    ).encode()


def hand_in(page: AppTest, content: bytes, name: str = "all.jsonl") -> AppTest:
    """Upload answers on the page."""
    return page.file_uploader[1].upload(name, content, "text/plain").run()


def test_a_form_is_described_and_planned(page: AppTest) -> None:
    """The page says how many people are needed for an error of 5 percentage points, and
    follows the epsilon. Its table and its command line describe the form with the two example
    questions.
    """
    assert not page.exception
    assert not page.error
    assert "participants**, every estimated share is within 5 percentage points" in text_of(
        page
    )
    assert "this is certified" in " ".join(caption.value for caption in page.caption)

    before = text_of(page)
    page.text_input(key="collect epsilon").input("1").run()
    assert text_of(page) != before

    assert list(page.dataframe[0].value["question"]) == [
        line.split(" [")[0] for line in EXAMPLE.splitlines()
    ]
    assert "synth collect form --epsilon 1" in page.code[0].value


def test_what_cannot_be_asked_is_one_sentence(page: AppTest) -> None:
    """A question asked twice, options without brackets, or an error of 5 (as a share) is one
    sentence. The first two questions differ in case only.
    """
    page.text_area(key="collect questions").input("So?\nso?").run()
    assert not page.exception
    assert error_texts(page) == ["The question 'so?' is asked twice."]

    page.text_area(key="collect questions").input("How often? never | often").run()
    assert "Put the options in brackets" in error_texts(page)[0]

    page.text_area(key="collect questions").input("So?").run()
    page.text_input(key="collect error").input("5").run()
    assert error_texts(page) == [
        "The error must be a share above 0 and below 1, such as 0.05."
    ]


def test_answers_are_read_and_stay_when_the_page_is_left(page: AppTest) -> None:
    """The page estimates shares from answers, and keeps them while another page is open.

    Half of the 60 people took the first option of the question with two options. Two
    questions of 2 and 3 options have six joint shares. Sixty people are far too few for the
    wanted error.
    """
    hand_in(page, answer_lines(Collecting().design()))
    assert not page.exception
    assert "**60 people** answered, each with epsilon 2 over 2 questions" in text_of(page)
    assert "Far too few: 4,751 people are needed" in page.warning[0].value

    shares = page.dataframe[2].value
    assert list(shares.columns) == ["question", "answer", "share"]
    assert [share_text.startswith("50 % (") for share_text in shares["share"][:2]] == [
        True
    ] * 2

    joint = page.dataframe[4].value
    assert joint.shape == (6, 3)
    assert not any("-" in share for share in joint["share"])

    go_to(go_to(page, "learn"), "collect")
    assert "**60 people** answered" in text_of(page)


def test_answers_amiss_are_one_sentence_and_those_before_stay(page: AppTest) -> None:
    """A file with answers to another form, or a damaged line, is refused with one sentence.

    The seven answers that were read before stay. A file has 60 lines, so 59 more are of the
    wrong form, and line 61 is the damaged one.
    """
    hand_in(page, answer_lines(Collecting().design(), 7))

    for content, says in (
        (
            answer_lines(make_design(1)),
            "'all.jsonl', line 1, was made with epsilon 1, and this form has",
        ),
        (
            answer_lines(make_design(2)),
            "'all.jsonl', line 1, is of another form (59 more are amiss).",
        ),
        (answer_lines(Collecting().design()) + b"\n{", "'all.jsonl', line 61, is damaged"),
    ):
        hand_in(page, content)
        assert not page.exception
        assert [says in error for error in error_texts(page)] == [True]
        assert "**7 people** answered" in text_of(page)


def test_another_form_is_read_and_let_go(page: AppTest) -> None:
    """The user can upload the form that was used, and its answers are then read by it.

    Going back to the form above removes the results. A file that is no form is refused.
    """
    other_form = make_design(3, sizes=(2,))
    page.file_uploader[0].upload(
        "my_form.html", form_html(other_form).encode(), "text/html"
    ).run()
    assert "The form for these answers: my_form.html" in text_of(page)

    hand_in(page, answer_lines(other_form))
    assert "each with epsilon 3 over 1 question" in text_of(page)

    press(page, "Use the form above instead")
    assert "Results" not in [header.value for header in page.header]

    page.file_uploader[0].upload("no.html", b"<html>", "text/html").run()
    assert "'no.html' is neither a form nor the design of one." in text_of(page)
