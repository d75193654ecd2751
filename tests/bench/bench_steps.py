"""Server time of every step's page, with a release of the simulated survey made.

    PYTHONPATH=. python tests/bench/bench_steps.py

Whole runs of a page without a browser, in seconds of a processor: the first visit, and the median
of five more. The first visit of all imports what the pages share and stands for itself; the last
line is the longest of the others, which should be at most .3.
"""

import os
import statistics
import tempfile
from pathlib import Path
from time import process_time

from streamlit.testing.v1 import AppTest

APP = Path(__file__).parents[2] / "app.py"
STEPS = "data domain plan release compare download ask use learn ledger collect".split()
VISITS = 5


def visit(app: AppTest, step: str) -> float:
    """Go to a page and back to none: what the server took for it."""
    app.switch_page(f"pages/steps/{step}.py")
    start = process_time()
    app.run()
    took = process_time() - start
    assert not app.exception, app.exception
    return took


def released() -> AppTest:
    """The app with the survey opened and released."""
    app = AppTest.from_file(str(APP), default_timeout=1_000).run()
    press(app, "Use the simulated survey")
    visit(app, "release")
    app.checkbox(key="agreed").check().run()
    press(app, "Release with epsilon 1")
    return app


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["SYNTH_HOME"] = home
        start = process_time()
        app = released()
        print(f"start, survey, release: {process_time() - start:.2f} s")
        longest = 0.0
        for step in STEPS:
            first, again = visit(app, step), []
            for _ in range(VISITS):
                visit(app, "data")
                again.append(visit(app, step))
            later = statistics.median(again)
            longest = max(longest, later)
            print(f"{step:10} first {first:6.3f} s   again {later:6.3f} s")
        print(f"longest of a page that was visited before: {longest:.3f} s")


if __name__ == "__main__":
    main()
