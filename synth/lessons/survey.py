"""A simulated survey of 20,000 people, so that you can try the whole flow in a minute.

No one in it exists. Every row is drawn from a model with a fixed, published seed. The seed is
harmless, because the table is simulated and comes *before* the door. No noise of any release
ever comes from this generator.

>>> from synth.lessons.survey import SURVEY_COLUMNS, survey_domain
>>> survey_domain().project(SURVEY_COLUMNS).size
24192
"""
# The model, each column given those to its left:
# region: 6 regions, the Capital being the largest
# age: 18 to 97, a population pyramid that thins out from 45
# sex: 51 % women, more of them from 75 on
# education: ordered; the young and the Capital go further; 2 % missing
# employment: students below 27, pensions from 62, else by education and sex
# hours: 0 unless employed; part time more often for women
# income: log-normal: education, a career curve, hours, region; 7 % missing
# household_size: 1 to 8 by phase of life
# health: ordered; falls with age, rises with education
# smoker: falls with education, peaks at 40; 3 % missing
# interview_date: March to August 2025, region by region

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from synth.domain import Boolean, Categorical, Date, Domain, Integer, Number, write_schema
from synth.util import Floats, FolderOutput, Ints, Mask, Protection

Texts = npt.NDArray[np.str_]

ROWS = 20_000
SEED = 20_250_301
SURVEY_NAME = "Simulated survey"
EXAMPLE_FILES = ("survey.csv", "survey.schema.json")
SURVEY_COLUMNS = ("age", "sex", "education", "employment", "income", "smoker")
"""The columns of a first release; a dense histogram suits their universe."""

REGIONS = ("Capital", "Coast", "Hills", "Lakes", "North", "South")
EDUCATION = ("primary", "secondary", "vocational", "bachelor", "master")
EMPLOYMENT = ("employed", "self-employed", "unemployed", "student", "retired", "at home")
AGE_EDGES = (18, *range(20, 95, 5), 97)
"""Sixteen bins, cut where people ask: a condition such as age >= 65 cuts none of them."""
HEALTH = ("poor", "fair", "good", "very good", "excellent")
FIRST_DAY = np.datetime64("2025-03-01")
SURVEY_DAYS = 184


def survey_domain() -> Domain:
    """Return the public declaration of all eleven columns of the simulated survey.

    Bounds and categories are those of the model that draws it, not of the drawn rows.
    """
    return Domain(
        (
            Categorical(name="region", categories=REGIONS),
            Integer(name="age", minimum=18, maximum=97, edges=AGE_EDGES, description="years"),
            Categorical(name="sex", categories=("female", "male")),
            Categorical(name="education", categories=EDUCATION, missing=True),
            Categorical(name="employment", categories=EMPLOYMENT),
            Integer(name="hours", minimum=0, maximum=69, bins=7, description="worked a week"),
            Number(
                name="income",
                minimum=0,
                maximum=150_000,
                edges=(0, 10_000, 20_000, 30_000, 40_000, 60_000, 150_000),
                missing=True,
                decimals=0,
                description="a year, before tax",
            ),
            Integer(name="household_size", minimum=1, maximum=8, bins=8),
            Categorical(name="health", categories=HEALTH),
            Boolean(name="smoker", true_values=("yes",), false_values=("no",), missing=True),
            Date(name="interview_date", minimum="2025-03-01", maximum="2025-08-31", bins=6),
        )
    )


def simulate(rows: int = ROWS) -> pd.DataFrame:
    """Return the simulated survey as texts and numbers, the same one every time.

    Each column is drawn given those before it, as the comment at the module's top says.

    Args:
        rows: Number of people.
    """
    rng = np.random.default_rng(SEED)
    region = rng.choice(len(REGIONS), rows, p=[0.30, 0.17, 0.11, 0.13, 0.12, 0.17])
    age = 18 + np.floor(80 * rng.beta(1.25, 1.75, rows))
    female = rng.random(rows) < 0.50 + 0.12 * (age >= 75)
    education = _education(rng, age, region)
    employment = _employment(rng, age, female, education=education)
    hours = _hours(rng, female, employment)
    adults = _Adults(
        age=age, education=education, employment=employment, hours=hours, region=region
    )
    income = _income(rng, adults)
    columns: dict[str, npt.NDArray[np.generic]] = {
        "region": np.array(REGIONS)[region],
        "age": age.astype(np.int64),
        "sex": np.where(female, "female", "male"),
        "education": _blank(rng, np.array(EDUCATION)[education], 0.02),
        "employment": np.array(EMPLOYMENT)[employment],
        "hours": hours,
        "income": _blank(rng, income.astype(str), 0.07),
        "household_size": _household(rng, age),
        "health": np.array(HEALTH)[_draw_level(rng, 3.1 - 0.035 * age + 0.25 * education, 5)],
        "smoker": _blank(rng, _smoker(rng, age, education), 0.03),
        "interview_date": _interviews(rng, region),
    }
    return pd.DataFrame(columns)


def write_example(directory: str | Path, *, overwrite: bool = False) -> tuple[Path, Path]:
    """Write ``survey.csv`` and ``survey.schema.json``; create the directory if needed.

    The declaration covers the columns of a first release, so you can release the table at
    once.

    Args:
        directory: The folder for both files.
        overwrite: Whether files of these names may be replaced.

    Returns:
        The paths of the table and of its declaration.

    Raises:
        ReleaseError: They cannot be written, or other files of these names are there.
    """
    folder = Path(directory)
    protection = Protection(overwrite=overwrite)
    protection.check(FolderOutput(folder, EXAMPLE_FILES))
    declared = write_schema(survey_domain().project(SURVEY_COLUMNS))
    document = declared | {"synth:note": f"{SURVEY_NAME}: nobody in it exists."}
    table, schema = EXAMPLE_FILES
    with protection.fill_folder(folder) as part:
        simulate().to_csv(part / table, index=False, lineterminator="\n")
        (part / schema).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return folder / table, folder / schema


def draw_yes(rng: np.random.Generator, score: npt.ArrayLike) -> Mask:
    """Draw yes or no for each person, with chance 1 / (1 + exp(-score))."""
    odds = np.exp(-np.asarray(score, dtype=np.float64))
    heads: Mask = rng.random(odds.shape) < 1 / (1 + odds)
    return heads


def _draw_level(rng: np.random.Generator, centre: Floats, levels: int) -> Ints:
    """Draw an ordered level of each person, from 0 to ``levels - 1``.

    Levels scatter around each person's ``centre`` by a logistic law of scale .55, which looks
    plausible.
    """
    scattered = centre + rng.logistic(0, 0.55, centre.shape)
    return np.clip(np.rint(scattered), 0, levels - 1).astype(np.int64)


def _education(rng: np.random.Generator, age: Floats, region: Ints) -> Ints:
    """Draw the education of each person, as its place in EDUCATION.

    The young and the Capital (region 0) go further, the North (region 4) less far. Below 22
    nobody has a degree yet. The coefficients make a plausible survey.
    """
    centre = 2.2 - 0.018 * (age - 40) + 0.7 * (region == 0) - 0.3 * (region == 4)
    return np.minimum(_draw_level(rng, centre, 5), np.where(age < 22, 2, 4))


def _employment(
    rng: np.random.Generator, age: Floats, female: Mask, *, education: Ints
) -> Ints:
    """Draw the employment of each person, as its place in EMPLOYMENT.

    Everyone starts as employed (0). Later lines replace earlier ones: self-employed (1),
    unemployed (2), at home (5), student (3), retired (4). The coefficients of the logits make
    a plausible survey.

    Args:
        rng: The survey's generator.
        age: The age of each person, in years.
        female: Whether each person is a woman.
        education: The education of each person, by its place in EDUCATION.
    """
    job = np.where(draw_yes(rng, -2.2 + 0.25 * education), 1, 0)
    job = np.where(draw_yes(rng, -2.3 - 0.35 * (education - 2)), 2, job)
    job = np.where(draw_yes(rng, -3.2 + 1.5 * female - 0.3 * (education - 2)), 5, job)
    job = np.where((age < 27) & draw_yes(rng, 0.45 * (24 - age)), 3, job)
    return np.where(draw_yes(rng, 0.75 * (age - 64.5)) & (age > 55), 4, job)


def _hours(rng: np.random.Generator, female: Mask, employment: Ints) -> Ints:
    """Draw the weekly hours of each person, by sex and employment.

    Part time has about 22 hours, full time 39, and the self-employed (1) work 6 more. Those
    without work, from 2 up in EMPLOYMENT, have 0. The numbers make a plausible survey.
    """
    part_time = draw_yes(rng, -1.9 + 1.4 * female)
    usual = np.where(
        part_time, rng.normal(22, 5, len(female)), rng.normal(39, 4, len(female))
    )
    usual = np.where(employment == 1, usual + 6, usual)
    worked = np.clip(np.rint(usual), 4, 69).astype(np.int64)
    return np.where(employment <= 1, worked, 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Adults:
    """What an income depends on, of each person.

    Attributes:
        age: The age of each person, in years.
        education, employment, region: By place in the lists of the module.
        hours: Worked a week; 0 without work.
    """

    age: Floats
    education: Ints
    employment: Ints
    hours: Ints
    region: Ints


def _income(rng: np.random.Generator, adults: _Adults) -> Ints:
    """Draw the yearly income of each person, rounded down to hundreds.

    It is log-normal. Its log depends on employment, education, a career curve with its top
    at 52, hours against 38 a week, and the Capital. The numbers make a plausible survey.
    """
    age = adults.age
    employment = adults.employment
    hours = adults.hours
    # The usual log income by employment, in the order of EMPLOYMENT; likewise its deviation.
    base = np.array([10.35, 10.1, 9.2, 8.6, 9.65, 8.2])[employment]
    career = -0.0006 * (np.minimum(age, 66) - 52) ** 2 * (employment <= 1)
    worked = np.where(hours > 0, np.log(np.maximum(hours, 1) / 38), 0)
    level = base + 0.16 * adults.education + career + 0.8 * worked
    level += 0.12 * (adults.region == 0)
    deviation = np.array([0.34, 0.65, 0.4, 0.5, 0.35, 0.6])[employment]  # of the log
    income = np.exp(level + deviation * rng.standard_normal(len(age)))
    rounded: Ints = np.clip(income // 100 * 100, 0, 149_900).astype(np.int64)
    return rounded


def _household(rng: np.random.Generator, age: Floats) -> Ints:
    """Draw the number of people in each person's household, 1 to 8, by age.

    It is largest around 42, and below 24, and falls after 70. The numbers make a plausible
    survey.
    """
    family = 1.6 * np.exp(-(((age - 42) / 13) ** 2)) + 0.9 * (age < 24)
    lives_alone = 0.5 * (age > 70)
    return np.clip(1 + rng.poisson(0.85 + family - lives_alone), 1, 8).astype(np.int64)


def _smoker(rng: np.random.Generator, age: Floats, education: Ints) -> Texts:
    """Draw "yes" or "no": smoking peaks at 40, and falls with education.

    The coefficients of the logit make a plausible survey.
    """
    smokes = draw_yes(rng, -0.7 - 0.38 * education - ((age - 40) / 28) ** 2 + 0.3)
    return np.where(smokes, "yes", "no")


def _interviews(rng: np.random.Generator, region: Ints) -> Texts:
    """Draw the day of each person's interview, as a text, region by region.

    Regions follow each other by 30 days, and days scatter by 28. Those outside the survey's
    days come in again at its other end.
    """
    centre = 15 + 30.0 * region
    day = np.rint(centre + rng.normal(0, 28, len(region))).astype(np.int64) % SURVEY_DAYS
    return (FIRST_DAY + day).astype(str)


def _blank(rng: np.random.Generator, values: Texts, share: float) -> Texts:
    """Return the values with this share of them, at random, as empty texts."""
    return np.where(rng.random(len(values)) < share, "", values)
