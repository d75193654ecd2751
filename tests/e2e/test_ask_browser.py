"""The step Ask in a real browser: from an upload to a downloaded answer with its
certificate.
"""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from synth.domain import write_schema
from synth.lessons import survey_domain, write_example
from tests.e2e.browser import ROOT, Steward

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SEEDS = ("mean age", "top 1 region", "count where age >= 65 and sex = female")
"""Seed rows M1 (a mean), M11 (the best candidate) and M13 (counts)."""


@pytest.fixture
def survey(tmp_path: Path) -> tuple[Path, Path]:
    """The simulated survey of 20,000 people as a CSV, and a declaration of its 11 columns."""
    table, _ = write_example(tmp_path)
    schema = tmp_path / "domain.json"
    schema.write_text(json.dumps(write_schema(survey_domain())), encoding="utf-8")
    return table.rename(tmp_path / "asked.csv"), schema


def test_from_upload_to_an_answer_with_certificate(
    steward: Steward, survey: tuple[Path, Path], tmp_path: Path
) -> None:
    """A steward asks three questions in the app, and downloads answers that verify.

    Before, the page refuses a question with a misspelled column, and suggests the right name.
    The three questions cost epsilon 0.2 together.
    """
    table, schema = survey
    page = steward.page
    steward.upload(table)
    steward.wait_for_text("has 11 columns")
    steward.go_to_next("Domain")
    steward.open("Import or save a description")
    steward.upload(schema)
    steward.wait_for_text(re.compile("· 11 columns ·"))
    steward.wait_until_idle()
    page.get_by_role("button", name="Or: Ask").click()
    steward.wait_for_step("Ask")

    steward.write_question("count where agee >= 65", right=False)
    steward.wait_for_text("did you mean 'age'?")

    for question in SEEDS:
        steward.write_question(question)
    # A browser that translates the page leaves questions, names and values alone.
    for data in (
        page.get_by_test_id("stCode"),
        page.locator('[class*="st-key-names_example"] button'),
    ):
        expect(data.first).to_have_attribute("translate", "no")
    steward.say_rows(20_000)
    steward.wait_for_text("Average errors")
    steward.say_whose_data("people of the questions")
    page.get_by_text("Spend epsilon 0.2", exact=True).click()
    steward.wait_until_idle()
    steward.press("Ask 3 questions with epsilon 0.2")
    steward.wait_for_text("Looking at it again spends nothing")

    # The downloaded answers pass the command that any reader of them can run.
    got = tmp_path / "answers.zip"
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Answers with certificate").click()
    assert waiting.value.suggested_filename == "answers.zip"
    waiting.value.save_as(got)
    checked = subprocess.run(
        [sys.executable, "-m", "synth", "verify", str(got)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
    assert "Confirmed." in checked.stdout

    # The answers themselves are those of the three questions, and plausible.
    with table.open(newline="", encoding="utf-8") as file:
        people = list(csv.DictReader(file))
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Answers as CSV").click()
    waiting.value.save_as(tmp_path / "answers.csv")
    with (tmp_path / "answers.csv").open(newline="", encoding="utf-8") as file:
        answers = {row["question"]: row for row in csv.DictReader(file)}
    mean = sum(float(row["age"]) for row in people) / len(people)
    # Ages are 18 to 97. Among 20,000 people the noise moves their mean by far less than 20.
    assert abs(float(answers["mean age"]["value"]) - mean) < 20
    assert answers["top 1 region"]["value"] in {row["region"] for row in people}
    assert set(answers) == set(SEEDS)
