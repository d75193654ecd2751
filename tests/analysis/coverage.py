"""How often conclusions hold the truth, how wide they are, and how near: measured over
releases.

    python -m tests.analysis.coverage survey adult5 adult14 --releases 200 --out
    coverage.jsonl python -m tests.analysis.coverage survey --about people --out
    coverage.jsonl python -m tests.analysis.coverage --read coverage.jsonl

The same questions are asked of every release of a case, so that the law of each estimate's
error is known in the end; a model is asked besides about pairs that it happened to measure.
One line of JSON a release is added to the file, which is gone on from: it counts what it has
of each case."""

import argparse
import json
import math
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from synth.analysis import (
    About,
    Conclusion,
    ReleaseView,
    complete_rows,
    conclusions,
    contrast_groups,
    mended_values,
    source_of,
)
from synth.analysis.conclusion import PLACE_IN_BIN
from synth.api.analysing import Analysis
from synth.api.frames import frame_of
from synth.bundle import Result
from synth.errors import SynthError
from synth.estimate import ColumnSet, Record
from synth.questions import check_question, parse
from synth.util import Floats
from tests.analysis.asked import Asked, questions
from tests.analysis.cases import EPSILONS, TABLES, Case, cases, counted, plain_values, source
from tests.analysis.coverage_tables import read_lines, tables_of
from tests.analysis.regressions import regressions

EACH = 4
"""Questions of each kind in a case."""
TURNS = {False: 8, True: 10}
"""Of histograms and of models: a question is asked of one release in so many."""
PAIRS = 20
"""Of a model, that are asked about: those that hang together most."""
LINEAR = ("share", "count", "table", "mean", "total")
PEOPLE_LACK = ("count", "table", "total", "top")


@cache
def asked_of(case: Case) -> tuple[Asked, ...]:
    """The questions of a case, the same each time."""
    rng, domain = (
        np.random.default_rng(zlib.crc32(str(case).encode())),
        source(case.table).domain,
    )
    cliques = _strongest(case.table) if case.is_model else [list(domain.names)]
    return (*questions(domain, cliques, rng, EACH), *regressions(case.table))


@cache
def _strongest(name: str) -> list[list[str]]:
    """Pairs of columns, by their distance from independence."""
    rows, domain = counted(name), source(name).domain
    pairs_by_distance = []
    for pair in combinations(range(len(domain.columns)), 2):
        table = np.zeros([domain.shape[i] for i in pair])
        counts = rows.count(pair)  # type: ignore[union-attr]
        table.reshape(-1)[counts.cells] = counts.counts
        product = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        pairs_by_distance.append(
            (float(np.abs(table - product).sum()), [domain.names[i] for i in pair])
        )
    return [names for _, names in sorted(pairs_by_distance, reverse=True)[:PAIRS]]


def one_release(
    case: Case,
    turn: int,
    rng: np.random.Generator,
    *,
    settled: bool,
    kinds: Sequence[str] = (),
) -> dict[str, Any]:
    """What one release says to the questions whose turn it is.

    Args:
        case: What is released.
        turn: The number of the release.
        rng: Draws tables, and questions of what a model measured.
        settled: Whether rows are looked at, and settled before.
        kinds: Of questions that are asked; all where there are none.
    """
    start = time.perf_counter()
    result = case.release(rng, settled=settled)
    released_at = time.perf_counter()
    table = source(case.table)
    rows = plain_values(frame_of(result.synthetic), table.domain) if settled else None
    answers, refused = [], Counter[str]()
    turns = TURNS[case.is_model]
    numbered = [
        numbered_question
        for numbered_question in enumerate(asked_of(case))
        if numbered_question[0] % turns == turn % turns
    ]
    for number, question in [*numbered, *((-1, q) for q in _besides(result, rng))]:
        if _is_left_out(question, case.about, kinds):
            continue
        try:
            conclusion, mended = _answered(question, result, case.about)
        except SynthError:
            refused[question.kind] += 1
            continue
        truth = _truth(case.table, question)
        of_rows = (None, None) if rows is None else question.measure(rows)
        answers += [
            [number, i, question.kind, kind, *map(_short, values)]
            for i, kind, *values in _numbers(question, conclusion, mended, truth, of_rows)
        ]
    return {
        "case": str(case),
        "strategy": result.record.strategy or "histogram",
        "settled": settled,
        "release": round(released_at - start, 3),
        "questions": round(time.perf_counter() - released_at, 3),
        "refused": refused,
        "answers": answers,
    }


def nearness(case: Case, rng: np.random.Generator) -> dict[str, Any]:
    """Estimates and numbers of rows of one release to all questions of sums, without
    intervals.
    """
    result = case.release(rng)
    table, record, mended = source(case.table), result.record, Analysis(result).mended
    rows, answers = plain_values(frame_of(result.synthetic), table.domain), []
    for number, asked_question in enumerate(asked_of(case)):
        if asked_question.kind not in LINEAR:
            continue
        truth, (of_rows, error) = (
            _truth(case.table, asked_question),
            asked_question.measure(rows),
        )
        question = check_question(parse(asked_question.text), table.domain)
        try:
            summed, mean = (
                mended_values(question, ReleaseView(record=record, mended=by))
                for by in (partial(_noisy, record), mended)
            )
        except SynthError:
            continue
        for i, true in enumerate(truth):
            values = (true, math.nan, summed[i], math.nan, mean[i], of_rows[i], error[i])
            answers.append([number, i, asked_question.kind, "alone", *map(_short, values)])
    strategy = record.strategy or "histogram"
    return {"case": str(case), "strategy": strategy, "settled": True, "answers": answers}


def _noisy(record: Record, columns: ColumnSet) -> Floats:
    """Sums of noisy counts, of the columns' shape."""
    counts = source_of(record, columns, complete_rows(record))
    return counts.values.reshape(counts.shape)


def _is_left_out(question: Asked, about: About, kinds: Sequence[str]) -> bool:
    if about is About.PEOPLE and question.kind.split()[0] in PEOPLE_LACK:
        return True
    return bool(kinds) and question.kind not in kinds


_TRUTHS: dict[tuple[str, str], np.ndarray] = {}


def _truth(name: str, question: Asked) -> np.ndarray:
    key = (name, question.text)
    if key not in _TRUTHS:
        _TRUTHS[key] = question.measure(source(name).frame)[0]
    return _TRUTHS[key]


def _short(value: float) -> float | None:
    return None if not np.isfinite(value) else float(f"{value:.8g}")


def _besides(result: Result, rng: np.random.Generator) -> Iterator[Asked]:
    """Questions of what a model happened to measure."""
    names = result.plan.domain.names
    cliques = [[names[i] for i in clique] for clique, _ in result.record.measured]
    if cliques:
        yield from questions(result.plan.domain, cliques, rng, 1)


def _nothing(record: Record, place: ColumnSet) -> Floats:
    """No mended counts, so that estimates are sums."""
    return np.full([record.domain.shape[column] for column in place], np.nan)


def _answered(asked: Asked, result: Result, about: About) -> tuple[Conclusion, np.ndarray]:
    """With the value of mended counts, which the estimate is chosen by."""
    record, mended = result.record, Analysis(result).mended
    for contrast_word in (" less ", " over "):
        if contrast_word in asked.text:
            first, second = asked.text.split(contrast_word)
            ratio = contrast_word == " over "
            conclusion = contrast_groups(first, second, record, ratio=ratio, about=about)
            return conclusion, np.full(len(conclusion.estimate), np.nan)
    linear = asked.kind in LINEAR
    used = partial(_nothing, record) if linear else mended
    (conclusion,) = conclusions([asked.text], record, about=about, mended=used)
    question = check_question(parse(asked.text), record.domain)
    shown_values = (
        mended_values(question, ReleaseView(record=record, mended=mended))
        if linear
        else conclusion.estimate
    )
    return conclusion, shown_values


def _numbers(
    question: Asked,
    conclusion: Conclusion,
    mended: np.ndarray,
    truth: np.ndarray,
    of_rows: Sequence[np.ndarray | None],
) -> Iterator[tuple[Any, ...]]:
    """Number by number: which, its sort, truth, ends, sum, mended, that of rows and its
    error.
    """
    sort = "discrete" if question.kind in ("median", "quantiles") else "exact"
    sort = "bound" if conclusion.bound or PLACE_IN_BIN in conclusion.counts else sort
    missing = np.full(len(truth), np.nan)
    plain_value, error = (missing if values is None else values for values in of_rows)
    for i, true in enumerate(truth):
        place = i + question.first
        if not np.isfinite(true) or not np.isfinite(conclusion.low[place]):
            continue
        ends = conclusion.low[place], conclusion.estimate[place], conclusion.high[place]
        yield i, sort, true, *ends, mended[place], plain_value[i], error[i]


def main() -> None:
    """Release and ask, or read what was asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", default=[])
    parser.add_argument("--releases", type=int, default=200, help="of each case, in all")
    parser.add_argument("--epsilon", choices=EPSILONS)
    parser.add_argument("--about", choices=[about.value for about in About], default="rows")
    parser.add_argument("--unsettled", action="store_true", help="of models, counts alone")
    parser.add_argument("--nearness", action="store_true", help="estimates without intervals")
    parser.add_argument("--kinds", nargs="*", default=(), help="these alone")
    parser.add_argument("--out", type=Path, default=Path("coverage.jsonl"))
    parser.add_argument("--read", type=Path, nargs="*")
    options = parser.parse_args()
    if options.read:
        print("\n".join(tables_of(read_lines(options.read))))
        return
    chosen = [
        case
        for case in cases(options.tables or list(TABLES), About(options.about))
        if options.epsilon in (None, case.epsilon)
    ]
    rng = np.random.default_rng()

    def once(case: Case, turn: int) -> dict[str, Any]:
        if options.nearness:
            return nearness(case, rng)
        return one_release(
            case, turn, rng, settled=not options.unsettled, kinds=options.kinds
        )

    run(chosen, options.releases, options.out, once)


def run(
    chosen: Sequence[Case],
    releases: int,
    out: Path,
    once: Callable[[Case, int], dict[str, Any]],
) -> None:
    """Until every case has so many releases in the file."""
    done = (
        Counter(line["case"] for line in read_lines([out]))
        if out.exists()
        else Counter[str]()
    )
    while unfinished := [case for case in chosen if done[str(case)] < releases]:
        case = min(unfinished, key=lambda candidate: done[str(candidate)])
        line = once(case, done[str(case)])
        done[str(case)] += 1
        with out.open("a") as file:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
