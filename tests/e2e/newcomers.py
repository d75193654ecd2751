"""Tables that nobody prepared, from an upload to the files, as somebody new to the app would.

    python tests/e2e/newcomers.py [FOLDER] [PART OF A NAME]

For every table, by the recommended way: clicks and typed fields (whose data it is, the spend and
the vouching are counted apart), seconds, false alarms, silent losses, identifiers, exact extremes
and codes invented in what is published, and pictures in FOLDER. Tables are made here, in forms that
are found in the wild, or taken from ../shared where that is at hand.
"""

import csv
import json
import os
import re
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.e2e.browser import MISSING, Steward, browser, chromium, server
from tests.tables import SHARED

OPEN = (
    "bank_marketing/bank.csv",
    "birdstrikes/birdstrikes.csv",
    "ebola_sl/ebola_sierraleone_2014_confirmed.csv",
    "german_credit/german_credit.csv",
    "horse_colic/horse_colic.csv",
    "salaries_ai/salaries.csv",
    "linked/*/*.csv",
)


def hospital(path: Path, rows: int = 97_000) -> None:
    """Encounters of patients, 47 columns: keys, ages in bands, codes, question marks."""
    random = Random(1)
    drugs, months = [f"drug_{n}" for n in range(23)], ("Jan", "May", "Oct")
    race = {"Caucasian": 75, "AfricanAmerican": 18, "?": 2, "Hispanic": 2, "Other": 3}
    weights, visits = {"?": 97, "[75-100)": 2, "[50-75)": 1}, {0: 85, 1: 8, 2: 4, 3: 2, 4: 1}
    doses = {"No": 88, "Steady": 9, "Up": 2, "Down": 1}
    head = ["encounter_id", "patient_nbr", "race", "gender", "age", "weight", "admission_type_id",
            "discharge_disposition_id", "admission_source_id", "time_in_hospital", "payer_code",
            "medical_specialty", "num_lab_procedures", "num_procedures", "num_medications",
            "number_outpatient", "number_emergency", "number_inpatient", "diag_1", "diag_2",
            "diag_3", "number_diagnoses", *drugs, "readmitted", "admitted"]  # fmt: skip
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow(head)
        for row in range(rows):
            age = min(9, max(0, int(random.gauss(6.5, 1.6))))
            stay = 1 + min(13, int(random.expovariate(0.3)))
            write.writerow([
                200_000_000 + 7 * row, random.randrange(10**5, 10**8),
                some(random, race), random.choice(("Female", "Male")),
                f"[{10 * age}-{10 * age + 10})", some(random, weights),
                some(random, {1: 53, 2: 19, 3: 18, 6: 10}),
                some(random, {1: 60, 3: 20, 6: 15, 18: 5}), some(random, {1: 30, 7: 60, 17: 10}),
                stay, random.choice(("?", "MC", "HM", "SP", "BC")),
                random.choice(("?", "InternalMedicine", "Cardiology", "Surgery-General")),
                min(120, max(1, int(random.gauss(43, 19)))),
                some(random, {0: 46, 1: 20, 2: 12, 3: 9, 4: 5, 5: 4, 6: 4}),
                1 + stay + random.randrange(12), *(some(random, visits) for _ in range(3)),
                *(f"{random.randrange(250, 780)}" for _ in range(3)), random.randrange(1, 10),
                *(some(random, doses) for _ in drugs),
                some(random, {"NO": 54, ">30": 35, "<30": 11}),
                f"{random.randrange(1, 29)}-{random.choice(months)}-{random.randrange(3, 9):02}",
            ])  # fmt: skip


def some(random: Random, weights: Mapping[Any, int]) -> Any:
    """One of some values, by their weights."""
    return random.choices([*weights], [*weights.values()])[0]


def questionnaire(path: Path, rows: int = 6_000) -> None:
    """A survey of 76 columns: scales of items that are alike, -8 and -9, a free text."""
    random = Random(2)
    items = [f"q{block}_{n}" for block in range(1, 8) for n in range(1, 10)]
    head = ["respondent", "wave", "interview", "sex", "birth_year", "income", "height_cm", *items,
            "region", "satisfied", "hours", "children", "comment", "email"]  # fmt: skip
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow(head)
        for row in range(rows):
            write.writerow([
                f"R{row:06}", random.choice((1, 2)),
                f"{random.randrange(1, 13):02}/{random.randrange(13, 29)}/2021",
                random.choice((1, 2, -9)), random.randrange(1930, 2004),
                random.choice((-8, *range(500, 6000, 50))), round(random.gauss(171, 9)),
                *(random.choice((1, 2, 3, 4, 5, -9)) for _ in items),
                random.choice(("North", "South", "East", "West")), random.randrange(11),
                random.choice((99, *range(1, 61))), random.choice((0, 0, 1, 2, 3)),
                f"said {random.random():.9f} about it", f"p{row}@example.org",
            ])  # fmt: skip


def clinic(path: Path, rows: int = 4_000) -> None:
    """A German export: semicolons, decimal commas, umlauts in Windows-1252, d.m.yyyy."""
    random = Random(3)
    lines = ["Fallnummer;Geschlecht;Größe;Gewicht;Aufnahme;Entlassung um;Station;Befund;Entgelt"]
    for row in range(rows):
        day, month = random.randrange(1, 29), random.randrange(1, 13)
        lines.append(
            f"{10**6 + 13 * row};{random.choice(('männlich', 'weiblich', 'k. A.'))};"
            f"{random.gauss(1.71, 0.09):.2f};{random.gauss(78, 12):.1f};{day}.{month}.2021;"
            f"{day:02}.{month:02}.2021 {random.randrange(24):02}:{random.randrange(60):02};"
            f"{random.choice(('Innere', 'Chirurgie', 'Gynäkologie'))};"
            f"{random.choice(('unauffällig', 'auffällig', '-'))};{random.uniform(10, 4000):.2f}"
        )
    text = "\n".join(line if n == 0 else line.replace(".", ",", 0) for n, line in enumerate(lines))
    commas = [re.sub(r"(?<=;)(\d+)\.(\d+)(?=;|$)", r"\1,\2", line) for line in text.split("\n")]
    path.write_bytes("\n".join(commas).encode("cp1252"))


MADE: dict[str, Callable[[Path], None]] = {
    "hospital.csv": hospital,
    "questionnaire.csv": questionnaire,
    "klinik.csv": clinic,
}


@dataclass
class Newcomer:
    """Somebody who counts what is touched."""

    page: Page
    url: str
    folder: Path
    name: str
    clicks: int = 0
    typed: int = 0
    acts: int = 0
    seen: str = ""
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.steward = Steward(self.page, self.url)
        self.start = time.monotonic()

    def touch(self, act: Callable[[], object]) -> None:
        self.clicks += 1
        act()
        self.steward.rest()

    def shoot(self, step: str) -> None:
        """Take a picture, and keep what the page says."""
        self.page.wait_for_timeout(500)
        self.seen += f"{self.page.locator('[data-testid=stMain]').inner_text()}\n"
        self.page.screenshot(path=self.folder / f"{self.name}-{step}.png", full_page=True)

    def press(self, label: str | re.Pattern[str], timeout: float = 60_000) -> bool:
        """Press a button if it is there and can be pressed."""
        button = self.page.get_by_role("button", name=label).first
        with suppress(PlaywrightTimeout):
            button.wait_for(timeout=timeout)
            if button.is_enabled():
                self.touch(button.click)
                return True
        return False

    def go(self, step: str) -> bool:
        """The next step, if it is open."""
        if not self.press(f"Next: {step}", 5_000):
            return False
        self.steward.at(step)
        return True

    def take(self, name: str) -> Path:
        """Download a file."""
        path = self.folder / f"{self.name}-{name}"
        self.touch(lambda: self.steward.download(name).save_as(path))
        return path


def walk(who: Newcomer, path: Path) -> None:
    """From the upload to both downloads."""
    steward, page = who.steward, who.page
    who.touch(lambda: steward.upload(path))
    steward.sees(re.compile(r"has [\d,]+ columns?|in which encoding"))
    for _ in range(3):  # the encoding, what stands between cells, decimal commas
        who.press(re.compile("^Read it"), 3_000)
    who.shoot("1-data")
    if not who.go("Domain"):
        who.said.append("Data is not at its end")
        return
    look = page.get_by_role("button", name=re.compile("^(Look at the data|Quick draft)"))
    if not look.first.is_visible():
        who.touch(lambda: steward.open("Draft from the table"))
    who.touch(look.first.click)
    page.wait_for_timeout(1_000)
    steward.rest()
    who.shoot("2-domain")
    while not who.go("Plan"):
        if not who.press(re.compile("^Leave out$"), 2_000):
            who.said.append("Plan is locked")
            return
    rows = page.get_by_role("spinbutton", name=re.compile("^About how many rows"))
    if rows.count():
        steward.enters(rows, str(sum(1 for _ in path.open("rb")) - 1))
        who.typed += 1
    who.shoot("3-plan")
    if not who.go("Release"):
        who.said.append("Release is locked")
        return
    steward.whose(who.name)
    steward.confirms(1)
    who.acts += 2
    who.shoot("4-release")
    who.touch(lambda: steward.press("Release with epsilon 1"))
    steward.sees(re.compile(r"^Released: .*This release is stored"))
    who.shoot("5-released")
    who.touch(lambda: steward.go("Download"))
    vouch = page.get_by_text("I vouch that these values are public")
    if vouch.count():
        with steward.reruns():
            vouch.click()
        who.acts += 1
        who.touch(lambda: steward.press("Write publishable files"))
        steward.sees(re.compile("^Publish:"))
    who.shoot("6-download")
    who.take("synthetic.csv")
    who.said += judge(who.take("bundle.zip"), path, who.seen)


def judge(bundle: Path, path: Path, seen: str) -> list[str]:
    """What is wrong with what is published, by the table it was made of."""
    with zipfile.ZipFile(bundle) as archive:
        said = json.loads(archive.read("certificate.json"))["rows_fit"]
        fields = json.loads(archive.read("domain.json"))["fields"]
        rows = list(csv.reader(archive.read("synthetic.csv").decode().splitlines()))
    drawn = {name: {*values} for name, *values in zip(*rows, strict=True)}
    found = ["false alarm: mostly noise"] * said.startswith("Few or no rows fit")
    lost = "Relations kept: 0 of"
    found += ["silent loss: relations"] * (lost in said and lost not in seen)
    real = raw(path)
    for one in fields:
        values = real.get(one["name"], [])
        counts, limits = Counter(values), one.get("constraints", {})
        name, listed = one["name"], limits.get("enum", [])
        empty = 1 - len([*filter(None, values)]) / len(values) if values else 1
        if f"'{name}' holds no declared values" in said and empty < MOSTLY:
            found.append(f"false alarm: {name}")
        wide = len({*map(len, filter(None, values))}) == 1 and one["type"] == "integer"
        if len(counts) > 0.9 * len(values) and (listed or wide):
            found.append(f"identifier: {name}")
        for end in ("minimum", "maximum"):
            if 0 < counts.get(str(limits.get(end)), 0) < FEW and is_extreme(counts, limits[end]):
                found.append(f"extreme: {name} {end}")
        codes = {text for text in drawn.get(name, ()) if text and not text.startswith("(")}
        if 0 < len(counts) <= CODES and (more := codes - {*counts} - {f"'{c}" for c in counts}):
            found.append(f"codes invented: {name} ({len(more)})")
    return found


FEW, CODES, MOSTLY = 10, 15, 0.8
"""Rows of a rare value; values of a list of codes; the share that is missing of an empty column."""


def is_extreme(counts: Counter[str], bound: object) -> bool:
    """Whether a bound is the least or greatest number that there is."""
    numbers = []
    for text in counts:
        with suppress(ValueError):
            numbers.append(float(text))
    return bool(numbers) and float(str(bound)) in (min(numbers), max(numbers))


def raw(path: Path) -> dict[str, list[str]]:
    """The values of a table's columns, as they stand there."""
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252")
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    head, *rows = csv.reader(text.splitlines(), delimiter=delimiter)
    whole = [row for row in rows if len(row) == len(head)]
    columns = zip(*whole, strict=True)
    return {name.strip(): [one.strip() for one in v] for name, v in zip(head, columns, strict=True)}


KINDS = ("false alarm", "silent loss", "identifier", "extreme", "codes invented")
"""What is counted of every table."""


def tables(folder: Path, only: str) -> Iterator[Path]:
    """All that are at hand whose names fit; those that are made, once it is their turn."""
    for name, make in MADE.items():
        if re.search(only, name):
            make(folder / name)
            yield folder / name
    for path in (path for name in OPEN for path in sorted(SHARED.glob(name))):
        if re.search(only, path.name):
            yield path


def main(pictures: Path, only: str = "") -> None:
    pictures.mkdir(parents=True, exist_ok=True)
    if chromium() is None:
        raise SystemExit(MISSING)
    print("table | clicks | typed | acts | seconds | " + " | ".join(KINDS) + " | end")
    with TemporaryDirectory() as name, browser() as running:
        folder = Path(name)
        os.environ["SYNTH_HOME"] = str(folder / "home")
        with server(folder / "app.log") as url:
            for path in tables(folder, only):
                page = running.new_context(viewport={"width": 1280, "height": 900}).new_page()
                who = Newcomer(page, url, pictures, path.stem)
                try:
                    walk(who, path)
                    end = "files"
                except Exception as error:  # noqa: BLE001 - the next table is walked all the same
                    end = f"stopped: {str(error).splitlines()[0][:100]}"
                    who.shoot("9-stopped")
                seconds = time.monotonic() - who.start
                counts = [sum(one.startswith(kind) for one in who.said) for kind in KINDS]
                numbers = [who.clicks, who.typed, who.acts, f"{seconds:.0f}", *counts]
                told = "; ".join(who.said)
                print(" | ".join(map(str, [path.name, *numbers, end, told])), flush=True)
                page.context.close()
        log = (folder / "app.log").read_text(encoding="utf-8")
        print("tracebacks in the log:", log.count("Traceback"))


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["newcomers"]), *sys.argv[2:3])
