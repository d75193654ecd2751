"""The Learn page without a browser: every topic, every control, in words and pictures."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.learn.lessons import LESSONS
from synth.lessons import survey_domain
from synth.lessons.losses import noisy_parts
from synth.plans import Method
from synth.privacy import Neighbors
from tests.app.charts import count_charts
from tests.app.steward import (
    choose_example,
    draft_of,
    go_to,
    press,
    release_by_plan,
    text_of,
    visit,
)


@pytest.fixture(scope="module")
def page() -> AppTest:
    """The Learn page, shared by the tests of this file."""
    return visit("learn")


def describe_first_chart(page: AppTest) -> str:
    """What the table of the first chart says of it."""
    tables = (table for table in page.expander if table.label == "Show as table")
    return str(next(tables).caption[0].value)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_every_topic_renders_and_reacts(page: AppTest, lesson: object) -> None:
    """Each topic has formulas and charts, which follow its controls.

    The text beside the first chart must change when every control is moved to one end. The
    first slider of the page is left out, as it belongs to all topics.
    """
    title = lesson.title  # type: ignore[attr-defined]
    page.button_group[0].set_value(title).run()
    assert not page.exception
    assert not page.error
    assert page.subheader[0].value == title
    assert page.latex
    assert count_charts(page) >= 1

    before = describe_first_chart(page)

    for control in [*page.slider, *page.select_slider[1:]]:
        options = getattr(control, "options", None)
        control.set_value(options[0] if options else control.min).run()
        assert not page.exception
        assert not page.error

    assert before != describe_first_chart(page)


@pytest.mark.slow
@pytest.mark.parametrize("method", [Method.DENSE, Method.TREE])
def test_the_definitions_are_shown_of_a_release_that_was_made(method: Method) -> None:
    """The page shows the privacy loss of each part of a release that has noise of its own.

    A histogram is one part with all of epsilon 1, so its largest loss is 1. A tree of pairs
    has several parts, each with a share of it.
    """
    app = visit("plan", choose_example())
    app.selectbox(key="choice_method").set_value(method).run()
    go_to(release_by_plan(app), "learn")
    app.button_group[0].set_value("Three definitions of privacy").run()
    assert not app.exception
    assert len(app.select_slider) == 1, "nothing is chosen but the histogram"

    release = draft_of(app).release
    assert release is not None
    parts = noisy_parts(release.result.record, release.plan.unit)
    assert [part.label for part in parts] == app.selectbox[0].options

    words = app.get("plotly_chart")[0].proto.alt
    assert (
        "largest 1; the chance of a loss above epsilon 1 is 0." in words
        or method == Method.TREE
    )
    assert f"noise on {parts[0].label}. Mean" in words

    app.selectbox[0].set_value(len(parts) - 1).run()
    law, curve, _ = (chart.proto.alt for chart in app.get("plotly_chart"))
    assert f"noise on {parts[-1].label}. Mean" in law
    assert "At epsilon 1 the chance" in curve
    assert float(parts[0].guarantee.epsilon) <= 1


def test_every_lesson_has_a_question_of_its_own_for_the_survey() -> None:
    """Each lesson offers another question to try, which names a column of the survey and
    begins with a known word.
    """
    questions = [lesson.question for lesson in LESSONS]
    assert len(set(questions)) == len(LESSONS)

    names = set(survey_domain().names)
    for question in questions:
        words = set(question.replace(",", " ").split())
        assert words & names, question
        assert question.split()[0] in {
            "count",
            "share",
            "table",
            "total",
            "mean",
            "means",
            "top",
        }


def test_a_question_leads_to_the_step_ask() -> None:
    """A lesson's question can be taken to the step Ask with one click, and is then in its
    list.
    """
    app = visit("learn", choose_example())
    app.button_group[0].set_value("Choosing instead of counting").run()
    assert "**Try it on your table:**" in [element.value for element in app.markdown]
    assert [code.value for code in app.code] == ["top 3 employment"]

    press(app, "Ask this question")
    assert not app.exception
    assert app.title[0].value == "Ask"
    assert app.text_input(key="question").value == "top 3 employment"

    press(app, "Add question")
    assert [str(question) for question in draft_of(app).asking.questions] == [
        "top 3 employment"
    ]


def test_three_questions_of_a_board_come_first() -> None:
    """The page begins with three questions, with the epsilon of the plan, and folds the rest.

    At epsilon 1 odds of 1 to 9 can rise by a factor e, which is 10 % to 23.2 %. Three
    releases of it are epsilon 3, and 10 % to 69.1 %.
    """
    app = visit("learn", replace(choose_example(), epsilon="3"))
    assert [header.value for header in app.header] == [
        "What does epsilon 3 mean for one person?",
        "What if there are several releases?",
        "What is not promised, and who checks?",
    ]
    assert [expander.label.split(":")[0] for expander in app.expander[:2]] == [
        "Glossary",
        "Theory, for statisticians",
    ]
    assert not any(expander.proto.expanded for expander in app.expander)

    app.select_slider[0].set_value("1").run()
    assert app.header[0].value == "What does epsilon 1 mean for one person?"
    assert "at most 23.2 %" in app.table[0].value.to_string()
    assert "They add up to epsilon **3**." in text_of(app)
    assert "at most **69.1 %** sure" in text_of(app)

    app.slider[0].set_value(1).run()
    assert "at most **23.2 %** sure" in text_of(app)


def test_the_delta_and_the_neighbours_of_the_plan_are_named() -> None:
    """The delta of the plan stands beside its epsilon, and adds up with it.

    Under add-remove a fact counts twice the epsilon: at epsilon 1, 10 % become 45.1 %.
    """
    app = visit("learn", replace(choose_example(), delta="1e-9"))
    assert "The planned delta is 1e-09" in text_of(app).replace("\\", "")
    assert "epsilon **3** and delta **3e-09**" in text_of(app).replace("\\", "")

    added = replace(choose_example(), neighbors=Neighbors.ADD_REMOVE)
    app = visit("learn", added)
    assert "The planned delta is 0: the limit never fails." in text_of(app)
    assert "at most 45.1 %" in app.table[0].value.to_string()


def test_a_topic_asks_about_the_table_at_hand() -> None:
    """A lesson asks about a column of the current table.

    The middle of 0 to 80 hours is 40.
    """
    field = {"name": "hours", "type": "integer", "constraints": {"minimum": 0, "maximum": 80}}
    app = visit("learn", choose_example().with_declaration({"fields": [field]}))
    assert [code.value for code in app.code] == ["count where hours >= 40"]
