"""A real Chromium on a real server: found, started, driven by what a person can see."""

import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserType,
    Download,
    FloatRect,
    Locator,
    Page,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from pages.ui.release.files import HANDED_ON, OTHERS
from tests import patience

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = (
    "Chromium is missing; install it (Debian: apt-get install chromium) to run this test."
)


PATIENCE = 1000 * patience.SECONDS
"""Milliseconds that a page gets for what it takes a moment for on a quiet machine."""

expect.set_options(timeout=PATIENCE)

COUNT_RUNS = """
window.runs = 0
new MutationObserver(changes => changes.forEach(({target}) => {
  if (target.dataset.testScriptState === 'running') window.runs += 1
})).observe(document, {subtree: true, attributeFilter: ['data-test-script-state']})
"""
"""Counts how often the app began to run its script."""

DRAWN = """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
  .every(chart => !chart.checkVisibility() || chart.querySelector('.main-svg'))"""
"""Charts draw themselves after the script's end."""


def chromium() -> str | None:
    """Where the system's Chromium is."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def server(
    log: Path,
    script: str = "app.py",
    launch: Sequence[str] = ("-m", "streamlit"),
    at: int | None = None,
    options: Sequence[str] = (),
) -> Iterator[str]:
    """Serve the app from the repository, or another script; what it prints goes to a file.

    Args:
        log: That file.
        script: What is served.
        launch: What Python is called with before the words ``run`` and ``script``.
        at: Its port, which a `patience.port` holds; None for one of its own.
        options: More words of the command line.
    """
    port_holder = patience.port() if at is None else nullcontext(at)
    with port_holder as port, log.open("wb") as output:
        command = [
            sys.executable,
            *launch,
            "run",
            script,
            "--server.port",
            str(port),
            *options,
        ]
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, env={**os.environ}
        )
        try:
            await_server(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(patience.SECONDS)


def await_server(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the app answers."""

    def answers() -> bool:
        with suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()
            return True
        return process.poll() is not None

    if not patience.until(answers) or process.poll() is not None:
        message = "The app did not start."
        raise RuntimeError(message)


def process_of(url: str) -> Path:
    """Where /proc tells of the server that listens there."""
    port = str(urlsplit(url).port)
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if port.encode() in words and b"run" in words:
                return process
    raise AssertionError(port)


@contextmanager
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright, launched(playwright.chromium) as running:
        yield running


@contextmanager
def launched(kind: BrowserType, *options: str) -> Iterator[Browser]:
    """A browser with options of its own."""
    plain = ["--no-sandbox", "--disable-dev-shm-usage"]
    running = kind.launch(executable_path=chromium(), args=[*plain, *options])
    try:
        yield running
    finally:
        running.close()


class Steward:
    """A person at the app: every act waits for what it leads to."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        page.set_default_timeout(PATIENCE)
        page.add_init_script(COUNT_RUNS)
        page.goto(url)
        self.wait_for_step("Data")

    def wait_for_step(self, step: str) -> None:
        """Wait until a step's page is there and at rest."""
        expect(
            self.page.get_by_role("heading", name=re.compile(rf"^(\d\. )?{step}$"))
        ).to_be_visible()
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        """Wait until no script is running."""
        expect(self.page.locator("[data-testid=stApp]")).to_have_attribute(
            "data-test-script-state", "notRunning"
        )

    @contextmanager
    def waiting_for_rerun(self) -> Iterator[None]:
        """Wait until the script that runs because of what is done in this block is at its
        end.

        A page that draws both its beginning and its end at once shows neither.
        """
        self.wait_until_idle()
        before = self.page.evaluate("window.runs")
        yield
        with suppress(PlaywrightTimeout):
            self.page.wait_for_function("n => window.runs > n", arg=before, timeout=10_000)
        self.wait_until_idle()

    def wait_for_charts(self) -> None:
        """Wait until every chart is there."""
        self.page.wait_for_function(DRAWN)

    def go(self, step: str) -> None:
        """Open a step by the navigation."""
        self.page.locator("[data-testid=stSidebarNav]").get_by_role(
            "link", name=step, exact=True
        ).click()
        self.wait_for_step(step)

    def go_to_next(self, step: str) -> None:
        """Press the button to the next step, once the page has it for good.

        A page that is drawn anew may move the button between the pointer's down and up; then
        it is pressed again, as a person would.
        """
        button = self.page.get_by_role("button", name=f"Next: {step}")
        for _ in range(12):
            self.wait_until_idle()
            with suppress(PlaywrightTimeout, AssertionError):
                button.click(timeout=10_000)
                expect(self._question_or(step)).to_be_visible(timeout=10_000)
            if self._question_or(step).is_visible():
                break
        self.leave_out_waiting(step)
        self.wait_for_step(step)

    def _question_or(self, step: str) -> Locator:
        """The question about waiting columns, or the heading of a step."""
        heading = self.page.get_by_role("heading", name=re.compile(rf"^(\d\. )?{step}$"))
        return self.page.get_by_role("dialog").or_(heading).first

    def leave_out_waiting(self, step: str) -> None:
        """Leave out the columns about which the page Domain asks before the next step."""
        question = self.page.get_by_role("dialog")
        expect(self._question_or(step)).to_be_visible()
        if question.count():
            self.wait_until_idle()
            question.get_by_role(
                "button", name=re.compile("^Leave out .* and go on$")
            ).click()

    def press(self, name: str) -> None:
        """Press a button."""
        with self.waiting_for_rerun():
            self.page.get_by_role("button", name=name).click()

    def upload(self, path: Path) -> None:
        """Hand a file to the uploader of the page, once no script may draw it anew.

        Right after a page is there it may not listen yet: then no file is sent, and it is
        handed over again."""
        uploaders = self.page.get_by_test_id("stFileUploader")
        self.hand_over(uploaders.locator("input[type=file]").first, path)

    def hand_over(self, uploader: Locator, path: Path) -> None:
        """Hand a file to one uploader until it is sent."""
        self.wait_until_idle()
        for _ in range(6):
            with suppress(PlaywrightTimeout):
                with self.page.expect_request(re.compile("upload_file"), timeout=10_000):
                    uploader.set_input_files(path)
                return
        message = "The uploader does not listen."
        raise AssertionError(message)

    def open_bundle(self, path: Path) -> None:
        """Hand a bundle to its uploader."""
        self.open("Go on from a bundle")
        bundles = self.page.get_by_test_id("stFileUploader").filter(has_text="bundle.zip")
        self.hand_over(bundles.locator("input[type=file]"), path)
        self.wait_for_text("Nothing that the bundle claims is refuted.")

    def wait_for_text(self, text: str | re.Pattern[str]) -> None:
        """Wait until a text can be seen."""
        expect(self.page.get_by_text(text).first).to_be_visible()

    def choose(self, label: str, option: str) -> None:
        """Choose from a list, by the beginning of what it says.

        A list folds when the page scrolls under it, be it that a script has more to say, or
        that the click itself brought it into view; then it is opened again."""
        self.wait_until_idle()
        box = self.page.get_by_role("combobox", name=label, exact=True).first
        wanted_option = self.page.get_by_role("option", name=re.compile(f"^{option}"))
        for _ in range(20):
            if box.get_attribute("aria-expanded") != "true":
                box.click()
            with suppress(PlaywrightTimeout):
                wanted_option.click(timeout=6_000)
                break
        expect(box).to_have_value(re.compile(f"^{option}"))
        self.wait_until_idle()

    def type_option(self, box: Locator, option: str) -> None:
        """Choose from the list that has the focus by typing; one that folded is typed into
        again.

        A list folds when the page scrolls under it, as it may after Tab, and forgets what was
        typed. One that took it, but late, is folded too and shows it.
        """
        wanted_option = self.page.get_by_role("option", name=option, exact=True)
        for _ in range(20):
            if box.input_value() == option and box.get_attribute("aria-expanded") != "true":
                break
            box.focus()
            self.page.keyboard.press("Control+a")
            self.page.keyboard.type(option)
            with suppress(AssertionError):
                expect(wanted_option).to_be_visible(timeout=6_000)
                self.page.keyboard.press("Enter")
                expect(box).to_have_value(option, timeout=6_000)
                break
        expect(box).to_have_value(option)
        self.wait_until_idle()

    def tab_until_focus(self, start: Locator, target: Locator) -> None:
        """Press Tab from a place on until another has the focus.

        What unfolds cannot be reached at once, and a page that is drawn anew loses the focus:
        then it goes on from the place again."""
        for _ in range(60):
            self.wait_until_idle()
            start.focus()
            for _ in range(40):
                self.page.keyboard.press("Tab")
                if target.evaluate("it => it === document.activeElement"):
                    return
            self.page.wait_for_timeout(1000)
        expect(target).to_be_focused()

    def enter_text(self, box: Locator, text: str) -> None:
        """Type into a field and press Enter until the app takes it up.

        A field that is drawn anew meanwhile shows what was typed, and has forgotten it.
        """
        for _ in range(6):
            self.wait_until_idle()
            before = self.page.evaluate("window.runs")
            box.fill("")
            box.fill(text)
            box.press("Enter")
            with suppress(PlaywrightTimeout):
                self.page.wait_for_function(
                    "n => window.runs > n", arg=before, timeout=20_000
                )
                break
        self.wait_until_idle()

    def say_whose_data(self, people: str) -> None:
        """Say whose data it is, unless the ledger knows."""
        self.wait_until_idle()
        box = self.page.get_by_role("combobox", name="Whose data is this?")
        if box.count() and not box.input_value():
            self.enter_text(box, people)
            expect(self.page.get_by_text("Say whose data this is to go on.")).to_have_count(0)

    def spend(self, epsilon: int) -> None:
        """Say so, release, and wait for what comes of it."""
        self.confirm_spend(epsilon)
        self.press(f"Release with epsilon {epsilon}")
        self.wait_for_text("This release is stored")

    def confirm_spend(self, epsilon: int) -> None:
        """Tick that so much may be spent."""
        with self.waiting_for_rerun():
            self.page.get_by_text(f"Spend epsilon {epsilon}", exact=True).click()

    def write_question(self, text: str, *, right: bool = True) -> None:
        """Write a question on the line of the step Ask, and press Enter; a right one is
        added.
        """
        self.wait_until_idle()
        line = self.page.get_by_role("textbox", name="A question", exact=True)
        line.fill(text)
        line.press("Enter")
        if right:
            expect(line).to_have_value("")
            self.wait_for_text(re.compile(f"^{re.escape(text)}$"))
        self.wait_until_idle()

    def say_rows(self, number: int) -> None:
        """Say about how many rows the table has, where Synth asks."""
        self.wait_until_idle()
        box = self.page.get_by_role("spinbutton", name="About how many rows?")
        if box.count():
            self.enter_text(box, str(number))

    def open(self, label: str) -> None:
        """Open an expander; one that is drawn anew meanwhile is opened again.

        One of the section *More* of the page Domain is found there.
        """
        self.wait_until_idle()
        summary = self.page.locator("summary").filter(has_text=label)
        panel = summary.locator("xpath=..")
        more = self.page.locator("summary").filter(has_text=re.compile("More: files"))
        for _ in range(20):
            with suppress(PlaywrightTimeout, AssertionError):
                if more.count() and not summary.is_visible():
                    more.click(timeout=6_000)
                if panel.get_attribute("open", timeout=6_000) is None:
                    summary.click(timeout=6_000)
                expect(panel).to_have_attribute("open", "", timeout=6_000)
                break
        expect(panel).to_have_attribute("open", "")

    def download(self, name: str) -> Download:
        """Take a file of a release, by its name in the bundle."""
        label, *_ = {**HANDED_ON, **OTHERS}[name]
        button = self.page.get_by_role("button", name=label, exact=True)
        if name in OTHERS:
            self.open("More formats")
        with self.page.expect_download() as waiting:
            button.click()
        return waiting.value


def place_of(thing: Locator) -> FloatRect:
    """Where something is on the page; what is being drawn anew is nowhere for a moment."""
    for _ in range(20):
        with suppress(PlaywrightTimeout):
            thing.scroll_into_view_if_needed(timeout=6_000)
            box = thing.bounding_box(timeout=6_000)
            if box is not None:
                return box
        thing.page.wait_for_timeout(500)
    message = "It is not on the page."
    raise AssertionError(message)
