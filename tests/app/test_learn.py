"""The Learn page without a browser: every topic, every control, in words and pictures."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.learn.lessons import LESSONS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def page() -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=240).run()
    return app.switch_page("pages/steps/learn.py").run()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_every_topic_renders_and_reacts(page: AppTest, lesson: object) -> None:
    title = lesson.title  # type: ignore[attr-defined]
    page.button_group[0].set_value(title).run()
    assert not page.exception
    assert not page.error
    assert page.subheader[0].value == title
    assert page.latex
    before = page.expander[0].caption[0].value if page.expander else ""
    for control in [*page.slider, *page.select_slider]:
        options = getattr(control, "options", None)
        control.set_value(options[0] if options else control.min).run()
        assert not page.exception
        assert not page.error
    after = page.expander[0].caption[0].value if page.expander else ""
    assert before
    assert before != after


def test_lessons_have_two_sentences_a_formula_and_a_note() -> None:
    for lesson in LESSONS:
        assert lesson.words.count(". ") == 1, lesson.title
        assert lesson.words.endswith(".")
        assert lesson.formula
        assert lesson.notes
