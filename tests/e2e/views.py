"""Every view of the app, one after the other in one session, each in all themes and
widths.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path

from playwright.sync_api import Page, expect

from pages.ui.collect.choices import Collecting
from tests.collecting.forms import answer_line
from tests.e2e.browser import Steward

THEMES = ("light", "dark")
WIDTHS = {
    "390": 390,
    "820": 820,
    "1280": 1280,
    "200 %": 640,  # what is left of 1280 when a browser enlarges twice
}
ALIKE = ("820", "200 %")
"""Widths that show what 1280 and 390 show, laid out otherwise: a theme changes colours
alone.
"""
HEIGHT = 5_000
"""All of a page is in view: axe-core does not judge the contrast of what is not."""


def each_setting(page: Page) -> Iterator[tuple[str, str]]:
    """Show the page in each theme at each size, and leave it as it was."""
    before = ""
    for theme, (name, width) in product(THEMES, WIDTHS.items()):
        if theme == "dark" and name in ALIKE:
            continue
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.wait_for_timeout(400 if theme != before else 100)  # colours change by and by
        before = theme
        yield theme, name
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.set_viewport_size({"width": 1280, "height": HEIGHT})


def each_view(steward: Steward) -> Iterator[tuple[str, Page]]:
    """Each view by its name, once it is at rest."""
    for part in (_declared, _asked, _released, _compared, _beside):
        for name in part(steward):
            steward.wait_until_idle()
            steward.wait_for_charts()
            expect(steward.page.get_by_test_id("stSkeleton")).to_have_count(0)
            yield name, steward.page


def _declared(steward: Steward) -> Iterator[str]:
    yield "Data, empty"
    steward.go("Release")
    yield "Release, locked"
    steward.go("Data")
    steward.press("Take the tour")
    steward.wait_for_text("has 11 columns")
    yield "Data"
    steward.go_to_next("Domain")
    yield "Domain"
    steward.open("Change its description")
    yield "Domain, card"
    steward.open("All columns as a spreadsheet")
    steward.open("Import or save a description")
    yield "Domain, more"


def _asked(steward: Steward) -> Iterator[str]:
    steward.go("Ask")
    yield "Ask, empty"
    steward.write_question("count where agee >= 65", right=False)
    steward.wait_for_text("did you mean")
    steward.write_question("how many people over 65", right=False)
    steward.wait_for_text("names no column")
    yield "Ask, which column"
    for question in (
        "count where age >= 65",
        "mean income by sex",
        "table education by smoker",
    ):
        steward.write_question(question)
    steward.open("Ways to answer")
    _group_by(steward, "region")
    yield "Ask, forecast"
    with steward.waiting_for_rerun():
        steward.page.get_by_text(re.compile("^Spend epsilon")).click()
    steward.press("Ask 3 questions with epsilon")
    steward.wait_for_text("Looking at it again spends nothing")
    yield "Ask, answers"
    steward.press("Show the real answers")
    steward.wait_for_text("Real against noisy")
    yield "Ask, real answers"


def _group_by(steward: Steward, column: str) -> None:
    """Let the question that is built be asked for each value of a column.

    A list folds when the page scrolls under it, and forgets what was typed; then it is typed
    into again.
    """
    groups = steward.page.get_by_role("combobox", name="For each")
    option = steward.page.get_by_role("option", name=column, exact=True)
    chosen = steward.page.get_by_title(column, exact=True)
    for _ in range(20):
        steward.open("Build a question")
        steward.wait_until_idle()
        groups.fill(column)
        with suppress(AssertionError):
            expect(option).to_be_visible(timeout=6_000)
            with steward.waiting_for_rerun():
                groups.press("Enter")
            expect(chosen).to_be_visible(timeout=6_000)
            break
    expect(chosen).to_be_visible()
    groups.press("Tab")  # the list stays open for another column until one leaves it
    expect(steward.page.get_by_role("listbox")).to_have_count(0)


def _released(steward: Steward) -> Iterator[str]:
    steward.go("Plan")
    steward.wait_for_text("Expected error of pairs")
    yield "Plan"
    steward.open("Advanced")
    steward.wait_for_text(re.compile("pairs need an epsilon of about"))
    yield "Plan, advanced"
    for epsilon in ("much", "0.02"):
        box = steward.page.get_by_role("textbox", name="Exact epsilon")
        box.fill(epsilon)
        with steward.waiting_for_rerun():
            box.press("Enter")
        if epsilon == "much":
            steward.wait_for_text("Epsilon 1 stays.")
            yield "Plan, an epsilon that is not taken"
    steward.wait_for_text("Keep relations between columns?")
    yield "Plan, the question about relations"
    steward.enter_text(steward.page.get_by_role("textbox", name="Exact epsilon"), "1")
    steward.wait_for_text(re.compile(r"· epsilon 1$"))
    steward.go_to_next("Release")
    yield "Release"
    steward.spend(1)
    yield "Release, made"


def _compared(steward: Steward) -> Iterator[str]:
    steward.go_to_next("Compare")
    yield "Compare, before"
    steward.press("Compare with the confidential table")
    steward.wait_for_text(re.compile("^Single columns: "))
    yield "Compare, columns"
    steward.choose("One column in detail", "age")
    yield "Compare, one column"
    for name in ("Pairs", "Groups", "Details"):
        with steward.waiting_for_rerun():
            steward.page.get_by_role("tab", name=name, exact=True).click()
        if name == "Details":
            with steward.waiting_for_rerun():
                steward.page.get_by_role("radio", name="Where the error comes from").click()
        yield f"Compare, {name.lower()}"


def hand_in(steward: Steward, people: int) -> None:
    """Hand over answers to the form that the page Collect begins with."""
    design = Collecting().design()
    lines = [answer_line(design, (n % 2, n % 3), n) for n in range(people)]
    file = {
        "name": "all.jsonl",
        "mimeType": "text/plain",
        "buffer": "\n".join(lines).encode(),
    }
    steward.wait_until_idle()
    answers = steward.page.get_by_test_id("stFileUploader").filter(has_text="Answers")
    answers.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    steward.wait_for_text(re.compile("^Results$"))


def use_bundle(steward: Steward, content: bytes) -> None:
    """Open a bundle on the page *Use a release*, and ask it something."""
    steward.page.get_by_role("link", name="Use a release").click()
    steward.page.get_by_role("heading", name="Use a release", exact=True).wait_for()
    steward.wait_until_idle()
    file = {"name": "bundle.zip", "mimeType": "application/zip", "buffer": content}
    uploader = steward.page.get_by_test_id("stFileUploader").filter(has_text="A bundle")
    uploader.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    steward.wait_for_text(re.compile("^Verified"))
    line = steward.page.get_by_role("textbox", name="A question", exact=True)
    steward.enter_text(line, "table sex")
    expect(line).to_have_value("")
    for tool in ("Draw rows", "Several tables", "Rows for other programs"):
        steward.open(tool)


def _beside(steward: Steward) -> Iterator[str]:
    steward.go("Download")
    steward.open("More formats")
    yield "Download"
    with steward.page.expect_download() as waiting:
        steward.page.get_by_role("button", name=re.compile("^Download bundle")).click()
    use_bundle(steward, Path(waiting.value.path()).read_bytes())
    yield "Use a release"
    for name in ("Ledger", "Learn", "Collect"):
        steward.page.get_by_role("link", name=name).click()
        steward.page.get_by_role("heading", name=name, exact=True).wait_for()
        if name == "Learn":
            steward.open("Theory")
        yield name
    hand_in(steward, 40)
    yield "Collect, read"
