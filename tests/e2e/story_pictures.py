"""The story of the product in ten stages, each light and dark, wide and as on a telephone.

    python tests/e2e/story_pictures.py [FOLDER]

From an upload over domain, epsilon, the noisy histogram, its repairs, rows and the comparison
to the files: forty pictures, for somebody who looks at each.
"""

import csv
import os
import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Page, expect

from pages.ui.release.publishing import VOUCH
from tests.e2e.browser import MISSING, Steward, browser, chromium, server
from tests.e2e.screenshots import PHONE, WIDTH, take_screenshot
from tests.e2e.views import THEMES


def write_visits(path: Path, rows: int = 3_000) -> None:
    """Write a table of few columns, whose histogram of all cells is worth its noise."""
    random = Random(31)
    wards = ["surgery", "medicine", "maternity", "eye", "skin", "heart"]
    outcomes = ["home", "clinic", "care", "died"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["sex", "age", "ward", "urgent", "outcome"])
        for _ in range(rows):
            sex = random.choice("FM")
            ward = random.choices(wards, [6, 8, 4 if sex == "F" else 0, 2, 1, 3])[0]
            age = random.gauss(29, 5) if ward == "maternity" else random.gauss(58, 17)
            is_urgent = random.random() < (0.6 if ward in ("heart", "surgery") else 0.2)
            weights = [9, 2, 1, 0] if age < 60 else [6, 2, 2, 1]
            writer.writerow(
                [
                    sex,
                    min(94, max(18, int(age))),
                    ward,
                    "yes" if is_urgent else "no",
                    random.choices(outcomes, weights)[0],
                ]
            )


def stages(steward: Steward, table: Path) -> Iterator[str]:
    """Walk from the upload to the files, and yield the name of each stage at rest."""
    page = steward.page
    steward.upload(table)
    steward.wait_for_text(re.compile(r"has [\d,]+ columns"))
    yield "1-upload"
    steward.go_to_next("Domain")
    look = page.get_by_role("button", name=re.compile("^(Look at the data|Quick draft)"))
    if not look.first.is_visible():
        steward.open("Draft from the table")
    with steward.waiting_for_rerun():
        look.first.click()
    yield "2-domain"
    steward.go_to_next("Plan")
    yield "3-epsilon"
    steward.go_to_next("Release")
    yield "4-before"
    steward.say_whose_data("visits")
    steward.spend(1)
    yield "5-histogram"
    steward.press("Show Clamp")
    yield "6-repair"
    with steward.waiting_for_rerun():
        page.get_by_role("button", name="Draw the rows by Clamp").click()
    expect(page.get_by_role("button", name="Show Clamp")).to_have_count(0)
    yield "7-sample"
    steward.go("Compare")
    steward.press("Compare with the confidential table")
    steward.wait_for_text(re.compile("^Single columns: "))
    yield "8-compare"
    with steward.waiting_for_rerun():
        page.get_by_role("tab", name="Pairs", exact=True).click()
    yield "9-pairs"
    steward.go("Download")
    if page.get_by_role("button", name=VOUCH).count():
        steward.press(VOUCH)
        steward.wait_for_text(re.compile("^Publishable:"))
    yield "10-files"


def shoot(page: Page, folder: Path, stage: str) -> None:
    """Take a stage in both themes and widths."""
    for theme, width in product(THEMES, (WIDTH, PHONE)):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        take_screenshot(page, folder / f"{stage}-{theme}-{width}.png", width)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")


def main() -> None:
    if chromium() is None:
        sys.exit(MISSING)
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/story")
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="story-") as place, browser() as running:
        os.environ["SYNTH_HOME"] = f"{place}/home"
        table = Path(place) / "visits.csv"
        write_visits(table)
        with server(folder / "server.log") as url:
            page = running.new_context(viewport={"width": WIDTH, "height": 900}).new_page()
            steward = Steward(page, url)
            for stage in stages(steward, table):
                steward.wait_until_idle()
                steward.wait_for_charts()
                shoot(page, folder, stage)
            page.context.close()
    print(folder)


if __name__ == "__main__":
    main()
