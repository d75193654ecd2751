"""Tables that nobody prepared, from an upload to the files, as somebody new to the app would.

    python tests/e2e/newcomers.py [FOLDER] [PATTERN OF NAMES]

For every table, by the recommended way: clicks and typed fields (whose data it is, the spend
and the vouching are counted apart), seconds, what `newcomer_judges` finds, and pictures in
FOLDER. Tables are those of `newcomer_tables` and `unseen_tables`, and of ../shared where that
is at hand."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from pages.ui.release.publishing import VOUCH
from tests.e2e.browser import MISSING, Steward, browser, chromium, server
from tests.e2e.newcomer_judges import KINDS, count_relations, judge_bundle, judge_forecasts
from tests.e2e.newcomer_tables import ASIDE, MADE, SHARED_TABLES
from tests.e2e.unseen_tables import UNSEEN
from tests.tables import SHARED


@dataclass
class Newcomer:
    """Somebody who counts what is touched."""

    page: Page
    url: str
    folder: Path
    name: str
    clicks: int = 0
    typed: int = 0
    acts: int = 0
    questions: int = 0
    plan: str = ""
    text_seen: str = ""
    relations: str = ""
    forecasts: str = ""
    sentences: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.steward = Steward(self.page, self.url)
        self.start = time.monotonic()

    def touch(self, act: Callable[[], object], *, runs: bool = True) -> None:
        """Count an act, and wait for what it leads to: the script runs anew, or not."""
        self.clicks += 1
        with self.steward.waiting_for_rerun() if runs else nullcontext():
            act()
        self.steward.wait_until_idle()

    def shoot(self, step: str) -> str:
        """Take a picture, and return what the page says."""
        self.page.wait_for_timeout(500)
        page_text = self.page.locator("[data-testid=stMain]").inner_text()
        self.text_seen += f"{page_text}\n"
        (self.folder / f"{self.name}-{step}.txt").write_text(page_text, encoding="utf-8")
        self.page.screenshot(path=self.folder / f"{self.name}-{step}.png", full_page=True)
        return page_text

    def press(self, label: str | re.Pattern[str], timeout: float = 60_000) -> bool:
        """Press a button if it is there and can be pressed."""
        button = self.page.get_by_role("button", name=label).first
        with suppress(PlaywrightTimeout):
            button.wait_for(timeout=timeout)
            if button.is_enabled():
                self.touch(button.click)
                return True
        return False

    def go(self, step: str) -> bool:
        """The next step, if it is open."""
        if not self.press(f"Next: {step}", 5_000):
            return False
        # A question before the step is answered by leaving out what waits.
        asked = self.page.get_by_role("dialog").count()
        self.clicks += asked
        self.questions += asked
        self.steward.leave_out_waiting(step)
        self.steward.wait_for_step(step)
        return True

    def take(self, name: str) -> Path:
        """Download a file."""
        path = self.folder / f"{self.name}-{name}"
        self.touch(lambda: self.steward.download(name).save_as(path), runs=False)
        return path


def walk_through(who: Newcomer, path: Path) -> None:
    """From the upload to both downloads."""
    steward = who.steward
    page = who.page
    who.touch(lambda: steward.upload(path))
    steward.wait_for_text(re.compile(r"has [\d,]+ columns?|in which encoding"))
    while who.press(re.compile("^Read it"), 1_000):  # encoding, separator, decimal mark
        who.questions += 1
    who.shoot("1-data")
    if not who.go("Domain"):
        who.sentences.append("Data is not at its end")
        return
    look = page.get_by_role("button", name=re.compile("^(Look at the data|Quick draft)"))
    if not look.first.is_visible():
        who.touch(lambda: steward.open("Draft from the table"))
    who.touch(look.first.click)
    page.wait_for_timeout(1_000)
    steward.wait_until_idle()
    who.shoot("2-domain")
    if not who.go("Plan"):
        who.sentences.append("Plan is locked")
        return
    rows = page.get_by_role("spinbutton", name=re.compile("^About how many rows"))
    if rows.count():
        steward.enter_text(rows, str(sum(1 for _ in path.open("rb")) - 1))
        who.typed += 1
    who.plan = who.shoot("3-plan")
    if not who.go("Release"):
        who.sentences.append("Release is locked")
        return
    steward.say_whose_data(who.name)
    steward.confirm_spend(1)
    who.acts += 2
    who.shoot("4-release")
    who.touch(lambda: steward.press("Release with epsilon 1"))
    steward.wait_for_text(re.compile(r"^Released: .*This release is stored"))
    who.shoot("5-released")
    who.touch(lambda: steward.go("Download"))
    if page.get_by_role("button", name=VOUCH).count():
        steward.press(VOUCH)
        who.acts += 1
        steward.wait_for_text(re.compile("^Publishable:"))
    who.shoot("6-download")
    who.take("synthetic.csv")
    bundle = who.take("bundle.zip")
    who.sentences += judge_bundle(bundle, path, who.plan, who.text_seen)
    who.relations = count_relations(bundle, who.plan)
    steward.go("Compare")
    steward.press("Compare with the confidential table")
    steward.wait_for_text(re.compile("^Single columns: "))
    who.forecasts = judge_forecasts(who.plan, who.shoot("7-compare"))


CLICKS = 9
QUESTIONS = 2
TYPED = 2
"""Most of them that a table may take; each question takes one click more."""
HEAD = "pairs with relations | error of columns, of pairs against the forecast | end"


def list_tables(folder: Path, only: str) -> Iterator[Path]:
    """All that are at hand whose names fit; those that are made, once it is their turn."""
    for name, make in {**MADE, **UNSEEN}.items():
        if re.search(only, name):
            make(folder / name)
            yield folder / name
    for path in (path for name in SHARED_TABLES for path in sorted(SHARED.glob(name))):
        if re.search(only, path.name):
            yield path


def main(pictures: Path, only: str = "") -> None:
    pictures.mkdir(parents=True, exist_ok=True)
    if chromium() is None:
        raise SystemExit(MISSING)
    missed = []
    print(" | ".join(("table | clicks | typed | acts | seconds", *KINDS, HEAD)))
    with TemporaryDirectory() as name, browser() as running:
        folder = Path(name)
        os.environ["SYNTH_HOME"] = str(folder / "home")
        with server(folder / "app.log") as url:
            for path in list_tables(folder, only):
                page = running.new_context(viewport={"width": 1280, "height": 900}).new_page()
                who = Newcomer(page, url, pictures, path.stem)
                try:
                    walk_through(who, path)
                    end = "files"
                except Exception as error:  # noqa: BLE001 - the next table is walked all the same
                    end = f"stopped: {str(error).splitlines()[0][:100]}"
                    who.shoot("9-stopped")
                seconds = time.monotonic() - who.start
                counts = [
                    sum(sentence.startswith(kind) for sentence in who.sentences)
                    for kind in KINDS
                ]
                numbers = [who.clicks, who.typed, who.acts, f"{seconds:.0f}", *counts]
                remarks = "; ".join(who.sentences)
                is_aside = path.stem in ASIDE or path.name in UNSEEN
                name = f"{path.name}{' (aside)' if is_aside else ''}"
                cells = [name, *numbers, who.relations, who.forecasts, end, remarks]
                print(" | ".join(map(str, cells)), flush=True)
                most_clicks = CLICKS + min(QUESTIONS, who.questions)
                is_quick = who.clicks <= most_clicks and who.typed <= TYPED
                if not is_quick or any(counts) or end != "files":
                    missed.append(path.name)
                page.context.close()
        log = (folder / "app.log").read_text(encoding="utf-8")
        print("tracebacks in the log:", log.count("Traceback"))
    if missed:
        raise SystemExit(f"Missed by {', '.join(missed)}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["build/newcomers"]), *sys.argv[2:3])
