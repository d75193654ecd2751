"""The forecast against what releases then show, table by table; needs the shared tables."""

import sys
from fractions import Fraction
from statistics import median
from time import perf_counter

from synth.counts import codes, count
from synth.domain import Domain
from synth.draw import draw
from synth.forecast import forecast
from synth.ledger import Ledger
from synth.noise.laplace import DiscreteLaplace
from synth.privacy import Guarantee, Neighbors
from synth.release import Door
from synth.repair import Repair, repair
from synth.schemas import read_schema
from synth.table import PrivateTable, open_table
from synth.utility import distances
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
EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(10))


def ratio(domain: Domain, table: PrivateTable, epsilon: Fraction) -> tuple[float, float]:
    """Forecast and measured mean two-way error of one release."""
    counts = count(table, domain)
    door = Door(
        ledger=Ledger(),
        dataset="bench",
        neighbors=Neighbors.REPLACE_ONE,
        guarantee=Guarantee.pure(epsilon),
        purpose="bench",
    )
    noisy = door.measure(counts, DiscreteLaplace.for_epsilon(epsilon, sensitivity=2))
    synthetic = draw(repair(noisy, Repair.AUTO))
    measured = distances(domain, codes(table, domain), synthetic.codes, 2).mean
    expected = forecast(domain, epsilon=epsilon, rows=counts.rows, neighbors=Neighbors.REPLACE_ONE)
    return expected.two_way.mean, measured


def folds() -> list[float]:
    """How far off each forecast is, as a factor of at least 1; every case is printed."""
    found = []
    for schema, file, columns in TABLES:
        declared = read_schema(SHARED / schema)
        domain, table = declared.project(declared.names[:columns]), open_table(SHARED / file)
        for epsilon in EPSILONS:
            expected, measured = ratio(domain, table, epsilon)
            found.append(max(expected / measured, measured / expected))
            name = file.split("/")[0]
            print(
                f"{name:15} {domain.size:>8,} cells  epsilon {float(epsilon):4g}  "
                f"forecast {expected:.4f}  measured {measured:.4f}  "
                f"ratio {expected / measured:.2f}"
            )
    return found


def main() -> None:
    if not SHARED.is_dir():
        print("bench_forecast: the shared tables are not here, so nothing was measured.")
        return
    found = folds()
    within = sum(fold <= 1.25 for fold in found)
    print(f"median factor {median(found):.2f}; {within} of {len(found)} cases within 25 %")
    domain = read_schema(SHARED / TABLES[2][0])
    start = perf_counter()
    for _ in range(10):
        forecast(domain, epsilon=Fraction(1), rows=7_634, neighbors=Neighbors.REPLACE_ONE)
    print(f"one forecast: {100 * (perf_counter() - start):.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
