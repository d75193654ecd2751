"""The forecast against what releases then show, table by table; needs the shared tables."""

import sys
from fractions import Fraction
from statistics import median
from time import process_time

import numpy as np

from synth.domain import Domain, read_schema
from synth.door import Door
from synth.estimate import NoisyCounts, Repair, repair_counts
from synth.forecasts import forecast, outlook
from synth.noise import DiscreteLaplace
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors
from synth.private import queries
from synth.private.comparison import compare
from synth.private.counting import codes, count
from synth.private.counting.counts import CodedRows
from synth.private.table import PrivateTable, open_table
from synth.rows import draw_rows
from tests.comparison.errors import errors_of_order
from tests.counting.coding import coded
from tests.models.doors import open_door, release_model
from tests.tables import SHARED

# Declaration, table, and how many of the first columns take part.
TABLES = (
    ("adult/domain_5col.schema.json", "adult/adult_train.csv", 5),
    ("pums/domain.schema.json", "pums/PUMS.csv", 6),
    ("sdnist_ma/domain_6col.schema.json", "sdnist_ma/ma2019.csv", 6),
    ("titanic/domain.schema.json", "titanic/titanic.csv", 5),
    ("taxis/domain.schema.json", "taxis/taxis.csv", 5),
    ("teacher_survey/domain.schema.json", "teacher_survey/teacher_survey.csv", 6),
    ("penguins/domain.schema.json", "penguins/penguins.csv", 5),
)
# The same for models of marginals, with all their columns.
WIDE = (
    ("adult/domain.schema.json", "adult/adult_train.csv"),
    ("sdnist_ma/domain_10col.schema.json", "sdnist_ma/ma2019.csv"),
    ("taxis/domain.schema.json", "taxis/taxis.csv"),
    ("titanic/domain.schema.json", "titanic/titanic.csv"),
)
EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(10))
REPEATED = {
    "teacher_survey": "(each row of this file is there 16 times: no public number says so)"
}


def ratio(
    domain: Domain, table: PrivateTable, epsilon: Fraction, *, releases: int, seed: int | None
) -> tuple[float, float]:
    """Forecast and measured mean two-way error, the latter averaged over releases."""
    counts, real = count(table, domain), codes(table, domain)
    noise = DiscreteLaplace.for_epsilon(epsilon, sensitivity=2)
    measured = []
    for _ in range(releases):
        query = queries.histogram(counts, Neighbors.REPLACE_ONE)
        noisy = NoisyCounts.read(domain, door(epsilon).measure(query, noise))
        synthetic = draw_rows(repair_counts(noisy, Repair.AUTO), seed=seed)
        measured.append(errors_of_order(domain, real, synthetic.codes, 2).mean)
    expected = forecast(
        domain, epsilon=epsilon, rows=counts.rows, neighbors=Neighbors.REPLACE_ONE
    )
    return expected.two_way.mean, float(np.mean(measured))


def released(rows: CodedRows, plan: Plan) -> tuple[float, float]:
    """Measured mean errors of columns and of pairs of one release by a model."""
    claim = plan.guarantee(plan.epsilon)
    _, drawn_codes, _ = release_model(plan, rows, door(claim), wanted=None)
    columns = [column for column, size in enumerate(rows.domain.shape) if size > 1]
    domain = rows.domain.project(rows.domain.names[column] for column in columns)
    errors = compare(
        domain,
        [rows.codes[column] for column in columns],
        [drawn_codes[column] for column in columns],
    )
    return errors.one_way.mean, errors.two_way.mean


def door(claim: Guarantee | Fraction, neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Door:
    """A door for one release; a bare epsilon is a pure guarantee."""
    return open_door(
        Guarantee.pure(claim) if isinstance(claim, Fraction) else claim, neighbors
    )


def _fold(name: str, case: str, epsilon: Fraction, expected: float, measured: float) -> float:
    print(
        f"{name:15} {case:>14}  epsilon {float(epsilon):4g}  forecast {expected:.4f}  "
        f"measured {measured:.4f}  ratio {expected / measured:.2f}  {REPEATED.get(name, '')}",
        flush=True,
    )
    return max(expected / measured, measured / expected)


def folds(releases: int = 5, seed: int | None = None) -> list[float]:
    """How far off each forecast is, as a factor of at least 1; every case is printed.

    Args:
        releases: How many are averaged.
        seed: Of the drawing of rows, a fresh one by default.
    """
    folds_of_cases = []
    for schema, file, columns in TABLES:
        declared = read_schema(SHARED / schema)
        domain, table = declared.project(declared.names[:columns]), open_table(SHARED / file)
        for epsilon in EPSILONS:
            expected, measured = ratio(domain, table, epsilon, releases=releases, seed=seed)
            case = f"{domain.size:,} cells"
            folds_of_cases.append(
                _fold(file.split("/")[0], case, epsilon, expected, measured)
            )
    return folds_of_cases


def model_folds() -> list[float]:
    """The same of models of marginals, whose forecast rests on typical associations."""
    folds_of_cases = []
    for schema, file in WIDE:
        domain = read_schema(SHARED / schema)
        rows = coded(open_table(SHARED / file), domain)
        for strategy in (Method.INDEPENDENT, Method.TREE, Method.ONE_SHOT):
            for epsilon in EPSILONS:
                plan = Plan(domain=domain, epsilon=epsilon, method=Method(strategy.value))
                expected = outlook(plan, rows.rows).pairs.likely
                measured = released(rows, plan)[1]
                name = file.split("/")[0]
                folds_of_cases.append(
                    _fold(name, strategy.value, epsilon, expected, measured)
                )
    return folds_of_cases


def _summed_up(folds_of_cases: list[float]) -> str:
    within = sum(fold <= 1.25 for fold in folds_of_cases)
    cases = len(folds_of_cases)
    return (
        f"median factor {median(folds_of_cases):.2f}; {within} of {cases} cases within 25 %"
    )


def main() -> None:
    if not SHARED.is_dir():
        print("bench_forecast: the shared tables are not here, so nothing was measured.")
        return
    print(f"histograms: {_summed_up(folds())}")
    print(f"models: {_summed_up(model_folds())}")
    domain = read_schema(SHARED / TABLES[2][0])
    start = process_time()
    for rows in range(7_634, 7_644):  # a forecast is kept, so each is of another table
        forecast(domain, epsilon=Fraction(1), rows=rows, neighbors=Neighbors.REPLACE_ONE)
    print(f"one forecast: {100 * (process_time() - start):.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
