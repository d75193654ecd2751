"""Use a release in a real browser: from a bundle to a regression table with intervals."""

import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import expect

from synth.cli.main import main
from synth.lessons import write_example
from tests.e2e.browser import Steward

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def survey_bundle(folder: Path) -> Path:
    """A release of three columns of the example survey."""
    table, schema = write_example(folder)
    path = folder / "survey.zip"
    command = ["release", str(table), "--domain", str(schema), "--columns", "age,sex,income"]
    assert (
        main(
            [
                *command,
                "--epsilon",
                "1",
                "--neighbors",
                "replace-one",
                "--method",
                "dense",
                "--out",
                str(path),
            ]
        )
        == 0
    )
    return path


def ask_question(steward: Steward, question: str) -> None:
    """Type a question on the page, and wait for its answer; the line is empty once it is
    taken.

    A line that is drawn anew meanwhile has forgotten it, and is typed into again; one that
    took it is not, or there would be two answers."""
    line = steward.page.get_by_role("textbox", name="A question", exact=True)
    for _ in range(6):
        steward.wait_until_idle()
        line.fill(question)
        line.press("Enter")
        with suppress(AssertionError):
            expect(line).to_have_value("", timeout=20_000)
            break
    expect(line).to_have_value("")
    steward.wait_until_idle()


def open_bundle(steward: Steward, bundle: Path) -> None:
    """Open the page, and hand over a bundle."""
    steward.page.get_by_role("link", name="Use a release").click()
    steward.page.get_by_role("heading", name="Use a release", exact=True).wait_for()
    steward.upload(bundle)


def test_from_a_bundle_to_a_regression_table(steward: Steward, tmp_path: Path) -> None:
    """Whoever has a bundle asks it questions, and exports its rows for Stata.

    A share is answered by a sentence. Two regressions and the accuracy of the bundle are
    tables, which is three; their intervals say what they count. The exported file verifies as
    one of this bundle.
    """
    bundle = survey_bundle(tmp_path)
    open_bundle(steward, bundle)
    steward.wait_for_text("Verified. Epsilon 1.")
    steward.open("Accuracy of columns")

    ask_question(steward, "share where age >= 65")
    ask_question(steward, "regression age on sex")
    ask_question(steward, "regression income on age, sex reference male")
    steward.wait_for_text("The 95 % interval counts")
    steward.wait_for_text("It rests on a simulation.")

    tables = steward.page.get_by_test_id("stDataFrame").filter(visible=True)
    expect(tables).to_have_count(3)  # the share is a sentence
    expect(tables.nth(1).locator("[role=gridcell]").nth(2)).to_have_text("age")
    expect(tables.nth(1).locator("[role=gridcell]").nth(4)).to_have_text(
        "sex = female (against male)"
    )

    steward.open("Rows for other programs")
    with steward.waiting_for_rerun():
        steward.page.get_by_text("Stata (.dta)", exact=True).click()
    steward.press("Make synthetic.dta")
    with steward.page.expect_download() as waiting:
        steward.page.get_by_role("button", name="Download synthetic.dta").click()
    waiting.value.save_as(tmp_path / "synthetic.dta")
    assert main(["verify", str(bundle), "--file", str(tmp_path / "synthetic.dta")]) == 0


def test_making_tables_is_stopped(steward: Steward, tmp_path: Path) -> None:
    """Making many tables can be stopped, which keeps none of them, and begun again.

    A hundred tables take long enough to press Stop. Afterwards two tables are made: the zip
    holds each, and a description of both.
    """
    page = steward.page
    open_bundle(steward, survey_bundle(tmp_path))
    steward.open("Several tables")
    table_count = page.get_by_role("spinbutton", name="Tables")
    table_count.fill("100")
    table_count.press("Enter")
    steward.wait_until_idle()
    page.get_by_role("button", name="Make the tables").click()
    page.get_by_role("button", name="Stop: no file is kept").click()
    steward.wait_until_idle()
    expect(page.get_by_role("button", name="Make the tables")).to_be_enabled()
    expect(page.get_by_role("button", name="Download replicates.zip")).to_have_count(0)

    table_count.fill("2")
    table_count.press("Enter")
    steward.wait_until_idle()
    steward.press("Make the tables")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download replicates.zip").click()
    waiting.value.save_as(tmp_path / "replicates.zip")
    with zipfile.ZipFile(tmp_path / "replicates.zip") as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}

    assert names == {"replicate_1.csv", "replicate_2.csv", "replicates.json"}
