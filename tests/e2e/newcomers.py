"""Tables that nobody prepared, from an upload to the files, as somebody new to the app would.

    python tests/e2e/newcomers.py [FOLDER] [PATTERN OF NAMES]

For every table, by the recommended way: clicks and typed fields (whose data it is, the spend
and the vouching are counted apart), seconds, false alarms, silent losses, identifiers, exact
extremes and codes invented in what is published, and pictures in FOLDER. Tables are those of
`newcomer_tables`, and of ../shared where that is at hand."""

import csv
import json
import os
import re
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from pages.ui.release.publishing import VOUCH
from synth.bundle.declaration import MOSTLY_NOISE
from tests.e2e.browser import MISSING, Steward, browser, chromium, server
from tests.e2e.newcomer_tables import ASIDE, MADE, SHARED_TABLES
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
    plan: str = ""
    text_seen: str = ""
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
        self.clicks += self.page.get_by_role("dialog").count()
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
    while who.press(re.compile("^Read it"), 1_000):  # encoding, separator
        pass
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
    who.sentences += judge_bundle(who.take("bundle.zip"), path, who.plan, who.text_seen)


def judge_bundle(bundle: Path, path: Path, plan: str, page_text: str) -> list[str]:
    """What is wrong with what is published, by the table it was made of."""
    with zipfile.ZipFile(bundle) as archive:
        content = json.loads(archive.read("certificate.json"))["rows_fit"]
        declared = json.loads(archive.read("domain.json"))
        fields = declared["fields"]
        missing = {"", *declared.get("missingValues", ())}
        rows = list(csv.reader(archive.read("synthetic.csv").decode().splitlines()))
    drawn_values = {name: {*values} for name, *values in zip(*rows, strict=True)}
    faults = ["false alarm: mostly noise"] * content.startswith(MOSTLY_NOISE)
    lost = "Relations kept: 0 of"
    ahead = "Weaker relations may be lost|This table would show no relation"
    warned = {*re.findall(f"{lost}|{ahead}", plan)}
    faults += ["silent loss: relations"] * (
        lost in content and not (warned and lost in page_text)
    )
    real = raw_values(path)
    for column in fields:
        name = column["name"]
        values = real.get(name, [])
        counts = Counter(values)
        limits = column.get("constraints", {})
        listed_values = limits.get("enum", [])
        empty = sum(counts[marker] for marker in missing) / len(values) if values else 1
        if is_named(name, content) and empty < MOSTLY:
            faults.append(f"false alarm: {name}")
        wide = len({*map(len, filter(None, values))}) == 1 and column["type"] == "integer"
        if len(counts) > 0.9 * len(values) and (listed_values or wide):
            faults.append(f"identifier: {name}")
        for end in ("minimum", "maximum"):
            if 0 < counts.get(str(limits.get(end)), 0) < FEW and is_extreme(
                counts, limits[end]
            ):
                faults.append(f"extreme: {name} {end}")
        codes = {
            text for text in drawn_values.get(name, ()) if text and not text.startswith("(")
        }
        if 0 < len(counts) <= CODES and (
            undeclared := codes - {*counts} - {f"'{c}" for c in counts}
        ):
            faults.append(f"codes invented: {name} ({len(undeclared)})")
    return faults


def is_named(name: str, page_text: str) -> bool:
    """Whether a certificate names a column as one with few values or none."""
    return any(
        "few described values" in sentence and f"'{name}'" in sentence
        for sentence in page_text.split(". ")
    )


FEW = 10
CODES = 15
MOSTLY = 0.8
"""Rows of a rare value; values of a list of codes; the share that is missing of an empty
column.
"""


def is_extreme(counts: Counter[str], bound: object) -> bool:
    """Whether a bound is the least or greatest number that there is."""
    numbers = []
    for text in counts:
        with suppress(ValueError):
            numbers.append(float(text))
    return bool(numbers) and float(str(bound)) in (min(numbers), max(numbers))


def raw_values(path: Path) -> dict[str, list[str]]:
    """The values of a table's columns, as they stand there."""
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252")
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    head, *rows = csv.reader(text.splitlines(), delimiter=delimiter)
    complete_rows = [row for row in rows if len(row) == len(head)]
    columns = zip(*complete_rows, strict=True)
    return {
        name.strip(): [value.strip() for value in v]
        for name, v in zip(head, columns, strict=True)
    }


CLICKS = 10
TYPED = 2
"""Most of both that a table may take."""
KINDS = ("false alarm", "silent loss", "identifier", "extreme", "codes invented")
"""What is counted of every table."""


def list_tables(folder: Path, only: str) -> Iterator[Path]:
    """All that are at hand whose names fit; those that are made, once it is their turn."""
    for name, make in MADE.items():
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
    print("table | clicks | typed | acts | seconds | " + " | ".join(KINDS) + " | end")
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
                name = f"{path.name}{' (aside)' * (path.stem in ASIDE)}"
                print(" | ".join(map(str, [name, *numbers, end, remarks])), flush=True)
                if who.clicks > CLICKS or who.typed > TYPED or any(counts) or end != "files":
                    missed.append(path.name)
                page.context.close()
        log = (folder / "app.log").read_text(encoding="utf-8")
        print("tracebacks in the log:", log.count("Traceback"))
    if missed:
        raise SystemExit(f"Missed by {', '.join(missed)}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["build/newcomers"]), *sys.argv[2:3])
