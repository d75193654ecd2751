"""Tables whose rows all obey a relation: what a look proposes, and what a release keeps."""

from datetime import date, timedelta
from pathlib import Path
from random import Random

from tests.tables import write

ROWS = 3000
COUNTRIES = {
    "Lyon": "FR",
    "Paris": "FR",
    "Bari": "IT",
    "Turin": "IT",
    "Graz": "AT",
    "Linz": "AT",
    "Bonn": "DE",
    "Kiel": "DE",
}
DAY_OF_AGES = date(2025, 1, 1)


def write_cities(folder: Path) -> Path:
    """Write persons whose city decides the country, and whose birth decides the age.

    The age is in whole years of 365 days on ``DAY_OF_AGES``.
    """
    random = Random(20)
    rows = []
    for _ in range(ROWS):
        city = random.choice([*COUNTRIES])
        born = date(1950, 1, 1) + timedelta(days=random.randrange(20_000))
        age = (DAY_OF_AGES - born).days // 365
        rows.append([city, COUNTRIES[city], born.isoformat(), str(age)])
    return write(folder / "cities.csv", ["city", "country", "born", "age"], rows)


def write_loans(folder: Path) -> Path:
    """Write loans that end after they start; some have not ended."""
    random = Random(19)
    rows = []
    for _ in range(ROWS):
        started = date(2019, 1, 1) + timedelta(days=random.randrange(1_000))
        paid_off = started + timedelta(days=random.randrange(30, 1_500))
        ended = paid_off.isoformat() if random.random() < 0.8 else ""
        rows.append([started.isoformat(), ended, random.choice(["car", "home", "study"])])
    return write(folder / "loans.csv", ["started", "paid_off", "kind"], rows)


def write_outcomes(folder: Path) -> Path:
    """Write patients whose columns follow from no other."""
    random = Random(24)
    rows = [
        [
            str(round(random.gauss(120, 30))),
            f"{random.gauss(29, 6):.1f}",
            str(random.randint(20, 80)),
            str(int(random.random() < 0.05)),
        ]
        for _ in range(ROWS)
    ]
    return write(folder / "outcomes.csv", ["glucose", "bmi", "age", "outcome"], rows)
