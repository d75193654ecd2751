"""How many elements axe-core finds amiss, by page, theme and width: the app's own, and all.

python tests/e2e/accessibility.py [FILE FOR DETAILS]
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Browser

from tests.e2e import axe, views
from tests.e2e.browser import MISSING, Steward, browser, chromium, server

Found = tuple[str, str, str, axe.Fault]


def measured(running: Browser, url: str) -> list[Found]:
    """Walk through all views, print a line for each, and tell all that was found."""
    context = running.new_context(viewport={"width": 1280, "height": views.HEIGHT})
    print(f"{'':24}", *(f"{theme[:1]} {w:>5}" for theme in views.THEMES for w in views.WIDTHS))
    found: list[Found] = []
    for name, page in views.views(Steward(context.new_page(), url)):
        line = []
        for theme, width in views.settings(page):
            here = axe.faults(page, again=2)
            found += [(name, theme, width, fault) for fault in here]
            line.append(f"{sum(fault.exempt < 0 for fault in here)}/{len(here)}")
        print(f"{name:24}", *(f"{one:>7}" for one in line), flush=True)
    context.close()
    return found


def main() -> None:
    if chromium() is None:
        sys.exit(MISSING)
    with TemporaryDirectory(prefix="axe-") as place, browser() as running:
        os.environ["SYNTH_HOME"] = place
        with server(Path(place) / "log.txt") as url:
            found = measured(running, url)
    own = [fault for *_, fault in found if fault.exempt < 0]
    print(f"{len(own)} of the app's own, {len(found)} in all; by rule:", end=" ")
    print(dict(Counter(fault.rule for fault in own)))
    if len(sys.argv) > 1:
        told = [{"view": v, "theme": t, "width": w, **vars(fault)} for v, t, w, fault in found]
        Path(sys.argv[1]).write_text(json.dumps(told, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
