"""The pictures of the tutorial, taken of the app as it is: `make pictures`.

python tests/e2e/tutorial_pictures.py [FOLDER]
"""

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from synth.domain.table_schema import write_schema
from synth.lessons.survey import COLUMNS, survey_domain, write_example
from tests.e2e.browser import MISSING, Steward, browser, chromium, server

ROOT = Path(__file__).parents[2]
SIZE = {"width": 1200, "height": 800}


class Shots:
    """A steward who takes a picture of what is on the screen."""

    def __init__(self, steward: Steward, folder: Path) -> None:
        self.steward, self.folder = steward, folder

    def shoot(self, name: str, at: str = "") -> None:
        """The screen, with a text of the page at its top where one is named."""
        self.steward.rest()
        page = self.steward.page
        if at:
            found = page.get_by_text(at).first
            found.evaluate("e => e.scrollIntoView({block: 'center'})")
        page.wait_for_timeout(1000)  # charts and tables draw themselves after the script is done
        page.screenshot(path=self.folder / f"{name}.png")


def walk(at: Shots, table: Path, schema: Path) -> None:
    """From the table to its download."""
    steward = at.steward
    steward.upload(table)
    steward.sees("has 11 columns")
    at.shoot("data")
    steward.next("Domain")
    steward.open("Import or save a declaration")
    steward.upload(schema)
    steward.sees("24,192")
    at.shoot("domain")
    steward.next("Plan")
    at.shoot("plan")
    steward.next("Release")
    steward.spends(1)
    at.shoot("release")
    steward.go("Compare")
    steward.press("Compare with the confidential table")
    steward.sees("k-marginal score")
    steward.drawn()
    at.shoot("compare")
    steward.go("Download")
    at.shoot("download")


def main() -> None:
    if chromium() is None:
        sys.exit(MISSING)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="tutorial-") as place, browser() as running:
        home = Path(place)
        os.environ["SYNTH_HOME"] = str(home / "home")
        table, schema = write_example(home)[0], home / "d.json"
        schema.write_text(json.dumps(write_schema(survey_domain().project(COLUMNS))))
        with server(home / "server.log") as url:
            context = running.new_context(color_scheme="light", viewport=SIZE)
            walk(Shots(Steward(context.new_page(), url), folder), table, schema)
            context.close()
    print(folder)


if __name__ == "__main__":
    main()
