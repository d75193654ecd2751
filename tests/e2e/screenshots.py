"""Pictures of every step, light and dark, from an upload to opening the bundle again.

python tests/e2e/screenshots.py [FOLDER]
"""

import json
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Browser, BrowserContext

from synth.domain.table_schema import write_schema
from synth.lessons.survey import COLUMNS, survey_domain, write_example
from tests.e2e.browser import MISSING, Steward, browser, chromium, server
from tests.e2e.views import hand_in

WIDTH, HEIGHT = 1360, 900


class Photographer:
    """A steward who takes pictures."""

    def __init__(self, context: BrowserContext, url: str, folder: Path, mode: str) -> None:
        self.steward = Steward(context.new_page(), url)
        self.folder, self.mode = folder, mode

    def shoot(self, name: str) -> None:
        """The whole page, however long."""
        self.steward.rest()
        page = self.steward.page
        page.wait_for_timeout(700)  # what draws itself late makes the page longer
        inner = page.locator("[data-testid=stMain]").evaluate("e => e.scrollHeight")
        page.set_viewport_size({"width": WIDTH, "height": max(HEIGHT, int(inner))})
        page.wait_for_timeout(700)  # charts and tables draw themselves after the script is done
        page.screenshot(path=self.folder / f"{name}-{self.mode}.png")
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})

    def turn(self, page: str) -> None:
        """Open a page that is no step."""
        self.steward.page.get_by_role("link", name=page).click()
        self.steward.page.get_by_role("heading", name=page, exact=True).wait_for()


def choose(at: Photographer, table: Path, schema: Path) -> None:
    """Data and Domain, of a table that counts."""
    at.shoot("1-data-empty")
    at.steward.upload(table)
    at.steward.sees("has 11 columns")
    at.shoot("1-data")
    at.steward.next("Domain")
    at.shoot("2-domain-empty")
    at.steward.open("Import or save a declaration")
    at.steward.upload(schema)
    at.steward.sees("24,192")
    at.shoot("2-domain")


ASKED = (
    "count where age >= 65",
    "mean income by sex",
    "table education by smoker",
    "top 1 education",
)


def ask(at: Photographer) -> None:
    """The step Ask: a question that cannot be, a forecast, answers, and the real ones."""
    at.steward.go("Ask")
    at.shoot("a-ask-empty")
    at.steward.question("count where agee >= 65", right=False)
    at.steward.sees("did you mean")
    at.shoot("a-ask-wrong")
    for question in ASKED:
        at.steward.question(question)
    at.steward.rows(20_000)
    at.steward.sees("Ways to answer, side by side")
    at.shoot("a-ask-forecast")
    at.steward.whose("people of the survey")
    at.steward.page.get_by_text("Spend epsilon 0.2", exact=True).click()
    at.steward.rest()
    at.steward.press("Ask 4 questions with epsilon 0.2")
    at.steward.sees("Looking at it again spends nothing")
    at.shoot("a-ask-answers")
    at.steward.press("Show the real answers")
    at.steward.sees("Real against noisy")
    at.shoot("a-ask-real")


def release(at: Photographer, bundle: Path) -> None:
    """Plan, Release, Download and the ledger."""
    at.steward.next("Plan")
    at.shoot("3-plan")
    at.steward.next("Release")
    at.shoot("4-release")
    at.steward.spends(1)
    at.shoot("4-released")
    at.steward.go("Download")
    with at.steward.page.expect_download() as waiting:
        at.steward.page.get_by_role("button", name=re.compile("^Download everything")).click()
    waiting.value.save_as(bundle)
    at.shoot("6-download")
    at.turn("Ledger")
    at.steward.press("Check the whole ledger")
    at.shoot("7-ledger")


def compare(at: Photographer) -> None:
    """Every view of the step Compare."""
    at.steward.go("Compare")
    at.shoot("5-compare-ask")
    at.steward.press("Compare with the confidential table")
    at.steward.sees("k-marginal score")
    views = at.steward.page.get_by_role("radio")
    views.first.wait_for()
    for number in range(views.count()):
        name = views.nth(number).inner_text()
        views.nth(number).click()
        if name == "Training":
            at.steward.press("Train and test")
            at.steward.sees("predicted right")
        at.shoot(f"5-compare-{number}-{name.split()[0].lower()}")


def go_on(at: Photographer, bundle: Path, table: Path) -> None:
    """In a new session: the bundle, its release, then its table."""
    at.steward.open_bundle(bundle)
    at.shoot("8-bundle-opened")
    at.steward.go("Download")
    at.shoot("8-bundle-download")
    at.steward.go("Data")
    at.steward.upload(table)
    at.steward.sees("has 11 columns")
    at.shoot("8-bundle-table")
    at.steward.go("Release")
    at.shoot("8-bundle-release")
    at.turn("Collect")
    hand_in(at.steward, 400)
    at.steward.drawn()
    at.shoot("9-collect")
    at.turn("Learn")
    at.shoot("9-learn")


def visit(running: Browser, folder: Path, mode: str) -> None:
    """Two sessions on a server with a home of its own."""
    with TemporaryDirectory(prefix="pictures-") as place:
        home = Path(place)
        os.environ["SYNTH_HOME"] = str(home / "home")
        table, _ = write_example(home)
        table, schema, bundle = table.rename(home / "people.csv"), home / "d.json", home / "b.zip"
        schema.write_text(json.dumps(write_schema(survey_domain().project(COLUMNS))))
        with server(folder / f"server-{mode}.log") as url:
            for number in range(2):
                size = {"width": WIDTH, "height": HEIGHT}
                context = running.new_context(color_scheme=mode, viewport=size)
                at = Photographer(context, url, folder, mode)
                if number == 0:
                    choose(at, table, schema)
                    ask(at)
                    at.steward.go("Domain")
                    release(at, bundle)
                    compare(at)
                else:
                    go_on(at, bundle, table)
                context.close()


def main() -> None:
    if chromium() is None:
        sys.exit(MISSING)
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/synth-screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as running:
        for mode in ("light", "dark"):
            visit(running, folder, mode)
    print(folder)


if __name__ == "__main__":
    main()
