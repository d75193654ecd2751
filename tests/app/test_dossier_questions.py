"""The dossier on the step Download: questions, typed answers, and the zip with all sheets."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.release.dossier import name_place
from pages.ui.shell.job import ZIP
from pages.ui.shell.release_job import BUNDLE
from synth.bundle import CERTIFICATE
from synth.dossier import DOSSIER_FILES
from synth.lessons import write_example
from tests.app.steward import (
    draft_of,
    error_texts,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)
from tests.app.test_ask_page import add_questions, buy_answers, visit_with_table
from tests.patience import until

TYPED = "Teaching </script> statistics"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> AppTest:
    """The step Download of a steward who released a table of two columns.

    The files of a release are gone with the session that made them, so this session stays
    open for all tests of this file.
    """
    table = tmp_path_factory.mktemp("people") / "people.csv"
    table.write_text("sex,hours\n" + "F,40\nM,38\n" * 200)
    app = go_to(use_file(visit(), table), "domain")
    press(app, next(b.label for b in app.button if b.label.startswith("Look at the data")))
    return go_to(release_by_plan(app), "download")


@pytest.fixture
def page(released: AppTest) -> AppTest:
    """The step Download."""
    return visit("download", draft_of(released))


def zip_of(page: AppTest) -> dict[str, bytes]:
    """The files of the dossier that can be downloaded."""
    draft = draft_of(page)
    assert draft.release is not None
    path: Path = page.session_state[name_place(draft.release.files[BUNDLE], draft)]
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def list_downloads(page: AppTest) -> list[str]:
    """The labels of the buttons that download a file."""
    return [button.label for button in page.get("download_button")]


def make(page: AppTest) -> None:
    """Make the dossier, and wait until it can be downloaded."""
    press(page, "Make dossier")

    def is_there() -> bool:
        """Whether it can be downloaded; otherwise the page is drawn once more."""
        if "Download dossier" in list_downloads(page):
            return True
        page.run()
        return False

    assert until(is_there)


def test_typed_answers_reach_the_dossier_and_the_project(page: AppTest) -> None:
    """Answers are kept in the draft, and are in the sheets and not in the certificate.

    The page counts the open questions. Another answer makes another dossier.
    """
    assert re.search(r"Open questions: (\d+) of \1\b", text_of(page))
    page.text_area(key="dossier_purpose").input(TYPED).run()
    page.selectbox(key="dossier_sector").select("Education").run()
    assert dict(draft_of(page).dossier) == {"purpose": TYPED, "sector": "Education"}
    make(page)
    assert error_texts(page) == []
    files = zip_of(page)
    assert files.keys() == {*DOSSIER_FILES}
    assert "Teaching &lt;/script&gt; statistics" in files["readers.html"].decode()
    answers = json.loads(files["answers.json"])["answers"]
    assert (answers["purpose"], answers["sector"]) == (TYPED, "Education")
    release = draft_of(page).release
    assert release is not None
    assert "Teaching" not in release.files[CERTIFICATE].read_text("utf-8")

    page.text_area(key="dossier_purpose").input(" ").run()
    assert dict(draft_of(page).dossier) == {"sector": "Education"}
    assert "Download dossier" not in list_downloads(page)


def test_an_answer_that_is_no_day_is_one_sentence(page: AppTest) -> None:
    """The bundle is not checked for it, and no dossier is made."""
    page.text_area(key="dossier_published").input("last May").run()
    press(page, "Make dossier")
    assert error_texts(page) == ["The answer 'published' is a day, such as 2026-11-30."]


def test_a_click_that_ends_the_typing_makes_the_dossier_with_the_answer(
    page: AppTest,
) -> None:
    """A browser sends the text together with the click on the button."""
    page.text_area(key="dossier_contact").input("office")
    make(page)
    assert json.loads(zip_of(page)["answers.json"])["answers"]["contact"] == "office"


@pytest.mark.slow
def test_answers_have_a_dossier_too(tmp_path: Path) -> None:
    """The page Ask makes the dossier of paid answers, with the typed texts in it."""
    table = write_example(tmp_path)[0].rename(tmp_path / "people.csv")
    page = add_questions(visit_with_table(table), "count where age >= 65")
    buy_answers(page)
    page.text_area(key="dossier_purpose answers").input(TYPED).run()
    make(page)
    (answered,) = draft_of(page).answers
    place = name_place(answered.files[ZIP], draft_of(page))
    with zipfile.ZipFile(page.session_state[place]) as packed:
        assert {*DOSSIER_FILES} == {*packed.namelist()}
        assert json.loads(packed.read("answers.json"))["answers"]["purpose"] == TYPED
