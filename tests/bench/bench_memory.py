"""Memory of a server that sessions with large declarations and releases were opened on.

    PYTHONPATH=. python tests/bench/bench_memory.py [--sessions 4] [--columns 200]

Prints the MB that the server holds fresh, once everything was used (a release of the simulated
survey, which loads the libraries), at its peak, and once all sessions are closed. Every session
uploads a wide table, imports its declaration, looks at Plan, then releases the simulated survey
and compares it. The last line is what stays above a server on which everything was used once.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Browser

from tests.e2e.browser import MISSING, Steward, browser, chromium, process_of, server
from tests.wide import field, wide_table

CATEGORIES = 5_000
LOST = 160
"""Seconds; what a lost session had stays within reach for 130."""


def resident(url: str, name: str = "VmRSS") -> float:
    """Memory that the server holds, or held at most (VmHWM), in MB."""
    status = (process_of(url) / "status").read_text()
    return int(status.split(f"{name}:")[1].split()[0]) / 1e3


def declaration(folder: Path, columns: int) -> Path:
    """Every fourth column has thousands of categories."""
    fields = [field(number) for number in range(columns)]
    for number in range(0, columns, 4):
        codes = [f"code {number} {code}" for code in range(CATEGORIES)]
        fields[number] |= {"type": "string", "constraints": {"enum": codes}}
        fields[number].pop("synth:bins", None)
        fields[number].pop("synth:period", None)
    path = folder / "wide.json"
    path.write_text(json.dumps({"fields": fields}), encoding="utf-8")
    return path


def session(running: Browser, url: str, table: Path, schema: Path, columns: int) -> None:
    """One steward, from an upload to a comparison."""
    context = running.new_context()
    steward = Steward(context.new_page(), url)
    steward.upload(table)
    steward.sees(f"has {columns} columns")
    steward.next("Domain")
    steward.open("Import or save a declaration")
    steward.upload(schema)
    steward.sees(f"· {columns} columns")
    steward.next("Plan")
    steward.rows(20_000)
    steward.go("Data")
    survey(steward)
    context.close()


def survey(steward: Steward) -> None:
    """The simulated survey, released and compared."""
    steward.press("Use the simulated survey")
    steward.sees("has 11 columns")
    steward.go("Release")
    steward.spends(1)
    steward.go("Compare")
    steward.press("Compare with the confidential table")
    steward.sees("Private - do not share")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--columns", type=int, default=200)
    options = parser.parse_args()
    if chromium() is None:
        sys.exit(f"bench_memory: {MISSING}")
    os.environ["STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"] = "1"
    with tempfile.TemporaryDirectory() as name, browser() as running:
        folder = Path(name)
        os.environ["SYNTH_HOME"] = str(folder / "home")
        table, schema = wide_table(folder, options.columns), declaration(folder, options.columns)
        with server(folder / "log.txt") as url:
            time.sleep(3)
            print(f"fresh {resident(url):.0f} MB", flush=True)
            context = running.new_context()
            survey(Steward(context.new_page(), url))
            context.close()
            time.sleep(LOST)
            used = resident(url)
            print(f"all in use once {used:.0f} MB", flush=True)
            for number in range(1, options.sessions + 1):
                session(running, url, table, schema, options.columns)
                print(f"session {number}: {resident(url):.0f} MB", flush=True)
            print(f"peak {resident(url, 'VmHWM'):.0f} MB", flush=True)
            time.sleep(LOST)
            print(f"after {LOST} s {resident(url):.0f} MB", flush=True)
            print(f"stays: {resident(url) - used:.0f} MB")


if __name__ == "__main__":
    main()
