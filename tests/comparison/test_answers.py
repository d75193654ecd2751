"""The real answers beside the noisy ones are the table's own."""

import csv
import math
from fractions import Fraction
from pathlib import Path

from synth.estimate import WayName
from synth.lessons import survey_domain, write_example
from synth.privacy import Guarantee
from synth.private.comparison import real_answers
from synth.private.table import open_table
from synth.questions import Inquiry
from synth.spending import ask

DECILES = "quantiles .1, .2, .3, .4, .5, .6, .7, .8, .9 of age"
ASKED = ("count where age >= 65", "mean age", "top 1 region", "table sex", "count", DECILES)


def test_real_answers_are_those_of_the_rows(tmp_path: Path) -> None:
    """The real answers, shown to the steward beside the noisy ones, follow from the rows.

    Plain Python computes them from the survey of the lessons. ASKED is a count of people of
    65 or more, the mean age, the most frequent region, a table of sex, the number of rows,
    and the deciles of age.
    """
    table = open_table(write_example(tmp_path)[0])
    with table.path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    answers = ask(Inquiry.read(ASKED, survey_domain(), Guarantee.pure(Fraction(1, 5))), table)
    old, mean, top, sex, number, deciles = real_answers(answers, table)

    ages = [int(row["age"]) for row in rows]
    assert old.value[0] == sum(age >= 65 for age in ages)
    assert abs(mean.value[0] - sum(ages) / len(ages)) < 0.01

    regions = [row["region"] for row in rows]
    assert top.chosen == (max(set(regions), key=regions.count),)
    assert list(sex.value) == [
        sum(row["sex"] == value for row in rows) for value in ("female", "male")
    ]
    assert number.value[0] == len(rows)

    assert deciles.way is WayName.HIERARCHY
    # A decile is the least age up to which at least that tenth of the rows lies.
    ranked = sorted(ages)
    ranks = [math.ceil(len(ages) * tenth / 10) for tenth in range(1, 10)]
    assert list(deciles.value) == [ranked[rank - 1] for rank in ranks]
