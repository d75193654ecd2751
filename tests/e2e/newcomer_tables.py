"""Tables in forms that are found in the wild, which nobody has prepared; from fixed seeds.

Those of `ASIDE` are kept aside while the app is changed: nothing is fixed for them.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any


def hospital(path: Path, rows: int = 97_000) -> None:
    """Encounters of patients, 47 columns: keys, ages in bands, codes, question marks."""
    random = Random(1)
    drugs = [f"drug_{n}" for n in range(23)]
    months = ("Jan", "May", "Oct")
    race = {"Caucasian": 75, "AfricanAmerican": 18, "?": 2, "Hispanic": 2, "Other": 3}
    weights = {"?": 97, "[75-100)": 2, "[50-75)": 1}
    visits = {0: 85, 1: 8, 2: 4, 3: 2, 4: 1}
    doses = {"No": 88, "Steady": 9, "Up": 2, "Down": 1}
    head = [
        "encounter_id",
        "patient_nbr",
        "race",
        "gender",
        "age",
        "weight",
        "admission_type_id",
        "discharge_disposition_id",
        "admission_source_id",
        "time_in_hospital",
        "payer_code",
        "medical_specialty",
        "num_lab_procedures",
        "num_procedures",
        "num_medications",
        "number_outpatient",
        "number_emergency",
        "number_inpatient",
        "diag_1",
        "diag_2",
        "diag_3",
        "number_diagnoses",
        *drugs,
        "readmitted",
        "admitted",
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow(head)
        for row in range(rows):
            age = min(9, max(0, int(random.gauss(6.5, 1.6))))
            stay = 1 + min(13, int(random.expovariate(0.3)))
            write.writerow(
                [
                    200_000_000 + 7 * row,
                    random.randrange(10**5, 10**8),
                    some(random, race),
                    random.choice(("Female", "Male")),
                    f"[{10 * age}-{10 * age + 10})",
                    some(random, weights),
                    some(random, {1: 53, 2: 19, 3: 18, 6: 10}),
                    some(random, {1: 60, 3: 20, 6: 15, 18: 5}),
                    some(random, {1: 30, 7: 60, 17: 10}),
                    stay,
                    random.choice(("?", "MC", "HM", "SP", "BC")),
                    random.choice(("?", "InternalMedicine", "Cardiology", "Surgery-General")),
                    min(120, max(1, int(random.gauss(43, 19)))),
                    some(random, {0: 46, 1: 20, 2: 12, 3: 9, 4: 5, 5: 4, 6: 4}),
                    1 + stay + random.randrange(12),
                    *(some(random, visits) for _ in range(3)),
                    *(f"{random.randrange(250, 780)}" for _ in range(3)),
                    random.randrange(1, 10),
                    *(some(random, doses) for _ in drugs),
                    some(random, {"NO": 54, ">30": 35, "<30": 11}),
                    f"{random.randrange(1, 29)}-{random.choice(months)}-{random.randrange(3, 9):02}",  # noqa: E501
                ]
            )


def some(random: Random, weights: Mapping[Any, int]) -> Any:
    """One of some values, by their weights."""
    return random.choices([*weights], [*weights.values()])[0]


def questionnaire(path: Path, rows: int = 6_000) -> None:
    """A survey of 76 columns: scales of items that are alike, -8 and -9, a free text."""
    random = Random(2)
    items = [f"q{block}_{n}" for block in range(1, 8) for n in range(1, 10)]
    head = [
        "respondent",
        "wave",
        "interview",
        "sex",
        "birth_year",
        "income",
        "height_cm",
        *items,
        "region",
        "satisfied",
        "hours",
        "children",
        "comment",
        "email",
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow(head)
        for row in range(rows):
            write.writerow(
                [
                    f"R{row:06}",
                    random.choice((1, 2)),
                    f"{random.randrange(1, 13):02}/{random.randrange(13, 29)}/2021",
                    random.choice((1, 2, -9)),
                    random.randrange(1930, 2004),
                    random.choice((-8, *range(500, 6000, 50))),
                    round(random.gauss(171, 9)),
                    *(random.choice((1, 2, 3, 4, 5, -9)) for _ in items),
                    random.choice(("North", "South", "East", "West")),
                    random.randrange(11),
                    random.choice((99, *range(1, 61))),
                    random.choice((0, 0, 1, 2, 3)),
                    f"said {random.random():.9f} about it",
                    f"p{row}@example.org",
                ]
            )


def clinic(path: Path, rows: int = 4_000) -> None:
    """A German export: semicolons, decimal commas, umlauts in Windows-1252, d.m.yyyy."""
    random = Random(3)
    lines = [
        "Fallnummer;Geschlecht;Größe;Gewicht;Aufnahme;Entlassung um;Station;Befund;Entgelt"
    ]
    for row in range(rows):
        day = random.randrange(1, 29)
        month = random.randrange(1, 13)
        lines.append(
            f"{10**6 + 13 * row};{random.choice(('männlich', 'weiblich', 'k. A.'))};"
            f"{random.gauss(1.71, 0.09):.2f};{random.gauss(78, 12):.1f};{day}.{month}.2021;"
            f"{day:02}.{month:02}.2021 {random.randrange(24):02}:{random.randrange(60):02};"
            f"{random.choice(('Innere', 'Chirurgie', 'Gynäkologie'))};"
            f"{random.choice(('unauffällig', 'auffällig', '-'))};{random.uniform(10, 4000):.2f}"  # noqa: E501
        )
    text = "\n".join(
        line if n == 0 else line.replace(".", ",", 0) for n, line in enumerate(lines)
    )
    commas = [
        re.sub(r"(?<=;)(\d+)\.(\d+)(?=;|$)", r"\1,\2", line) for line in text.split("\n")
    ]
    path.write_bytes("\n".join(commas).encode("cp1252"))


def write_rows(path: Path, head: str, rows: Iterable[Iterable[Any]], mark: str = ",") -> None:
    """Write a table of text."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=mark).writerows([head.split(), *rows])


def day(random: Random, days: int = 1_400) -> date:
    """Return a day from 2019 on."""
    return date(2019, 1, 1) + timedelta(random.randrange(days))


def codes(path: Path, rows: int = 8_000) -> None:
    """Tabs; codes of illnesses, postcodes with leading zeros, districts, 1 and 2 for the
    sexes.
    """
    random = Random(4)
    ills = [f"{letter}{n:02}.{n % 10}" for letter in "ACEFIJKM" for n in range(0, 100, 2)]
    posts = [f"0{n}" for n in range(1067, 1330, 7)]
    cells_of_rows = (
        (
            random.choice((1, 2)),
            ills[min(399, int(random.expovariate(0.02)))],
            random.choice(posts),
            random.randrange(1, 13),
            random.randrange(0, 95),
            some(random, {0: 60, 1: 30, 2: 10}),
            day(random),
        )
        for _ in range(rows)
    )
    write_rows(path, "sex icd10 postcode district age severity admitted", cells_of_rows, "\t")


def sparse(path: Path, rows: int = 5_000) -> None:
    """Columns that are nearly empty, and rightly: a day of death, an appeal, a second
    name.
    """
    random = Random(5)
    cells_of_rows = (
        (
            random.choice("FM"),
            random.randrange(18, 90),
            random.choice(("open", "yes", "denied")),
            day(random),
            day(random) if random.random() < 0.01 else "",
            day(random) if random.random() < 0.02 else "",
            random.choice(("won", "lost")) if random.random() < 0.015 else "",
            random.randrange(200, 900, 10),
            random.choice(("A", "B", "C", "D")),
        )
        for _ in range(rows)
    )
    head = "sex age decision filed_on closed_on died_on appeal amount office"
    write_rows(path, head, cells_of_rows)


def wages(path: Path, rows: int = 7_000) -> None:
    """Extremes of one person each: a wage of millions, an age of 104, 31 children."""
    random = Random(6)
    cells_of_rows = [
        [
            random.choice("FM"),
            random.randrange(18, 68),
            round(random.lognormvariate(10.4, 0.5), 2),
            some(random, {0: 40, 1: 20, 2: 25, 3: 10, 4: 5}),
            random.choice(("yes", "no")),
            random.randrange(0, 61),
            random.choice(("mine", "farm", "shop", "school", "ward")),
        ]
        for _ in range(rows)
    ]
    cells_of_rows[17][2] = 4_812_377.5
    cells_of_rows[23][1] = 104
    cells_of_rows[41][3] = 31
    cells_of_rows[59][2] = 3.17
    write_rows(path, "sex age wage children union hours branch", cells_of_rows)


def reviews(path: Path, rows: int = 3_000) -> None:
    """Long texts, with commas and quotation marks in them, beside few short columns."""
    random = Random(7)
    words = (
        'the a room was clean noise late, good "quiet" breakfast staff again never'.split()
    )
    cells_of_rows = (
        (
            n + 1,
            random.randrange(1, 6),
            " ".join(random.choices(words, k=random.randrange(5, 300))),
            random.choice(("web", "phone", "desk")),
            day(random),
            random.choice(("yes", "no", "")),
        )
        for n in range(rows)
    )
    write_rows(path, "review stars text channel written_on verified", cells_of_rows)


def sensors(path: Path, rows: int = 9_000) -> None:
    """Measurements of 1,500 values, moments and coordinates: detailed, and no keys."""
    random = Random(8)
    start = datetime(2022, 3, 1)
    cells_of_rows = (
        (
            start + timedelta(minutes=random.randrange(500_000)),
            f"{random.gauss(18, 2.5):.2f}",
            f"{random.uniform(0, 100):.1f}",
            f"{47 + random.random():.6f}",
            f"{random.random():.6f}",
            random.choice(("ok", "ok", "ok", "dirty")),
            random.randrange(1, 25),
        )
        for _ in range(rows)
    )
    write_rows(path, "measured_at celsius humidity lat lon state station", cells_of_rows)


def welfare(path: Path, rows: int = 4_000) -> None:
    """Semicolons; addresses, telephone numbers, times, a reason that is mostly one word."""
    random = Random(9)
    cells_of_rows = (
        (
            f"{random.choice(('Oak', 'Elm', 'Mill'))} Street {random.randrange(1, 400)}",
            f"+44 20 {random.randrange(10**6, 10**7)}",
            random.choice(("single", "pair", "family")),
            f"{random.randrange(8, 18):02}:{random.randrange(60):02}",
            random.randrange(0, 2_400, 5),
            some(random, {"rent": 90, "heat": 7, "moving": 3}),
            random.randrange(16, 99),
            day(random),
        )
        for _ in range(rows)
    )
    write_rows(
        path, "address phone household came_at paid reason age came_on", cells_of_rows, ";"
    )


def panel(path: Path, rows: int = 5_000) -> None:
    """70 columns: yearly incomes that follow from one another, 0/1 answers, scales."""
    random = Random(10)
    questions = (
        f"{mark}{n}"
        for mark, question_count in (("y", 20), ("b", 24), ("s", 24))
        for n in range(question_count)
    )
    head = ["person", "cohort", *questions]
    cells_of_rows = []
    for row in range(rows):
        income = random.lognormvariate(10, 0.4)
        rate = random.random()
        cells_of_rows.append(
            [
                70_000 + row,
                random.choice(range(1950, 2000, 10)),
                *(round(income * random.uniform(0.9, 1.1)) for _ in range(20)),
                *(int(random.random() < rate) for _ in range(24)),
                *(min(7, max(1, round(random.gauss(1 + 6 * rate, 1)))) for _ in range(24)),
            ]
        )
    write_rows(path, " ".join(head), cells_of_rows)


MADE: dict[str, Callable[[Path], None]] = {
    "hospital.csv": hospital,
    "questionnaire.csv": questionnaire,
    "klinik.csv": clinic,
    "codes.tsv": codes,
    "sparse.csv": sparse,
    "wages.csv": wages,
    "reviews.csv": reviews,
    "sensors.csv": sensors,
    "welfare.csv": welfare,
    "panel.csv": panel,
}
SHARED_TABLES = (
    "german_credit/german_credit.csv",
    "bank_marketing/bank.csv",
    "birdstrikes/birdstrikes.csv",
    "ebola_sl/ebola_sierraleone_2014_confirmed.csv",
    "horse_colic/horse_colic.csv",
    "salaries_ai/salaries.csv",
    "adult/adult_coded.csv",
    "adult/adult_train.csv",
    "penguins/penguins.csv",
    "penguins/penguins_raw.csv",
    "pums/FultonPUMS5full.csv",
    "pums/PUMS.csv",
    "pums/PUMS_dup.csv",
    "pums/PUMS_headerless.csv",
    "pums/PUMS_null.csv",
    "pums/PUMS_pid.csv",
    "sdnist_ma/ma2018.csv",
    "sdnist_ma/ma2019.csv",
    "taxis/taxis.csv",
    "teacher_survey/teacher_survey.csv",
    "titanic/titanic.csv",
    "titanic/titanic_derived.csv",
)
ASIDE = frozenset(
    "reviews sensors welfare panel birdstrikes ebola_sierraleone_2014_confirmed horse_colic "
    "salaries".split()
)
"""Names of the tables that are kept aside."""
