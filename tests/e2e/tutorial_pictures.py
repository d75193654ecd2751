"""The pictures of the tutorial and the README, taken of the app as it is: `make pictures`.

python tests/e2e/tutorial_pictures.py [FOLDER]
"""

import json
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from synth.domain import write_schema
from synth.lessons import SURVEY_COLUMNS, survey_domain, write_example
from tests.e2e.browser import MISSING, Steward, browser, chromium, server

ROOT = Path(__file__).parents[2]
SIZE = {"width": 1200, "height": 800}


def walk(steward: Steward, folder: Path, table: Path, schema: Path) -> None:
    """Take pictures from the table to its download."""

    def shoot(name: str) -> None:
        steward.wait_until_idle()
        steward.page.wait_for_timeout(1000)  # charts draw themselves after the script is done
        steward.page.screenshot(path=folder / f"{name}.png")

    steward.upload(table)
    steward.wait_for_text("has 11 columns")
    shoot("data")
    steward.go_to_next("Domain")
    steward.open("Import or save a description")
    steward.upload(schema)
    steward.wait_for_text(re.compile(r"· \d+ columns ·"))
    shoot("domain")
    steward.go_to_next("Plan")
    shoot("plan")
    steward.go_to_next("Release")
    steward.spend(1)
    shoot("release")
    steward.go("Compare")
    steward.press("Compare with the confidential table")
    steward.wait_for_text(re.compile("^Single columns: "))
    steward.wait_for_charts()
    shoot("compare")
    steward.go("Download")
    shoot("download")


def main() -> None:
    if chromium() is None:
        sys.exit(MISSING)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="tutorial-") as place, browser() as running:
        home = Path(place)
        os.environ["SYNTH_HOME"] = str(home / "home")
        table = write_example(home)[0]
        schema = home / "d.json"
        schema.write_text(json.dumps(write_schema(survey_domain().project(SURVEY_COLUMNS))))
        with server(home / "server.log") as url:
            context = running.new_context(color_scheme="light", viewport=SIZE)
            walk(Steward(context.new_page(), url), folder, table, schema)
            context.close()
    print(folder)


if __name__ == "__main__":
    main()
