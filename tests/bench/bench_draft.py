"""How many columns a draft with a guarantee settles right, at three epsilons.

    python -m tests.bench.bench_draft [--runs N] [TABLE ...]

Right is: the kind, and bounds that cover 95 % of the values and are at most ten times as wide as
the middle 95 % of them; or categories that cover 95 % of the rows. A key, or text of which most
rows have a value of their own, is right where it stays open. Tables are
those of ``../shared/data``.
"""

import argparse
import csv
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import numpy as np

from synth.domain.bins import Binned
from synth.domain.dates import Date
from synth.domain.domain import Categorical, Column
from synth.draft import draft
from synth.drafting.candidates import DATES, MISSING
from synth.drafting.request import DraftRequest
from synth.errors import SynthError
from synth.privacy.guarantee import Guarantee
from synth.table.csv_options import parse_format
from synth.table.private_table import open_table

SHARED = Path(__file__).parents[3] / "shared" / "data"
TABLES = (
    "adult/adult_train.csv", "bank_marketing/bank.csv", "birdstrikes/birdstrikes.csv",
    "ebola_sl/ebola_sierraleone_2014_confirmed.csv", "german_credit/german_credit.csv",
    "horse_colic/horse_colic.csv", "penguins/penguins.csv", "pums/PUMS.csv",
    "pums/FultonPUMS5full.csv", "salaries_ai/salaries.csv", "sdnist_ma/ma2019.csv",
    "taxis/taxis.csv", "teacher_survey/teacher_survey.csv", "titanic/titanic.csv",
)  # fmt: skip
EPSILONS = ("0.1", "1", "3")
DELTA = Fraction(1, 10**9)
ENOUGH = 5_000
OPEN = "open"


def numbers_of(texts: Sequence[str]) -> list[float]:
    """The texts that are numbers."""
    found = []
    for text in texts:
        try:
            found.append(float(text))
        except ValueError:
            continue
    return [v for v in found if np.isfinite(v)]


def moments_of(texts: Sequence[str]) -> list[float]:
    """Seconds of the texts that are dates, by the first format that nearly all follow."""
    some = texts[:: max(1, len(texts) // 300)]
    for dates in DATES:
        for pattern in dates.formats:
            if sum(_reads(text, pattern) for text in some) >= 0.95 * len(some):
                read = (_moment(text, pattern) for text in texts)
                return [m for m in read if m is not None]
    return []


def _moment(text: str, pattern: str) -> float | None:
    try:
        return (datetime.strptime(text, pattern) - datetime(1970, 1, 1)).total_seconds()
    except ValueError:
        return None


def _reads(text: str, pattern: str) -> bool:
    return _moment(text, pattern) is not None


def coded(text: str) -> bool:
    """Whether a number is written as a code, with a zero in front."""
    return len(text) > 1 and text[0] == "0" and text.isdigit()


def kind_of(texts: Sequence[str]) -> tuple[str, list[float]]:
    """What a column is, by all its filled cells, and its values where they have an order."""
    different = len(set(texts))
    if any(map(coded, texts[:1_000])):
        numbers = []
    else:
        numbers = numbers_of(texts)
    if len(numbers) >= 0.95 * len(texts):
        whole = all(v == int(v) for v in numbers)
        key = whole and different >= 0.95 * len(texts) > 50
        return (OPEN if key else "number"), numbers
    moments = moments_of(texts)
    if len(moments) >= 0.95 * len(texts):
        return "date", moments
    return (OPEN if different > len(texts) / 2 else "text"), []


def is_right(column: Column | None, texts: Sequence[str]) -> bool:
    """Whether a draft of a column is right."""
    filled = [text for text in texts if text and text not in MISSING]
    if not filled:
        return column is None
    kind, values = kind_of(filled)
    if column is None or kind == OPEN:
        return column is None and kind == OPEN
    if isinstance(column, Categorical):
        listed = set(column.categories)
        few = kind == "text" or len(set(filled)) <= 50
        return few and sum(text in listed for text in filled) >= 0.95 * len(filled)
    if not isinstance(column, Binned) or (kind == "date") != isinstance(column, Date):
        return False
    return kind != "text" and bounds_fit(column, np.array(values))


def bounds_fit(column: Binned, values: np.ndarray) -> bool:
    """Whether bounds cover enough and are not far too wide; spikes count as covered."""
    unit = column.seconds if isinstance(column, Date) else 1
    low, high = (
        float(column.position(str(end))) * unit for end in (column.minimum, column.maximum)
    )
    high += unit if isinstance(column, Date) else 0
    spikes = [float(column.position(str(spike))) for spike in column.spikes]
    covered = ((values >= low) & (values <= high)) | np.isin(values, spikes)
    ordinary = values[~np.isin(values, spikes)]
    middle = float(np.diff(np.quantile(ordinary, [0.025, 0.975]))[0]) if len(ordinary) else 0.0
    least = 31 * 86_400 if isinstance(column, Date) else 1
    return bool(covered.mean() >= 0.95 and high - low <= 10 * max(middle, least))


def cells_of(path: Path, form: str) -> tuple[list[str], list[list[str]]]:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        rows = list(csv.reader(file, delimiter=form))
    width = len(rows[0])
    rows = [row for row in rows[1:] if len(row) == width]
    return rows[0] if rows else [], [
        [c.strip() for c in cells] for cells in zip(*rows, strict=True)
    ]


def measure(path: Path, epsilon: str, runs: int, *, told: bool) -> tuple[float, int, int, float]:
    """Share of columns settled right, rows, columns and seconds of the processor."""
    start = path.read_bytes()[:2_000].decode("utf-8", "replace").partition("\n")[0]
    mark = ";" if start.count(";") > start.count(",") else ","
    table = open_table(path, parse_format([f"delimiter={mark}"]))
    _, cells = cells_of(path, mark)
    request = DraftRequest(table.header, Guarantee.approximate(Fraction(epsilon), DELTA))
    right, seconds = [], []
    for _ in range(runs):
        began = time.process_time()
        made = draft(request, table)
        seconds.append(time.process_time() - began)
        columns = {c.name: c for c in made.domain.columns} if made.domain else {}
        found = [
            is_right(columns.get(name), texts)
            for name, texts in zip(table.header, cells, strict=True)
        ]
        if told:
            for outcome, good, texts in zip(made.outcomes, found, cells, strict=True):
                said = getattr(outcome, "said", None) or f"open: {outcome.reason}"
                print(f"    {'ok ' if good else 'BAD'} {outcome.name}: {said}", file=sys.stderr)
                if not good:
                    print(f"        {Counter(texts).most_common(4)}", file=sys.stderr)
        right.append(sum(found) / len(found))
    return statistics.mean(right), len(cells[0]), len(cells), min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--epsilon", action="append", default=[])
    parser.add_argument("--told", action="store_true")
    options = parser.parse_args()
    enough = []
    print(f"{'table':36}{'rows':>8}{'columns':>8}{'epsilon':>8}{'rows*eps/columns':>18}  right   s")
    for name in options.tables:
        for epsilon in options.epsilon or EPSILONS:
            try:
                told = options.told
                right, rows, columns, spent = measure(
                    SHARED / name, epsilon, options.runs, told=told
                )
            except SynthError as error:
                print(f"{name:36} {error}")
                continue
            ratio = rows * float(epsilon) / columns
            mark = " *" if ratio >= ENOUGH else ""
            short = name.rpartition("/")[2]
            sizes = f"{rows:8,}{columns:8}{epsilon:>8}{ratio:18,.0f}"
            print(f"{short:36}{sizes}  {right:5.0%} {spent:5.1f}{mark}")
            if mark:
                enough.append(right)
    if enough:
        print(
            f"* rows x epsilon / columns of at least {ENOUGH:,}: mean {statistics.mean(enough):.0%}"
        )


if __name__ == "__main__":
    main()
