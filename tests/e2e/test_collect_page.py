"""Collect from end to end in a browser: the app makes a form, people answer it, the app
reads.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Download, expect

from synth.collecting import read_design
from tests.e2e.browser import Steward

pytestmark = pytest.mark.browser


def _download(steward: Steward, name: str) -> Download:
    with steward.page.expect_download() as waiting:
        steward.page.get_by_role("button", name=name).click()
    return waiting.value


@pytest.mark.slow
def test_a_form_is_made_answered_and_read(steward: Steward, tmp_path: Path) -> None:
    """The app makes a form, two people answer it, and the app reads their files.

    The page begins with an example of two questions, with 2 and 3 answers. From two files it
    makes a synthetic table of two rows.
    """
    steward.page.get_by_role("link", name="Collect").click()
    steward.page.get_by_role("heading", name="Collect", exact=True).wait_for()
    steward.wait_until_idle()
    form = tmp_path / "form.html"
    _download(steward, "Download the form").save_as(form)
    assert [
        len(q.options) for q in read_design(form.read_bytes(), "form.html").questions
    ] == [2, 3]

    sent: list[Path] = []
    for option in ("yes", "no"):
        person = steward.page.context.new_page()
        person.goto(form.as_uri())
        person.get_by_role("radio", name=option, exact=True).check()
        person.get_by_role("radio", name="often", exact=True).check()
        person.get_by_role("button", name="Draw my randomised answers").click()
        with person.expect_download() as waiting:
            person.get_by_text("Save the file to send").click()
        sent.append(tmp_path / waiting.value.suggested_filename)
        waiting.value.save_as(sent[-1])
        person.close()

    answers = steward.page.get_by_test_id("stFileUploader").filter(has_text="Answers")
    answers.locator("input[type=file]").set_input_files(sent)
    steward.wait_for_text(re.compile("^Results$"))
    expect(steward.page.get_by_text(re.compile("2 people"))).to_be_visible()
    steward.wait_for_charts()
    synthetic = _download(steward, "Download a synthetic table")
    assert synthetic.suggested_filename == "synthetic.csv"
    # A header and a row for each person.
    assert len(Path(synthetic.path()).read_text(encoding="utf-8").splitlines()) == 1 + 2
