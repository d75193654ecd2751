"""The Learn page without a browser: every topic, every control, in words and pictures."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.learn.lessons import LESSONS
from synth.lessons import survey_domain
from synth.lessons.losses import noisy_parts
from synth.plans import Method
from tests.app.charts import count_charts
from tests.app.steward import choose_example, draft_of, go_to, press, release_by_plan, visit


@pytest.fixture(scope="module")
def page() -> AppTest:
    """The Learn page, shared by the tests of this file."""
    return visit("learn")


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

    before = page.expander[1].caption[0].value  # the first is the glossary

    for control in [*page.slider, *page.select_slider[1:]]:
        options = getattr(control, "options", None)
        control.set_value(options[0] if options else control.min).run()
        assert not page.exception
        assert not page.error

    after = page.expander[1].caption[0].value
    assert before != after


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

    press(app, "Ask it")
    assert not app.exception
    assert app.title[0].value == "Ask"
    assert app.text_input(key="question").value == "top 3 employment"

    press(app, "Add")
    assert [str(question) for question in draft_of(app).asking.questions] == [
        "top 3 employment"
    ]


def test_epsilon_is_explained_for_one_patient() -> None:
    """The lesson begins with the epsilon of the plan and follows its slider.

    At epsilon 1 odds of 1 to 9 can rise by a factor e, which is 10 % to 23.2 %.
    """
    app = visit("learn", replace(choose_example(), epsilon="3"))
    assert app.header[0].value == "What does epsilon 3 mean for one patient?"

    app.select_slider[0].set_value("1").run()
    assert app.header[0].value == "What does epsilon 1 mean for one patient?"
    assert "at most 23.2 %" in app.table[0].value.to_string()


def test_a_topic_asks_about_the_table_at_hand() -> None:
    """A lesson asks about a column of the current table.

    The middle of 0 to 80 hours is 40.
    """
    field = {"name": "hours", "type": "integer", "constraints": {"minimum": 0, "maximum": 80}}
    app = visit("learn", choose_example().with_declaration({"fields": [field]}))
    assert [code.value for code in app.code] == ["count where hours >= 40"]
