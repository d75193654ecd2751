"""How often intervals about numbers in coarse bins hold the truth, and how wide they are.

    PYTHONPATH=. python tests/bench/bench_conclusions.py --releases 200 --out
    conclusions.jsonl PYTHONPATH=. python tests/bench/bench_conclusions.py --read
    conclusions.jsonl PYTHONPATH=. python tests/bench/bench_conclusions.py --six

Tables have two numbers, x and y, in 3 to 8 bins each, z of two values, and two more lists.
Rows are counted once; all that a release does besides is done each time, but for drawing
rows. A case is a table, an epsilon and a relation; methods take turns over the cases. A line
of JSON a release: of each kind of question its interval's place (1 where it holds the figure
of the rows) and its width over that of a 95 % sampling interval; nothing where it was
refused. With ``--six`` the largest widths of a release that measures all six pairs of four
numbers."""

import argparse
import json
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy import stats

from synth import Domain, Number, release
from synth.analysis import conclusions, contrast_groups
from synth.api.analysing import Analysis
from synth.bundle import Result
from synth.errors import SynthError
from synth.estimate import LargeRows
from synth.plans import Plan
from synth.privacy import Neighbors
from synth.private.counting import add_moments, count
from synth.private.table import open_table
from synth.spending import pipeline, synthesize
from tests.counting.coding import coded
from tests.tables import SHARED

MOMENTS = ("means", "x*y", "x*z", "y*z")
TWICE = 2 * 1.96
BINS = ((3, 8), (5, 5), (8, 4))
METHODS = ("dense", "tree", "auto")
EPSILONS = ("0.3", "1", "5")


def _draw_rows(correlation: float, *, skewed: bool) -> pd.DataFrame:
    """Rows of x, y from 0 to 100, z: whether a third number is positive, and two lists."""
    rng, rows = np.random.default_rng(33), 20_000
    mixed = [[1, correlation, 0.3], [correlation, 1, 0.3], [0.3, 0.3, 1]]
    x, y, z = rng.multivariate_normal(np.zeros(3), mixed, rows, check_valid="ignore").T
    x, y = ((20 * np.exp(scores / 2) if skewed else 50 + 18 * scores) for scores in (x, y))
    v, w = (np.array(list("pqrst"))[rng.integers(0, size, rows)] for size in (3, 5))
    return pd.DataFrame({"x": x, "y": y, "z": np.where(z > 0, "a", "b"), "v": v, "w": w})


def _read(file: str, **names: str) -> pd.DataFrame:
    """A shared table, columns by the names they have here."""
    frame = pd.read_csv(SHARED / file, skipinitialspace=True)[list(names.values())].dropna()
    frame.columns = list(names)
    second = frame.z.value_counts().index[1]
    return frame.assign(z=np.where(frame.z == second, "b", "a"))


TABLES: dict[str, tuple[Callable[[], pd.DataFrame], tuple[int, int], tuple[int, int]]] = {
    "made 0": (lambda: _draw_rows(0.0, skewed=True), (0, 100), (0, 100)),
    "made .5": (lambda: _draw_rows(0.5, skewed=False), (0, 100), (0, 100)),
    "made .95": (lambda: _draw_rows(0.95, skewed=False), (0, 100), (0, 100)),
    "adult": (
        lambda: _read(
            "adult/adult_train.csv",
            x="age",
            y="hours-per-week",
            z="sex",
            v="race",
            w="marital-status",
        ),
        (17, 90),
        (1, 99),
    ),
    "pums": (
        lambda: _read(
            "pums/FultonPUMS5full.csv", x="age", y="income", z="sex", v="married", w="educ"
        ),
        (0, 99),
        (0, 100_000),
    ),
    "taxis": (
        lambda: _read(
            "taxis/taxis.csv",
            x="distance",
            y="fare",
            z="color",
            v="payment",
            w="pickup_borough",
        ),
        (0, 30),
        (0, 100),
    ),
    "bank": (
        lambda: _read(
            "bank_marketing/bank.csv",
            x="Age",
            y="balance",
            z="Housing",
            v="Marital",
            w="Education",
        ),
        (18, 90),
        (-2000, 20_000),
    ),
    "nafld": (
        lambda: _read(
            "linked/nafld/people.csv", x="weight", y="bmi", z="male", v="status", w="male"
        ),
        (30, 180),
        (10, 70),
    ),
}
"""How each is read, and the bounds of x and y; bank and nafld are kept aside."""

Figure = Callable[[pd.DataFrame], tuple[float, float]]
"""A figure of rows, and the width of its sampling interval."""


def _mean(values: pd.Series) -> tuple[float, float]:
    values = values.dropna()
    return float(values.mean()), TWICE * float(values.std()) / len(values) ** 0.5


def _groups(frame: pd.DataFrame) -> list[tuple[float, float]]:
    return [_mean(frame.x[frame.z == level]) for level in "ab"]


def _difference(frame: pd.DataFrame) -> tuple[float, float]:
    first, second = _groups(frame)
    return first[0] - second[0], float(np.hypot(first[1], second[1]))


def _ratio(frame: pd.DataFrame) -> tuple[float, float]:
    first, second = _groups(frame)
    ratio = first[0] / second[0]
    return ratio, abs(ratio) * float(np.hypot(first[1] / first[0], second[1] / second[0]))


def _correlation(frame: pd.DataFrame) -> tuple[float, float]:
    frame = frame.dropna()
    correlation = float(np.corrcoef(frame.x, frame.y)[0, 1])
    return correlation, TWICE * (1 - correlation**2) / len(frame) ** 0.5


def _slope(frame: pd.DataFrame) -> tuple[float, float]:
    frame = frame.dropna()
    slope = float(np.cov(frame.x, frame.y)[0, 1] / frame.x.var())
    residuals = frame.y - slope * frame.x
    return slope, TWICE * float(residuals.std()) / float(frame.x.std()) / len(frame) ** 0.5


def _odds(frame: pd.DataFrame) -> tuple[float, float]:
    """Log odds of z = b, of the last value of v less those of the first."""
    first, *_, last = sorted(frame.v.unique())
    cells = [((frame.v == v) & (frame.z == z)).sum() for v in (last, first) for z in "ba"]
    last_b, last_a, first_b, first_a = map(float, cells)
    width = TWICE * (1 / last_b + 1 / last_a + 1 / first_b + 1 / first_a) ** 0.5
    return float(np.log(last_b / last_a) - np.log(first_b / first_a)), width


def _share(frame: pd.DataFrame) -> tuple[float, float]:
    """What the function of a user makes: cosine of the angle of the two groups' tables of
    v.
    """
    first, second = (
        frame.v[frame.z == level].value_counts().reindex(sorted(frame.v.unique()))
        for level in "ab"
    )
    cosine = float((first * second).sum() / ((first**2).sum() * (second**2).sum()) ** 0.5)
    return cosine, TWICE * 2 * (1 - cosine + 1e-3) / len(frame) ** 0.5


FIGURES: dict[str, tuple[str, Figure]] = {
    "mean": ("mean x", lambda frame: _mean(frame.x)),
    "mean y": ("mean y", lambda frame: _mean(frame.y)),
    "total": (
        "total y",
        lambda frame: tuple(frame.y.count() * number for number in _mean(frame.y)),
    ),  # type: ignore[dict-item,return-value]
    "mean of a group": ("mean x where z = a", lambda frame: _groups(frame)[0]),
    "difference": ("mean x where z = a less mean x where z = b", _difference),
    "ratio": ("mean x where z = a over mean x where z = b", _ratio),
    "variance": ("variance x", lambda frame: _mean((frame.x - frame.x.mean()) ** 2)),
    "correlation": ("correlation x, y", _correlation),
    "slope": ("regression y on x", _slope),
    "logistic": ("logistic z on v", _odds),
    "median": ("median x", lambda frame: (float(frame.x.quantile(0.5)), np.nan)),
    "quantile": (
        "quantiles 0.9 of x",
        lambda f: (float(f.x.quantile(0.9, interpolation="lower")), np.nan),
    ),
    "function": ("", _share),
}
"""What is asked, and of which figure; the last by `Analysis.interval`."""


@dataclass(frozen=True)
class Case:
    """What is released, and how."""

    table: str
    epsilon: str
    neighbors: Neighbors
    method: str
    bins: tuple[int, int]
    missing: float = 0.0

    def __str__(self) -> str:
        words = (
            f"{self.table} {self.epsilon} {self.neighbors.value} {self.method} {self.bins}"
        )
        return words + (f" {self.missing:.0%} missing" if self.missing else "")

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows, within the bounds."""
        return rows_of(self.table, self.missing)

    @cached_property
    def truths(self) -> dict[str, tuple[float, float]]:
        """Figures of the rows, and widths of their sampling intervals."""
        return {kind: figure(self.frame) for kind, (_, figure) in FIGURES.items()}

    def plan(self, moments: Sequence[str]) -> Plan:
        """Of a release."""
        _, *bounds = TABLES[self.table]
        numbers = {
            name: Number(*ends, bins=bins, decimals=1, missing=bool(self.missing))
            for name, ends, bins in zip("xy", bounds, self.bins, strict=True)
        }
        lists = {name: sorted(map(str, self.frame[name].unique())) for name in "zvw"}
        return Plan(
            domain=Domain(**numbers, **lists),
            epsilon=Fraction(self.epsilon),
            neighbors=self.neighbors,
            method=self.method,
            moments=tuple(moments),
        )


@cache
def rows_of(table: str, missing: float = 0.0) -> pd.DataFrame:
    """Rows of a table, a share of the cells of x and y without a value."""
    load, *bounds = TABLES[table]
    frame = load()
    for name, (low, high) in zip("xy", bounds, strict=True):
        frame[name] = np.round(np.clip(frame[name].astype(float), low, high), 1)
        frame.loc[np.random.default_rng(ord(name)).random(len(frame)) < missing, name] = (
            np.nan
        )
    return frame.reset_index(drop=True)


class Releases:
    """Releases of one case, whose rows are counted once."""

    def __init__(self, case: Case, moments: Sequence[str], folder: Path) -> None:
        self.case, self.plan = case, case.plan(moments)
        self.path = folder / "rows.csv"
        case.frame.to_csv(self.path, index=False)
        table = open_table(self.path)
        sums = pipeline._Run.begin(self.plan, table, {}).needs().sums
        self.moments = add_moments(table, self.plan.domain, sums) if sums else None
        self.rows: object = (coded if self.plan.by_model else count)(table, self.plan.domain)
        self.drawn = None

    def make(self) -> Result:
        """One more."""
        read = "read_rows" if self.plan.by_model else "count_and_add"
        prepared = [(pipeline, read, (self.rows, self.moments))]
        if self.drawn is not None:
            prepared.append((pipeline, "draw_rows", self.drawn))
        with ExitStack() as patched:
            for owner, name, result in prepared:
                patched.enter_context(
                    patch.object(owner, name, lambda *_, result=result, **__: result)
                )
            patched.enter_context(patch.object(LargeRows, "settle", lambda *_: None))
            result = synthesize(self.plan, self.path)
        if not self.plan.by_model:
            self.drawn = result.synthetic  # no interval rests on rows
        return result


def ask_interval(kind: str, result: Result) -> tuple[float, float]:
    """The ends of the interval of the last number."""
    text, record = FIGURES[kind][0], result.record
    if not text:
        answer = Analysis(result).interval(lambda frame: _share(frame)[0], ("z", "v"))
    elif words := [word for word in (" less ", " over ") if word in text]:
        answer = contrast_groups(*text.split(words[0]), record, ratio=words[0] == " over ")
    else:
        with patch("synth.analysis.engine.mended_values", lambda *_: np.full(1, np.nan)):
            (answer,) = conclusions([text], record, mended=Analysis(result).mended)
    return float(answer.low[-1]), float(answer.high[-1])


def answer_kinds(releases: Releases, kinds: Sequence[str]) -> dict[str, object]:
    """What one release says: of each kind where the truth is, and the width."""
    result, answers = releases.make(), {}
    for kind in kinds:  # the repaired estimate is left out: no interval rests on it
        truth, width = releases.case.truths[kind]
        try:
            low, high = ask_interval(kind, result)
        except SynthError as error:
            answers[kind] = str(error)[:200]
            continue
        near = 1e-9 * max(1.0, abs(truth))
        answers[kind] = [
            int(low - near <= truth <= high + near),
            round((high - low) / width, 4),
        ]
    return answers


def show(lines: Sequence[dict[str, object]], *, by_case: bool) -> None:
    """Print a line a kind, or a case and kind."""
    answers_by_case: dict[tuple[str, ...], list[object]] = defaultdict(list)
    for line in lines:
        for kind, answer in line["answers"].items():  # type: ignore[attr-defined]
            answers_by_case[str(line["case"]), kind].append(answer)
    kinds: dict[str, list[tuple[str, float, int]]] = defaultdict(list)
    for (case, kind), answers in answers_by_case.items():
        given_answers = [answer for answer in answers if not isinstance(answer, str)]
        hits = [answer[0] for answer in given_answers]  # type: ignore[index]
        refused = len(answers) - len(given_answers)
        why = Counter(answer for answer in answers if isinstance(answer, str)).most_common(1)
        if given_answers:
            kinds[kind].append((case, float(np.sum(hits)), len(hits)))
        width = np.nanmedian([answer[1] for answer in given_answers] or [np.nan])  # type: ignore[index]
        if by_case:
            share = np.mean(hits) if hits else np.nan
            print(
                f"{case:50} {kind:16} {share:.3f} of {len(hits):4} refused {refused:4} "
                f"width {width:6.2f} {why[0][0][:90] if why else ''}"
            )
    for kind, answers in kinds.items():
        sums = [sum(answer[i] for answer in answers) for i in (1, 2)]  # type: ignore[misc]
        low = min(answers, key=lambda answer: stats.binom.cdf(answer[1], answer[2], 0.95))
        chance = stats.binom.cdf(low[1], low[2], 0.95)
        refused = sum(
            isinstance(o, str)
            for (_, k), e in answers_by_case.items()
            if k == kind
            for o in e
        )
        mean = np.mean([answer[1] / answer[2] for answer in answers])
        print(
            f"{kind:16} held {sums[0] / sums[1]:.4f} of {sums[1]:6}, mean of cases "
            f"{mean:.4f}, refused {refused:5}; worst {low[0]}: {low[1]:.0f} of {low[2]}, "
            f"chance {chance:.1g}"
        )


def six_pairs(epsilon: str, correlation: float, method: str, bins: int) -> str:
    """The largest width of correlations, slopes and means of four numbers, over
    sampling's.
    """
    rng, rows, names = np.random.default_rng(3), 20_000, [f"x{i}" for i in range(4)]
    mixed = np.full((4, 4), correlation) + (1 - correlation) * np.eye(4)
    numbers = 50 + 18 * rng.multivariate_normal(np.zeros(4), mixed, rows)
    frame = pd.DataFrame(np.clip(np.round(numbers, 1), 0, 100), columns=names)
    frame["g"] = np.where(rng.random(rows) < 0.5, "a", "b")
    domain = Domain(
        **{name: Number(0, 100, bins=bins, decimals=1) for name in names}, g=["a", "b"]
    )
    pairs = list(combinations(names, 2))
    released = release(
        frame,
        domain,
        epsilon=epsilon,
        method=method,
        moments=["means", *(f"{a}*{b}" for a, b in pairs)],
    )
    widths = defaultdict(list)
    figures_by_text = [(f"mean {a}", _mean(frame[a])) for a in names]
    for a, b in pairs:
        pair_of_columns = frame[[a, b]].set_axis(["x", "y"], axis=1)
        figures_by_text.append((f"correlation {a}, {b}", _correlation(pair_of_columns)))
        figures_by_text.append((f"regression {b} on {a}", _slope(pair_of_columns)))
    for text, (_, width) in figures_by_text:
        (answer,) = conclusions([text], released.result.record)
        widths[text.split()[0]].append(float(answer.high[-1] - answer.low[-1]) / width)
    widths_by_kind = ", ".join(
        f"{kind} {max(widths_of_kind):.2f}" for kind, widths_of_kind in widths.items()
    )
    case = f"epsilon {epsilon}, correlation {correlation}, {method}, {bins} bins"
    return f"{case}: {widths_by_kind}"


def main() -> None:
    """Release and ask, or read what was asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=200, help="of each case, in all")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--epsilon", default=",".join(EPSILONS))
    parser.add_argument("--kinds", default=",".join(FIGURES))
    parser.add_argument("--moments", default=",".join(MOMENTS))
    parser.add_argument("--method", help="instead of one after the other")
    parser.add_argument("--missing", type=float, default=0.0, help="share of cells")
    parser.add_argument(
        "--at-once", type=int, default=25, help="releases of a case at a turn"
    )
    parser.add_argument("--out", type=Path, default=Path("conclusions.jsonl"))
    parser.add_argument("--read", type=Path, nargs="*")
    parser.add_argument("--by-case", action="store_true")
    parser.add_argument("--six", action="store_true")
    options = parser.parse_args()
    if options.six:
        for epsilon, correlation in product(("1", "5"), (0.0, 0.5, 0.95)):
            for method, bins in (("dense", 5), ("tree", 3)):
                print(six_pairs(epsilon, correlation, method, bins), flush=True)
        return
    if options.read:
        text = "".join(path.read_text() for path in options.read)
        show([json.loads(line) for line in text.splitlines()], by_case=options.by_case)
        return
    order = list(product(options.tables.split(","), options.epsilon.split(","), Neighbors))
    cases = [
        Case(
            table,
            epsilon,
            neighbors,
            options.method or METHODS[(i + i // 6) % 3],
            BINS[i % 3],
            options.missing,
        )
        for i, (table, epsilon, neighbors) in enumerate(order)
    ]
    done = Counter[str]()
    if options.out.exists():
        done.update(json.loads(line)["case"] for line in options.out.read_text().splitlines())
    while unfinished := [case for case in cases if done[str(case)] < options.releases]:
        case = min(unfinished, key=lambda path: done[str(path)])
        with tempfile.TemporaryDirectory() as folder, options.out.open("a") as out:
            releases = Releases(case, options.moments.split(","), Path(folder))
            for _ in range(min(options.at_once, options.releases - done[str(case)])):
                start = time.perf_counter()
                answers = answer_kinds(releases, options.kinds.split(","))
                line = {"case": str(case), "seconds": round(time.perf_counter() - start, 3)}
                out.write(json.dumps({**line, "answers": answers}) + "\n")
                out.flush()
                done[str(case)] += 1


if __name__ == "__main__":
    main()
