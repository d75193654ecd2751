"""The step Ask without a browser: questions, forecast, one spend, answers, nothing twice."""

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.ask import words
from pages.ui.ask.forecasts import AUTOMATIC
from pages.ui.shell import state
from pages.ui.shell.ask_choices import Choices
from pages.ui.shell.job import ZIP
from synth.domain import Categorical, Domain, Integer, write_schema
from synth.estimate import WayName
from synth.foreign import in_code, in_markdown
from synth.lessons import survey_domain, write_example
from synth.questions import NO_VALUE, Answer, example_questions, parse
from synth.verification import verify
from synth.verification.checks import VerifiedAnswers
from tests.app import steward
from tests.app.steward import (
    choose,
    choose_example,
    draft_of,
    error_texts,
    go_to,
    press,
    text_of,
    use_file,
    visit,
)

# A question that several tests ask.
COUNT = "count where age >= 65"


@pytest.fixture
def page() -> AppTest:
    """The step Ask of the simulated survey."""
    return visit("ask", choose_example())


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The simulated survey as a file that counts as real."""
    return write_example(tmp_path)[0].rename(tmp_path / "people.csv")


def visit_with_table(table: Path) -> AppTest:
    """The step Ask of a table that counts."""
    app = use_file(visit(), table)
    document = json.dumps(write_schema(survey_domain())).encode()
    go_to(app, "domain").file_uploader[0].upload("d.json", document, "application/json").run()
    return go_to(choose(app, about_rows=20_000), "ask")


def add_questions(app: AppTest, *questions: str) -> AppTest:
    """Type each question into the line of the step Ask."""
    for question in questions:
        app.text_input(key="question").input(question).run()
    return app


def buy_answers(app: AppTest) -> AppTest:
    """Confirm the spend and press the button that asks."""
    app.checkbox(key="ask agreed").check().run()
    return next(b for b in app.button if b.label.startswith("Ask ")).click().run()


def button_labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def expected_errors(app: AppTest) -> list[str]:
    """Return the average error of each question, as the page shows it."""
    return list(app.dataframe[0].value["Average error"])


def test_it_needs_no_plan_and_is_locked_without_a_declaration(table: Path) -> None:
    """The step Ask needs a table and a declared column, but no plan.

    Until then it says what is missing, and its button is disabled.
    """
    app = visit("ask")
    assert "Choose a table" in text_of(app)

    use_file(go_to(app, "data"), table)
    assert "Describe at least one column" in text_of(go_to(app, "ask"))
    assert not app.text_input

    go_to(app, "domain")
    assert next(b for b in app.button if b.label == "Or: Ask").disabled

    app.session_state["draft"] = draft_of(app).with_declaration(write_schema(survey_domain()))
    press(app.run(), "Or: Ask")
    assert app.title[0].value == "Ask"


def test_a_question_is_written_forecast_and_answered(page: AppTest) -> None:
    """A count has an average error before it is paid for, and afterwards an answer with an
    interval. By default it costs epsilon 0.2, so the noise has scale 1 / 0.2 = 5 rows, which
    is its mean size. COUNT is a count of people aged 65 or more.
    """
    add_questions(page, COUNT)
    assert [str(question) for question in draft_of(page).asking.questions] == [COUNT]
    assert page.text_input(key="question").value == ""
    assert expected_errors(page) == ["± 5 rows"]
    assert next(b for b in page.button if b.label.startswith("Ask ")).disabled

    buy_answers(page)
    assert not page.exception
    assert not page.error

    (answered,) = draft_of(page).answers
    (answer,) = answered.asked.answers
    assert answer.low[0] <= answer.value[0] <= answer.high[0]
    assert "This cost **epsilon" in text_of(page)
    assert "Looking at it again spends nothing" in text_of(page)


def test_a_wrong_question_is_one_sentence_and_stays_to_be_mended(page: AppTest) -> None:
    """A question that cannot be asked is one sentence, and stays on the line to be corrected.

    It is still there after a visit to another page. A valid question then removes the
    sentence.
    """
    for question, says in (
        ("mean sex", "sex"),
        ("count where age >= 500", "age"),
        ("how many people", "count"),
        ("count where agee >= 65", "did you mean 'age'"),
    ):
        add_questions(page, question)
        assert [says in error for error in error_texts(page)] == [True]
        assert page.text_input(key="question").value == question

    assert not draft_of(page).asking.questions
    go_to(go_to(page, "plan"), "ask")
    assert page.text_input(key="question").value == question

    add_questions(page, COUNT)
    assert not page.error


def test_questions_are_weighed_removed_and_not_asked_twice(page: AppTest) -> None:
    """A question can have a weight, which changes the average errors, and can be removed.

    A wrong weight is one error, and a question that is there already is not added again.
    """
    add_questions(page, COUNT, "mean age by sex")
    both = expected_errors(page)

    weight_of_count = f"weight 0 {COUNT}"
    assert page.text_input(key=weight_of_count).label == f"Weight of {in_code(COUNT)}"
    page.text_input(key=weight_of_count).input("3").run()
    assert [int(question.weight) for question in draft_of(page).asking.questions] == [3, 1]
    assert expected_errors(page) != both

    page.text_input(key=weight_of_count).input("lots").run()
    assert len(page.error) == 1

    add_questions(page, COUNT)
    assert "there already" in text_of(page)

    press(page, "Remove question 1")
    assert [str(question) for question in draft_of(page).asking.questions] == [
        "mean age by sex"
    ]


def test_everyday_words_are_understood_with_a_click(page: AppTest) -> None:
    """A question in everyday words is refused with a suggestion, which one click accepts."""
    add_questions(page, "how many people older than 65 by sex")
    assert error_texts(page)[0].endswith("Did you mean: table sex where age > 65")

    press(page, "Add: `table sex where age > 65`")
    assert [str(question) for question in draft_of(page).asking.questions] == [
        "table sex where age > 65"
    ]
    assert page.text_input(key="question").value == ""
    assert not page.error


def test_a_bare_number_goes_to_no_column_by_itself(page: AppTest) -> None:
    """A number without a column is in no question until the user says which column it is of.

    Age, hours and income may be above 65; the size of a household is not.
    """
    add_questions(page, "how many people over 65")
    assert not page.error
    (sentence,) = (info.value for info in page.info if "names no column" in info.value)
    assert sentence == in_markdown(
        "'over 65' names no column. Which one do you mean: age, hours or income?"
    )
    assert not draft_of(page).asking.questions

    press(page, "Add: `count where income > 65`")
    assert [str(question) for question in draft_of(page).asking.questions] == [
        "count where income > 65"
    ]
    assert "names no column" not in text_of(page)


def test_a_question_is_built_by_pickers(page: AppTest) -> None:
    """The user can build a question from menus instead of typing it.

    A share without any condition or column is incomplete, and the page says what is missing.
    """
    page.selectbox(key="ask build kind").select("Mean").run()
    page.selectbox(key="ask build of").select("income").run()
    page.multiselect(key="ask build by").select("sex").run()
    page.selectbox(key="ask build where").select("smoker").run()
    page.selectbox(key="ask build among").select("yes").run()
    page.button(key="ask build act").click().run()

    assert not page.exception
    questions = [str(question) for question in draft_of(page).asking.questions]
    assert questions == ["mean income by sex where smoker = yes"]

    page.selectbox(key="ask build kind").select("Share of rows").run()
    page.selectbox(key="ask build where").select("All rows").run()
    assert "Choose a column, or the rows of the share." in text_of(page)


def test_codes_are_no_measures() -> None:
    """No example asks for the mean of an ID or a flag.

    Columns are recognised by their names and bounds. Codes are shown by their labels, here
    `mild` for 1.
    """
    columns = (
        Integer(name="patient_id", minimum=0, maximum=99_999),
        Integer(name="flag", minimum=0, maximum=1),
        Integer(name="weight", minimum=30, maximum=200),
        Categorical(name="ward", categories=("1", "2")),
        Categorical(name="k", categories=("1", "2"), meanings={"1": "mild", "2": "severe"}),
    )

    examples = example_questions(Domain(columns))
    assert not any("patient_id" in example or "flag" in example for example in examples)
    assert "share where k = mild" in examples
    assert "mean weight by k" in examples


def test_an_example_is_put_on_the_line(page: AppTest) -> None:
    """An example that the user clicks is put on the line, and can be added as it is."""
    pills = page.button_group[0]
    assert len(pills.options) >= 6
    pills.set_value(example_questions(draft_of(page).askable)[0]).run()
    line = page.text_input(key="question").value
    assert line

    press(page, "Add question")
    assert [str(question) for question in draft_of(page).asking.questions] == [line]


def shown_examples(app: AppTest) -> list[str]:
    """The examples of the table, as the page shows them."""
    draft = draft_of(app)
    domain = draft.askable.project(draft.chosen_names)
    return [in_markdown(question) for question in example_questions(domain)]


def test_the_examples_are_those_of_the_table(page: AppTest) -> None:
    """The page offers the examples of this table alone, each of which it can be asked.

    They follow the described columns: without age none names it.
    """
    assert list(page.button_group[0].options) == shown_examples(page)

    fields = [field for field in draft_of(page).fields if field["name"] != "age"]
    choose(page, fields=tuple(fields)).run()
    options = list(page.button_group[0].options)
    assert options == shown_examples(page)
    assert not any("age" in option.split() for option in options)


def test_no_example_names_a_column_that_was_left_out(page: AppTest) -> None:
    """A column of keys, which a look at the rows leaves out, would be an odd first question;
    it can still be asked about.
    """
    assert any("age" in option.split() for option in page.button_group[0].options)
    choose(page, left_out=frozenset({"age"})).run()
    options = list(page.button_group[0].options)
    assert options == shown_examples(page)
    assert not any("age" in option.split() for option in options)
    assert "age" in draft_of(page).askable.names


def test_the_budget_is_checked_as_it_is_typed(page: AppTest) -> None:
    """Each wrong epsilon or delta is one error on the page, and nothing can be confirmed
    meanwhile. Valid values remove the error, and a rho can be given instead.
    """
    add_questions(page, COUNT)
    page.text_input(key="ask amount").input("much").run()
    assert len(page.error) == 1
    assert not page.checkbox

    page.text_input(key="ask amount").input("1/3").run()
    assert not page.error

    page.text_input(key="ask delta").input("2").run()
    assert len(page.error) == 1
    page.text_input(key="ask delta").input("1e-9").run()
    assert not page.error

    page.button_group(key="ask measure").set_value("rho").run()
    assert not page.exception
    assert not page.error
    assert "Rho" in " ".join(caption.value for caption in page.caption)


def test_another_way_and_the_epsilon_for_an_error(page: AppTest) -> None:
    """The user may choose another way of answering, or name an error and take the epsilon for
    it. One of at least three ways is marked as the best. After the user asks for an error of
    5 rows, the page shows that error. An error that is no number is refused.
    """
    add_questions(page, "table sex by income")
    ways = list(page.dataframe[2].value["Way"])
    assert sum("(best)" in way for way in ways) == 1
    assert len(ways) >= 3

    for way in (WayName.LAPLACE, WayName.CUBE):
        page.selectbox(key="ask way").select(way).run()
        assert not page.error
        assert list(page.dataframe[1].value["How"]) == [way.words]

    page.selectbox(key="ask way").select(AUTOMATIC).run()
    assert draft_of(page).asking.way is None

    page.text_input(key="ask wanted").input("5").run()
    use = next(label for label in button_labels(page) if label.startswith("Use epsilon"))
    press(page, use)
    assert draft_of(page).asking.amount == use.split()[-1]
    assert "± 5 rows" in expected_errors(page)[0]

    page.text_input(key="ask wanted").input("nothing").run()
    assert len(page.error) == 1


def test_without_a_number_of_rows_there_is_no_forecast(page: AppTest) -> None:
    """Without the number of rows the page shows no average errors and asks for that number.

    The question can be asked all the same.
    """
    add_questions(page, COUNT)
    choose(page, about_rows=0).run()
    assert "Type the number of rows" in text_of(page)
    assert not page.dataframe
    assert any(label.startswith("Ask ") for label in button_labels(page))


def test_the_number_of_rows_is_public_and_free(page: AppTest) -> None:
    """The number of rows is public when a row is replaced, so counting all rows spends
    nothing. The survey of the tests has 2,000 rows.
    """
    add_questions(page, "count")
    assert "it spends nothing" in text_of(page)

    press(page, "Show the public answers")
    assert "Public already: nothing was spent." in text_of(page)
    assert "2,000" in list(page.dataframe[0].value["Answer"])  # in place of the error


@pytest.mark.slow
def test_the_same_again_is_free_in_this_session_and_the_next(table: Path) -> None:
    """Asking the same questions again in another session returns the stored answers at no
    cost. The ledger then has one spend. Only the first two answers are numbers, the third is
    a choice of names.
    """
    app = add_questions(visit_with_table(table), COUNT, "mean age", "top 2 education")
    buy_answers(app)
    assert not app.exception
    assert not app.error
    first = draft_of(app).answers[0].asked
    assert not first.repeated
    assert "Asking the very same again spends nothing" in text_of(app)
    assert "Average errors" not in [header.value for header in app.header]

    again = add_questions(visit_with_table(table), COUNT, "mean age", "top 2 education")
    assert "Getting those answers back spends nothing" in text_of(again)

    press(again, "Get the stored answers")
    second = draft_of(again).answers[0].asked
    assert second.repeated
    assert "nothing was spent" in text_of(again)
    assert [list(a.value) for a in first.answers[:2]] == [
        list(a.value) for a in second.answers[:2]
    ]

    balance = state.home.open_ledger().balance(draft_of(again).source.dataset)
    assert len(balance.spends) == 1


def test_a_budget_too_small_is_one_sentence_and_nothing_is_spent(table: Path) -> None:
    """Questions that cost more than the budget are refused with one sentence.

    They cost epsilon 0.2 by default, and the budget is 0.1. There are no answers, and the
    ledger has no spend.
    """
    app = add_questions(visit_with_table(table), COUNT)
    app.text_input(key="choice_budget").input("0.1").run()
    buy_answers(app)

    assert not app.exception
    (error,) = app.error
    assert "budget" in error.value.lower()
    assert not draft_of(app).answers
    assert not state.home.open_ledger().balance(draft_of(app).source.dataset).spends


def test_files_are_written_and_verified(table: Path) -> None:
    """Answers come as files: a bundle that `verify` recognises as answers, and its parts for
    download.
    """
    app = buy_answers(add_questions(visit_with_table(table), COUNT, "table sex by education"))
    files = draft_of(app).answers[0].files
    assert isinstance(verify(files[ZIP]), VerifiedAnswers)
    assert [b.proto.label for b in app.get("download_button")][-4:] == [
        "Answers with certificate",
        "Answers as CSV",
        "Statement",
        "Certificate",
    ]


@pytest.mark.slow
def test_real_answers_wait_for_a_click_and_stay_out_of_the_files(page: AppTest) -> None:
    """The exact answers appear after a click, for the steward alone; no file of the release
    changes. The exact count is the one that plain Python finds in the table. A printed answer
    does not show it.
    """
    buy_answers(add_questions(page, COUNT, "mean income by sex", "top 1 region", "table sex"))
    assert "no guarantee covers them" in text_of(page)

    before = {
        name: path.read_bytes() for name, path in draft_of(page).answers[0].files.items()
    }

    press(page, "Show the real answers")
    assert not page.exception
    assert not page.error
    answers = draft_of(page).answers[0]
    exact = answers.real[0].value[0]
    with draft_of(page).source.table.path.open(newline="", encoding="utf-8") as file:
        assert exact == sum(int(row["age"]) >= 65 for row in csv.DictReader(file))

    assert before == {name: path.read_bytes() for name, path in answers.files.items()}
    assert f"{exact:.0f}" not in repr(answers)


@pytest.mark.slow
def test_choices_and_answers_survive_other_steps_and_another_table(page: AppTest) -> None:
    """Choices and answers stay while the user visits other steps.

    If there are several answers, a menu chooses between them. Another table raises no error.
    """
    buy_answers(add_questions(page, COUNT))
    page.text_input(key="ask amount").input("0.5").run()
    go_to(go_to(page, "plan"), "ask")
    assert page.text_input(key="ask amount").value == "0.5"
    assert len(draft_of(page).answers) == 1
    # Another budget is another spend: its error stands where the answers were.
    headers = [header.value for header in page.header]
    assert headers[1:3] == ["Average errors", "Earlier answers"]
    buy_answers(page)
    assert [header.value for header in page.header][1] == "Answers"
    assert "Earlier answers" in [expander.label for expander in page.expander]

    page.text_input(key="ask amount").input("0.7").run()
    assert len(draft_of(page).answers) == 2
    assert "Answers of" in [s.label for s in page.selectbox]

    press(go_to(page, "data"), "Use the simulated survey")
    go_to(page, "ask")
    assert not page.exception


def test_a_question_about_a_column_that_is_no_longer_declared_says_so(page: AppTest) -> None:
    """If a column of a question is no longer declared, the page says so and offers no button
    to ask.
    """
    add_questions(page, COUNT, "table region")
    fields = [f for f in draft_of(page).fields if f["name"] != "region"]
    choose(page, fields=tuple(fields)).run()

    assert "'region' is not declared" in text_of(page)
    assert not any(label.startswith("Ask ") for label in button_labels(page))


def test_questions_come_from_a_file(page: AppTest) -> None:
    """Questions can be uploaded as a list of texts or objects.

    A file with an invalid question is refused with its number, and the questions stay. A mean
    of region is invalid, because region is no number.
    """
    content = json.dumps([COUNT, {"kind": "mean", "columns": ["age"]}]).encode()
    page.file_uploader[0].upload("q.json", content, "application/json").run()
    assert not page.error
    assert len(draft_of(page).asking.questions) == 2

    page.file_uploader[0].upload("q.json", b'["mean region"]', "application/json").run()
    (error,) = page.error
    assert error.value.startswith("Question 1")
    assert len(draft_of(page).asking.questions) == 2


def test_seventy_six_columns_are_forecast_at_once(page: AppTest) -> None:
    """Questions on a table of 11 + 76 columns are forecast without a noticeable wait.

    It takes about 0.2 seconds of processor time on a quiet machine, and may take 5 here.
    """
    columns = tuple(Integer(name=f"q{n}", minimum=0, maximum=99, bins=20) for n in range(76))
    now = draft_of(page)
    wide = now.with_declaration(write_schema(Domain((*survey_domain().columns, *columns))))
    assert len(wide.columns) == 87
    page.session_state["draft"] = replace(wide, asking=Choices(), about_rows=20_000)
    add_questions(page, COUNT, "table sex", "mean age")

    begin = process_time()
    page.run()
    assert process_time() - begin < 5
    assert not page.error


# The release has the column sex, so it answers this question at no cost.
FREE = "table sex"


def with_release(app: AppTest) -> AppTest:
    """Return the step Ask after a release by the plan, with a small epsilon for asking."""
    steward.release_by_plan(app)
    choose(app, asking=replace(draft_of(app).asking, amount="0.01"))
    return go_to(app, "ask")


@pytest.mark.slow
def test_what_a_release_tells_as_well_is_free_and_the_rest_is_asked(page: AppTest) -> None:
    """Of three questions the release answers two for free; the third, about a column that it
    left out, is bought. Free answers rest on the model of the release, so their errors are
    marked as assumed. FREE is a table of sex; asking costs epsilon 0.01.
    """
    add_questions(with_release(page), FREE, "table sex by region", COUNT)
    assert not page.error

    table = page.dataframe[0].value
    paid = table["Average error"]
    free = table["Free from this release"]
    assert all(error.startswith("±") for error in paid)
    assert free[1] == "no answer"  # the release left region out
    assert free[0].endswith("each (assumed)")
    assert free[2].endswith("rows (assumed)")
    assert list(table["How"] == WayName.RELEASE.words) == [True, False, True]

    assert "Free answers" in [heading.value for heading in page.header]
    assert "**nothing is spent**" in text_of(page)
    assert "Ask 1 question with epsilon 0.01" in button_labels(page)

    buy_answers(page)
    assert not page.error
    (answered,) = draft_of(page).answers
    assert [str(question) for question in answered.inquiry.questions] == [
        "table sex by region"
    ]

    for header in ("Free answers", "Answers"):
        assert header in [heading.value for heading in page.header]


@pytest.mark.slow
def test_all_free_needs_no_confirmation_and_may_be_asked_all_the_same(page: AppTest) -> None:
    """A question that the release answers costs nothing, and may be paid for to get another
    answer. The ledger then has the release as its only entry. FREE is a table of sex, which
    the release knows.
    """
    add_questions(with_release(page), FREE)
    assert not page.error
    assert "The release answers all of it." in text_of(page)
    assert not page.checkbox
    assert not any(label.startswith("Ask ") for label in button_labels(page))

    assert list(page.dataframe[1].value["what"])[:2] == ["female", "male"]
    assert f"How: {WayName.RELEASE.words}." in text_of(page)
    assert any(caption.value.startswith("Assumed") for caption in page.caption)
    assert len(page.session_state["rehearsal"].entries()) == 1

    page.toggle(key="ask free").set_value(False).run()
    assert not draft_of(page).asking.free
    assert "Free answers" not in [header.value for header in page.header]
    assert "Free from this release" in page.dataframe[0].value

    buy_answers(page)
    assert not page.error
    assert [str(question) for question in draft_of(page).answers[0].inquiry.questions] == [
        FREE
    ]

    page.toggle(key="ask free").set_value(True).run()
    assert not page.exception  # although the same chart is there twice, free and paid
    assert "Free answers" in [header.value for header in page.header]


@pytest.mark.slow
def test_a_release_is_free_where_it_can_answer_and_asking_is_dear(page: AppTest) -> None:
    """A release gives free answers only if it protects the same unit, has the columns, and is
    more accurate than asking. A release that protects something else, or an epsilon of 2 for
    asking, ends them. FREE is a table of sex, and asking costs 0.01 at first.
    """
    add_questions(with_release(page), FREE)
    before = draft_of(page)
    (release,) = before.releases

    # A release that was opened from a bundle is only assumed to be of this table.
    choose(page, releases=(replace(release, opened=True),)).run()
    assert any("takes it to be of this table" in caption.value for caption in page.caption)

    # The plan protects persons, or the number of rows is not known.
    for changes in ({"person": "region"}, {"about_rows": 0}):
        page.session_state["draft"] = replace(before, **changes)
        page.run()
        assert not page.exception
        assert not page.toggle
        assert "Free answers" not in [header.value for header in page.header]
        assert any(label.startswith("Ask ") for label in button_labels(page))

    # The release lacks the column of the question, or asking is more accurate.
    none_of_its_columns = replace(before.asking, questions=(parse("table region"),))
    cheap = replace(before.asking, amount="2")
    for asking, compared in ((none_of_its_columns, False), (cheap, True)):
        page.session_state["draft"] = replace(before, asking=asking)
        go_to(go_to(page, "plan"), "ask")
        assert ("Free from this release" in page.dataframe[0].value) == compared
        assert not page.toggle
    assert "Ask 1 question with epsilon 2" in button_labels(page)


def test_an_exact_answer_of_a_release_says_so() -> None:
    """The average error of a free answer is shown in words.

    An error of 0 is exact, an unknown one is no value, and one that rests on an assumption is
    marked as assumed.
    """
    ones = np.ones(1)
    exact_answer = Answer(
        question=parse("count"),
        way=WayName.RELEASE,
        labels=(),
        value=ones,
        low=ones,
        high=ones,
        expected_error=0.0,
    )

    assert words.off_free(exact_answer) == "exact"
    assert words.off_free(replace(exact_answer, expected_error=math.nan)) == NO_VALUE
    assumed = replace(exact_answer, expected_error=3.0, remarks=("assumed: so it is",))
    assert words.off_free(assumed) == "± 3 rows (assumed)"
