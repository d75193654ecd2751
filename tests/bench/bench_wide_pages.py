"""Seconds of processor that the pages Domain and Plan take as tables grow wider.

    PYTHONPATH=. python tests/bench/bench_wide_pages.py [--columns 35,76,200] [--most 300]

Whole runs of a page without a browser. The columns are of all kinds; one in four has a thousand
cells or more. The first line of each width is the page Domain, its first run and one that changes
a column; then Plan, by method: opened without rows, a row count typed, the slider moved to
another step, epsilon typed that is no step.
"""

import argparse
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import process_time

from streamlit.testing.v1 import AppTest

from pages.ui.shell.draft import Draft
from synth.plan import Method
from tests.wide import field, wide_draft

APP = Path(__file__).parents[2] / "app.py"

CASES = (
    (Method.AUTO, ""),
    (Method.AUTO, "1e-9"),
    (Method.ONE_SHOT, ""),
    (Method.ADAPTIVE, "1e-9"),
    (Method.TREE, ""),
    (Method.INDEPENDENT, ""),
)


def seconds(act: Callable[[], object]) -> float:
    start = process_time()
    act()
    return process_time() - start


def change(app: AppTest, **choices: object) -> float:
    """A run of the page after another choice."""
    draft: Draft = app.session_state["draft"]
    app.session_state["draft"] = replace(draft, **choices)
    took = seconds(app.run)
    assert not app.exception
    assert not app.error, [e.value for e in app.error]
    return took


def opened(draft: Draft, step: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=1_000).run()
    app.session_state["draft"] = draft
    app.switch_page(f"pages/steps/{step}.py")
    return app


def domain(folder: Path, columns: int) -> None:
    app = opened(wide_draft(folder, columns), "domain")
    first = seconds(app.run)
    now: Draft = app.session_state["draft"]
    new = {**field(0), "description": "changed"}
    again = change(app, fields=(new, *now.fields[1:]), known=now._read)
    rows = change(app, about_rows=20_000)
    print(
        f"{columns:4} columns  Domain       first {first:6.2f}  a column {again:6.2f}"
        f"  rows {rows:6.2f}",
        flush=True,
    )


def plan(folder: Path, columns: int, method: Method, delta: str) -> float:
    app = opened(wide_draft(folder, columns, method=method, delta=delta), "plan")
    found = {"opened": seconds(app.run)}
    assert not app.error
    found["rows typed"] = change(app, about_rows=20_000)
    found["slider"] = change(app, epsilon="2")
    found["epsilon typed"] = change(app, epsilon="0.7")
    found["rows again"] = change(app, about_rows=30_000)
    said = "  ".join(f"{name} {took:6.2f}" for name, took in found.items())
    print(f"{columns:4} columns  {method.value + ' ' + delta:17}{said}", flush=True)
    return sum(found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", default="35,76,200")
    parser.add_argument("--most", type=float, default=300, help="seconds of a case, then no more")
    options = parser.parse_args()
    os.environ["SYNTH_HOME"] = tempfile.mkdtemp()
    with tempfile.TemporaryDirectory() as name:
        for columns in map(int, options.columns.split(",")):
            domain(Path(name), columns)
            for method, delta in CASES:
                if plan(Path(name), columns, method, delta) > options.most:
                    break


if __name__ == "__main__":
    main()
