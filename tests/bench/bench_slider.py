"""How soon the epsilon slider answers in a real browser, beside what Streamlit alone takes.

Measured inside the page, by the document's own clock: from the key press on the slider to the
changed forecast of pairs, and to the end of the server's answer, the changed line of the
sidebar. The floor is a page with one slider and one number, in the same run.
"""

import re
import sys
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, expect

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.e2e.browser import MISSING, Steward, browser, chromium, server

PRESSES = 15

FLOOR = """
import streamlit as st

value = st.select_slider("Slider", [str(n) for n in range(20)], value="5")
st.metric("Number", value)
"""

TIMED = """
import sys
from time import perf_counter
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.web.cli import main

inner = ScriptRunner._run_script

def timed(self, *args, **kwargs):
    start = perf_counter()
    try:
        return inner(self, *args, **kwargs)
    finally:
        print(f"script {1000 * (perf_counter() - start):.1f}", flush=True)

ScriptRunner._run_script = timed
main()
"""
"""A server that prints how long each of its script runs takes."""

WATCH = """
([targets]) => {
  window.answers = targets.map(() => []);
  const texts = () => targets.map(t => document.querySelector(t)?.innerText);
  let pressed = [], before = texts();
  addEventListener('keydown', () => {
    before = texts(); pressed = targets.map(() => performance.now());
  }, true);
  new MutationObserver(() => texts().forEach((text, i) => {
    if (pressed[i] && text !== undefined && text !== before[i]) {
      window.answers[i].push(performance.now() - pressed[i]);
      pressed[i] = 0;
    }
  })).observe(document.body, {subtree: true, childList: true, characterData: true});
}
"""
NUMBER = ".s-cards div:nth-child(3) dd"
SIDEBAR = "[data-testid=stSidebarUserContent] [data-testid=stCaptionContainer]"


def answers(page: Page, *targets: str) -> list[list[float]]:
    """Milliseconds from each key press to each changed text; the first two warm up."""
    page.evaluate(WATCH, [list(targets)])
    page.get_by_role("slider").first.focus()
    for press in range(PRESSES + 2):
        page.keyboard.press("ArrowRight" if press % 2 else "ArrowLeft")
        page.wait_for_function("n => window.answers.every(a => a.length > n)", arg=press)
        page.wait_for_timeout(500)  # the rest of the page comes to rest
    return [found[2:] for found in page.evaluate("window.answers")]


def scripts(log: Path) -> float:
    """Median milliseconds of the server's last script runs."""
    found = re.findall(r"^script ([\d.]+)", log.read_text(encoding="utf-8"), re.M)
    return median(float(n) for n in found[-PRESSES:])


def report(name: str, found: list[float]) -> None:
    print(
        f"{name:32} median {median(found):4.0f} ms  ({min(found):.0f} to {max(found):.0f})",
        flush=True,
    )


def floor(page: Page, url: str) -> list[float]:
    page.goto(url)
    expect(page.get_by_role("slider")).to_be_visible()
    return answers(page, "[data-testid=stMetricValue]")[0]


def plan(page: Page, url: str, method: str) -> list[list[float]]:
    steward = Steward(page, url)
    steward.press("Use the simulated survey")
    steward.sees("has 11 columns")
    steward.go("Plan")
    steward.choose("How the table is modelled", method)
    page.wait_for_timeout(2000)
    return answers(page, NUMBER, SIDEBAR)


def main() -> None:
    if chromium() is None:
        sys.exit(f"bench_slider: {MISSING}")
    with tempfile.TemporaryDirectory() as folder, browser() as running:
        script, log = Path(folder) / "floor.py", Path(folder) / "log.txt"
        script.write_text(FLOOR, encoding="utf-8")
        with server(log, str(script), ("-c", TIMED)) as url:
            report("Streamlit alone", floor(running.new_page(), url))
            print(f"{'':32} the server's script {scripts(log):.0f} ms")
        with server(log, launch=("-c", TIMED)) as url:
            for method in ("Histogram", "Automatic"):
                context = running.new_context()
                number, rest = plan(context.new_page(), url, method)
                report(f"Plan, {method.lower()}: the forecast", number)
                report(f"Plan, {method.lower()}: the rest", rest)
                print(f"{'':32} the server's script {scripts(log):.0f} ms")
                context.close()


if __name__ == "__main__":
    main()
