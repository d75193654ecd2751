"""Fifteen columns in a real browser: from an upload to the CSV, and what is said
meanwhile.
"""

import csv
import json
import os
import re
import time
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import expect

from synth.domain import read_schema, write_schema
from synth.lessons import survey_domain, write_example
from tests.e2e.browser import PATIENCE, ROOT, Steward, process_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ADULT = ROOT.parent / "shared" / "data" / "adult"

WATCH = """
() => {
  window.moves = [];
  let last = '';
  new MutationObserver(() => {
    // The bar of the budget, in the header of the page, does not move.
    const bar = [...document.querySelectorAll('[data-testid=stProgress]')]
      .find(each => !each.closest('.st-key-header'));
    if (bar && bar.outerHTML !== last) {
      last = bar.outerHTML;
      window.moves.push(performance.now());
    }
    const list = [...document.querySelectorAll('[data-testid=stCaptionContainer]')]
      .map(e => e.innerText).find(t => t.includes('measured so far'));
    if (list) window.measured = list;
  }).observe(document.body,
    {subtree: true, childList: true, characterData: true, attributes: true});
}
"""
"""Notes when the progress bar moves (``window.moves``), and what is said to be measured."""


class Clock:
    """Seconds since now, and how much of a processor a server had of them.

    A release keeps one processor busy. Where others take half of it, all lasts twice as long.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._start, self._work = time.monotonic(), self._worked()

    def seconds(self) -> float:
        return time.monotonic() - self._start

    def share(self) -> float:
        """At most 1, and 1 where the system does not tell."""
        if not Path("/proc/self/stat").exists():
            return 1.0
        return min(1.0, (self._worked() - self._work) / self.seconds())

    def _worked(self) -> float:
        if not Path("/proc/self/stat").exists():
            return 0.0
        after_name = (process_of(self._url) / "stat").read_text().rpartition(")")[2].split()
        return sum(map(int, after_name[11:15])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    """Adult with all its columns where it is at hand, else the whole simulated survey."""
    if ADULT.is_dir():
        return ADULT / "adult_train.csv", ADULT / "domain.schema.json"
    survey, _ = write_example(tmp_path)
    schema = tmp_path / "all.schema.json"
    schema.write_text(json.dumps(write_schema(survey_domain())), encoding="utf-8")
    return survey, schema


def test_fifteen_columns_from_upload_to_csv_in_two_minutes(
    steward: Steward, table: tuple[Path, Path], tmp_path: Path
) -> None:
    """From the upload of fifteen columns to the synthetic CSV it takes less than two minutes.

    The progress bar never stands still for 2 s, and in 95 % of its moves for less than 1 s.
    Waits count as much as the server had of a processor, so that other work on the machine
    does not matter.
    """
    path, schema = table
    domain = read_schema(schema)
    clock = Clock(steward.url)

    # The declaration and the plan.
    steward.upload(path)
    steward.wait_for_text(re.compile(r"has \d+ columns?"))
    steward.go_to_next("Domain")
    steward.open("Import or save a description")
    steward.upload(schema)
    steward.wait_for_text(re.compile(f"· {len(domain.names)} columns"))
    steward.go_to_next("Plan")
    steward.choose("Method", "Automatic")  # a project of it may say otherwise
    steward.say_rows(32_000)
    steward.wait_for_text("would be less exact than smaller tables")
    expect(steward.page.locator("[data-testid=stAlertContentError]")).to_have_count(0)

    # The release, whose progress bar is watched.
    steward.go_to_next("Release")
    if steward.page.get_by_role("button", name="Get the stored release").count():
        pytest.skip("another test released this table on the same server")
    steward.say_whose_data("people of fifteen columns")
    steward.wait_for_text(re.compile("Spend epsilon 1 "))
    steward.confirm_spend(1)
    steward.page.evaluate(WATCH)
    at_work = Clock(steward.url)
    steward.page.get_by_role("button", name="Release with epsilon 1").click()
    expect(steward.page.get_by_text("This release is stored")).to_be_visible(
        timeout=5 * PATIENCE
    )
    share = at_work.share()
    moves = steward.page.evaluate("window.moves")
    gaps = [share * (later - move) for move, later in pairwise(moves)]
    print(f"{len(moves)} moves of the progress bar, the longest wait {max(gaps):.0f} ms")
    print(f"the server had {share:.0%} of a processor")
    assert (
        max(gaps) < 2_000
    )  # milliseconds; it moves ten times a second, but for a busy machine
    assert sorted(gaps)[int(0.95 * len(gaps))] < 1_000
    assert "measured so far" in steward.page.evaluate("window.measured")

    # The file.
    steward.go_to_next("Compare")
    steward.go_to_next("Download")
    download = steward.download("synthetic.csv")
    taken = share * clock.seconds()
    print(f"from upload to CSV {taken:.0f} s")
    assert taken < 120
    download.save_as(tmp_path / "got.csv")
    with (tmp_path / "got.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert tuple(rows[0]) == domain.names
    assert len(rows) > 10_000

    # What was released is not offered for another spend.
    steward.go("Release")
    steward.wait_for_text("This release is stored")
    assert not steward.page.get_by_role("button", name=re.compile("^Release with")).count()
