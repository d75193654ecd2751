"""How soon the epsilon slider answers in a real browser, beside what Streamlit alone takes.

Measured inside the page: from the key press on the slider to the first change of the forecast's
number in the document. The floor is a page with one slider and one number, in the same run.
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
([target]) => {
  window.answers = [];
  const number = () => document.querySelector(target)?.innerText;
  let pressed = 0, before = number();
  addEventListener('keydown', () => { pressed = performance.now(); before = number(); }, true);
  new MutationObserver(() => {
    if (pressed && number() !== undefined && number() !== before) {
      window.answers.push(performance.now() - pressed);
      pressed = 0;
    }
  }).observe(document.body, {subtree: true, childList: true, characterData: true});
}
"""


def answers(page: Page, target: str) -> list[float]:
    """Milliseconds from each key press to the changed number; the first two warm up."""
    page.evaluate(WATCH, [target])
    page.get_by_role("slider").first.focus()
    for press in range(PRESSES + 2):
        page.keyboard.press("ArrowRight" if press % 2 else "ArrowLeft")
        page.wait_for_function("n => window.answers.length > n", arg=press)
        page.wait_for_timeout(600)  # the rest of the page comes to rest
    found: list[float] = page.evaluate("window.answers")
    return found[2:]


def scripts(log: Path) -> float:
    """Median milliseconds of the server's last script runs."""
    found = re.findall(r"^script ([\d.]+)", log.read_text(encoding="utf-8"), re.M)
    return median(float(n) for n in found[-PRESSES:])


def report(name: str, found: list[float], log: Path) -> None:
    print(
        f"{name:28} median {median(found):4.0f} ms  (fastest {min(found):.0f}, "
        f"slowest {max(found):.0f}; the server's script {scripts(log):.0f} ms)",
        flush=True,
    )


def floor(page: Page, url: str) -> list[float]:
    page.goto(url)
    expect(page.get_by_role("slider")).to_be_visible()
    return answers(page, "[data-testid=stMetricValue]")


def plan(page: Page, url: str, method: str) -> list[float]:
    steward = Steward(page, url)
    steward.press("Use the simulated survey")
    steward.sees("has 11 columns")
    steward.go("Plan")
    steward.choose("How the table is modelled", method)
    page.wait_for_timeout(3000)
    return answers(page, "[data-testid=stMetricValue]")


def main() -> None:
    if chromium() is None:
        sys.exit(f"bench_slider: {MISSING}")
    with tempfile.TemporaryDirectory() as folder, browser() as running:
        script, log = Path(folder) / "floor.py", Path(folder) / "log.txt"
        script.write_text(FLOOR, encoding="utf-8")
        with server(log, str(script), ("-c", TIMED)) as url:
            report("Streamlit alone", floor(running.new_page(), url), log)
        with server(log, launch=("-c", TIMED)) as url:
            for method in ("Histogram",):
                context = running.new_context()
                report(f"Plan, {method.lower()}", plan(context.new_page(), url, method), log)
                context.close()


if __name__ == "__main__":
    main()
