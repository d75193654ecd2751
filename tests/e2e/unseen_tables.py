"""Six more tables as people have them, which nobody looked at while the app was made.

From fixed seeds. They were written after the app that they are walked through, and what they
show is mended as a kind.
"""

import csv
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from tests.e2e.newcomer_tables import day, some


def practice(path: Path, rows: int = 2_600) -> None:
    """A German practice: a byte order mark, decimal commas, values below a limit, a footer.

    Words in several spellings, dates with two digits of the year, readings such as 120/80,
    and a semicolon at the end of every line.
    """
    random = Random(21)
    sexes = {"w": 48, "m": 40, "W": 5, "M": 4, "d": 1, "": 2}
    answers = {"Ja": 30, "nein": 50, "JA": 3, "Nein": 12, "k.A.": 5}
    lines = [
        "Pat.-Nr.;Geschl.;Geb.-Dat.;PLZ;Kasse;RR;CRP [mg/l];Gewicht (kg);Raucher?;"
        "Aufnahme;Kosten;Bemerkung;"
    ]
    for _ in range(rows):
        born = day(random, 25_000) - timedelta(days=24_000)
        came = day(random)
        top = round(random.gauss(135, 18))
        protein = random.expovariate(0.12)
        weight = f"{random.gauss(79, 15):.1f}"
        cost = random.lognormvariate(6, 1)
        whole, cents = f"{cost:,.2f}".split(".")
        remark = some(random, {"": 80, '"o. B."': 10, '"kommt wieder; tel. melden"': 10})
        lines.append(
            f"{random.randrange(1, 1_200):05};{some(random, sexes)};{born:%d.%m.%y};"
            f"0{random.randrange(4103, 4358)};"
            f"{some(random, {'AOK': 50, 'TK': 30, 'Barmer': 15, 'privat': 5})};"
            f"{top}/{top - random.randrange(30, 65)};"
            f"{'<0,6' if protein < 0.6 else f'{protein:.1f}'.replace('.', ',')};"
            f"{weight.replace('.', ',')};{some(random, answers)};{came:%d.%m.%Y};"
            f"{whole.replace(',', '.')},{cents};{remark};"
        )
    lines.append(";;;;;;;;;;;;")
    lines.append("Stand: 31.12.2023;;;;;;;;;;;;")
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("utf-8-sig"))


def opinions(path: Path, rows: int = 1_400) -> None:
    """A survey of 60 columns whose names are its questions; answers skipped and in words."""
    random = Random(22)
    scale = ["Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree"]
    topics = ["my manager", "the pay", 'the "new" office', "training", "safety, overall"]
    verbs = ["I trust", "I am content with", "I would change", "I often speak of"]
    agree = [f"Q{n}. {verb} {topic}" for n, verb in enumerate(verbs, 1) for topic in topics]
    picks = [f"Q7 which apply? [{n}]" for n in range(1, 16)]
    grades = [f"Q9_{n}" for n in range(1, 17)]
    head = ["Response ID", "Started", "Language", "Department", "Tenure (years)"]
    tail = ["Q10 other, please say", "NPS", "weight", "Finished"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*head, *agree, *picks, *grades, *tail])
        for row in range(rows):
            mood = random.gauss(0, 1)
            moment = datetime(2023, 5, 2) + timedelta(minutes=random.randrange(20_000))
            skips = random.random() < 0.3
            writer.writerow(
                [
                    f"R_{random.getrandbits(60):015x}",
                    f"{moment:%m/%d/%Y %I:%M %p}",
                    some(random, {"English": 7, "Français": 2, "Deutsch": 1}),
                    random.choice(("Sales", "R&D", "Works <A>", "Works <B>", "Office")),
                    some(random, {"under 1": 2, "1-2": 3, "3-5": 3, "6-10": 2, "over 10": 1}),
                    *(_agree(random, mood, scale) for _ in agree),
                    *("" if skips else random.choice(("Selected", "")) for _ in picks),
                    *("" if skips else _grade(random, mood) for _ in grades),
                    f"note {row} of mine" if random.random() < 0.05 else "",
                    _grade(random, mood),
                    f"{random.uniform(0.4, 2.5):.5f}",
                    some(random, {"True": 9, "False": 1}),
                ]
            )


def _agree(random: Random, mood: float, scale: Sequence[str]) -> str:
    """Return an answer in words, or that there is none."""
    if random.random() < 0.04:
        return "Don't know"
    return scale[min(4, max(0, round(2 + mood + random.gauss(0, 0.9))))]


def _grade(random: Random, mood: float) -> int:
    """Return an answer from 0 to 10."""
    return min(10, max(0, round(6 + 2 * mood + random.gauss(0, 1.5))))


def weather(path: Path, rows: int = 10_000) -> None:
    """A log of sensors: instants with zones, percent signs, -999, NaN, an empty column."""
    random = Random(23)
    start = datetime(2023, 1, 1)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            "ts device temp_c rel_hum wind_dir wind battery fw rain_mm err".split()
        )
        for row in range(rows):
            moment = start + timedelta(minutes=10 * row, seconds=random.randrange(3))
            warmth = 12 + 9 * random.gauss(0, 1)
            writer.writerow(
                [
                    f"{moment.isoformat()}.{random.randrange(1000):03}Z",
                    f"node-{random.randrange(1, 13):02}",
                    "-999" if random.random() < 0.02 else f"{warmth:.1f}",
                    f"{min(100, max(5, 70 - warmth + random.gauss(0, 9))):.0f}%",
                    random.choice(("N", "NE", "E", "SE", "S", "SW", "W", "NW")),
                    "NaN" if random.random() < 0.03 else f"{random.expovariate(0.3):.2f}",
                    f"{random.uniform(3.1, 4.2):.3f}",
                    some(random, {"1.0.3": 5, "1.1.0": 4, "2.0.0-rc1": 1}),
                    0 if random.random() < 0.9 else f"{random.expovariate(0.8):.1f}",
                    "",
                ]
            )


def insects(path: Path, rows: int = 1_100) -> None:
    """Counts of 24 kinds at sites, nearly all of them 0, with few swarms."""
    random = Random(24)
    kinds = [f"sp_{letter}{n}" for letter in "abcd" for n in range(1, 7)]
    common = [random.expovariate(1) for _ in kinds]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["site", "visit", "date", "hours", "habitat", *kinds, "total"])
        for row in range(rows):
            counts = [
                int(random.lognormvariate(0.7 * much, 1.1)) if random.random() < 0.06 else 0
                for much in common
            ]
            if row in (77, 501):
                counts[3] = 14_000 + row
            writer.writerow(
                [
                    f"S{random.randrange(1, 61):03}",
                    row % 4 + 1,
                    f"{day(random):%Y/%m/%d}",
                    random.choice(("0.5", "1", "1.5", "2")),
                    random.choice(("bog", "meadow", "edge", "wood")),
                    *counts,
                    sum(counts),
                ]
            )


def registry(path: Path, rows: int = 3_000) -> None:
    """Only words, bars between cells: names, towns, trades, a state in capitals, notes."""
    random = Random(25)
    syllables = "ber gar lin mon tor ves hal nor sten dal ham wick".split()
    towns = sorted(
        {f"{a}{b}".title() for a in syllables for b in ("ville", "ton", " am See")}
    )
    weights = {town: 100 / (n + 1) for n, town in enumerate(towns)}
    trades = "baker smith clerk nurse driver farmer tailor cook none".split()
    lines = ["Surname|Forename|Town|Trade|Faith|Household|Literate|State|Note"]
    for _ in range(rows):
        surname = "".join(random.choices(syllables, k=2)).title()
        note = some(random, {"": 6, "moved away": 2, "see page below": 1})
        lines.append(
            f"{surname}|{random.choice(syllables).title()}|{some(random, weights)}|"
            f"{random.choice(trades)}|{some(random, {'rc': 5, 'prot': 4, '?': 1})}|"
            f"{some(random, {'head': 3, 'wife': 3, 'child': 5, 'servant': 1, 'lodger': 1})}|"
            f"{random.choice(('y', 'n', 'reads only'))}|"
            f"{some(random, {'LIVING': 80, 'DEAD': 18, 'UNKNOWN': 2})}|{note}"
        )
    path.write_text("\n".join(lines), encoding="utf-8")


def payments(path: Path, rows: int = 12_000) -> None:
    """Payments: several a customer, codes with leading zeros, refunds in brackets, amounts
    with commas between thousands.
    """
    random = Random(26)
    codes = [f"{n:04}" for n in (742, 763, 1520, 4111, 4121, 5411, 5812, 5814, 5912, 7995)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(
            "txn_id customer iban booked_at amount currency mcc response card channel".split()
        )
        for row in range(rows):
            customer = random.randrange(1, 1_500)
            booked = datetime(2024, 1, 1) + timedelta(seconds=random.randrange(15_000_000))
            amount = random.lognormvariate(3.5, 1.3)
            writer.writerow(
                [
                    f"{row:08x}-{random.getrandbits(32):08x}",
                    f"C{customer:05}",
                    f"DE{customer % 90 + 10}{10**17 + 37 * customer}",
                    f"{booked:%Y-%m-%d %H:%M:%S}",
                    f"({amount:,.2f})" if random.random() < 0.04 else f"{amount:,.2f}",
                    some(random, {"EUR": 80, "USD": 12, "GBP": 6, "CHF": 2}),
                    random.choice(codes),
                    some(random, {"00": 90, "05": 5, "51": 4, "N7": 1}),
                    f"**** {random.randrange(10_000):04}",
                    random.choice(("pos", "web", "app", "atm")),
                ]
            )


UNSEEN: dict[str, Callable[[Path], None]] = {
    "practice.csv": practice,
    "opinions.csv": opinions,
    "weather.csv": weather,
    "insects.csv": insects,
    "registry.txt": registry,
    "payments.csv": payments,
}
