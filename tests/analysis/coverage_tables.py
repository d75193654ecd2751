"""Tables of what `coverage` measured: coverage, widths and errors by case and kind.

Coverage is clustered by release: the test is of the mean of the releases' shares, one-sided
at 1e-6. An oracle knows the law of the error of the same estimate: its width is that from the
2.5 % to the 97.5 % of the errors of one question's releases. Naive intervals are of the
synthetic rows as if these were rows."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

WRONG = 1e-6
REACH = -NormalDist().inv_cdf(WRONG)
NORMAL = 1.96
SIMULATED = ("variance", "covariance", "correlation", "regression", "logistic")
FEWEST = 20
"""Releases of a question, for the law of its errors."""
COLUMNS = tuple("number place kind sort truth low sum high mended rows error".split())
NUMBERS = COLUMNS[4:]
"""The sum has no bias; the estimate is the mended number, within its interval."""

Answers = dict[str, Any]
"""Of one case and kind, each of shape (answers,)."""


def read_lines(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """All lines of some files."""
    return [
        json.loads(line) for path in paths for line in path.read_text().splitlines() if line
    ]


def gathered(lines: Sequence[dict[str, Any]]) -> dict[tuple[str, str], Answers]:
    """Answers by case and kind."""
    answers_by_kind: dict[tuple[str, str], dict[str, list[Any]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for release, line in enumerate(lines):
        for answer in line["answers"]:
            kind = answer[2] if answer[3] != "bound" else f"{answer[2]}, bounded"
            into = answers_by_kind[line["case"], kind]
            into["release"].append(release)
            for name, value in zip(COLUMNS, answer, strict=True):
                into[name].append(math.nan if value is None else value)
    return {
        key: {name: np.array(values) for name, values in answers.items()}
        for key, answers in sorted(answers_by_kind.items())
    }


def clustered(holds_truth: np.ndarray, release: np.ndarray) -> tuple[float, float, int]:
    """Mean of the releases' shares, its standard error, and how many releases."""
    _, at = np.unique(release, return_inverse=True)
    shares = np.bincount(at, holds_truth) / np.bincount(at)
    releases = len(shares)
    error = shares.std(ddof=1) / math.sqrt(releases) if releases > 1 else 1.0
    least = math.sqrt(0.05 * 0.95 / max(1, len(holds_truth)))  # a few releases may all hold
    return float(shares.mean()) if releases else math.nan, max(float(error), least), releases


def by_question(answers: Answers) -> dict[tuple[int, int], np.ndarray]:
    """Which answers are of one number of a question that all releases are asked."""
    keys: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, key in enumerate(
        zip(answers["number"].tolist(), answers["place"].tolist(), strict=True)
    ):
        if key[0] >= 0:
            keys[key].append(i)
    return {key: np.array(places) for key, places in keys.items() if len(places) >= FEWEST}


def line_of(answers: Answers) -> dict[str, Any]:
    """Coverage, naive coverage, widths over the oracles', errors over those of rows,
    signs.
    """
    truth, low, sums, high, mended, rows, error = (
        answers[name].astype(float) for name in NUMBERS
    )
    has_interval, has_rows = np.isfinite(low), np.isfinite(rows)
    slack = 1e-7 * np.maximum(1, np.abs(truth))
    holds_truth = ((low - slack <= truth) & (truth <= high + slack))[has_interval]
    mean, spread, releases = clustered(holds_truth, answers["release"][has_interval])
    widths, unbiased, ratios = [], [], []
    for at in by_question(answers).values():
        if not has_interval[at].any():
            continue
        half = float(np.median((high - low)[at][has_interval[at]])) / 2
        least, greatest = (
            np.where(has_interval, end, sums + side * half)[at]
            for side, end in ((-1, low), (1, high))
        )
        value = np.where(np.isnan(mended[at]), sums[at], np.clip(mended[at], least, greatest))
        for into, number in ((widths, value), (unbiased, sums[at])):
            ends = np.quantile(number - truth[at], [0.025, 0.975])
            into += [2 * half / (ends[1] - ends[0])] * bool(ends[1] > ends[0])
        if has_rows[at].sum() >= FEWEST:
            # Of a contrast, rows have their own.
            centre = np.where(np.isnan(mended), truth, mended)
            own_errors = [
                errors[has_rows[at]] for errors in (value - truth[at], (centre - truth)[at])
            ]
            ratios.append(_nearer(*own_errors, (rows - centre)[at][has_rows[at]]))
    signs = [
        float((np.sign(x) == np.sign(truth))[np.isfinite(x)].mean())
        if np.isfinite(x).any()
        else math.nan
        for x in (sums, rows)
    ]
    return {
        "releases": releases,
        "held": mean,
        "spread": spread,
        "signs": signs,
        "naive": float((np.abs(rows - truth) <= NORMAL * error)[has_rows].mean())
        if has_rows.any()
        else math.nan,
        "widths": widths,
        "unbiased": unbiased,
        "ratios": ratios,
    }


def _nearer(ours: np.ndarray, mended: np.ndarray, drawing: np.ndarray) -> float:
    """The root mean square error over that of rows.

    Rows are drawn without bias from the mended counts (of a histogram), so that their mean
    square is that of the mended counts and of the drawing; the product of both, which is 0 on
    average, is left out."""
    theirs = float((mended**2).mean() + (drawing**2).mean())
    return math.sqrt(float((ours**2).mean()) / max(theirs, 1e-300))


def pooled(lines: Sequence[dict[str, Any]]) -> list[str]:
    """A line a case: coverage of all numbers that are neither discrete nor bounds, by
    release.
    """
    hits_by_case: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for release, line in enumerate(lines):
        for answer in line["answers"]:
            kind, sort, truth, low, _, high = answer[2:8]
            if sort == "exact" and low is not None and not _is_apart(kind):
                slack = 1e-7 * max(1, abs(truth))
                holds_truth = low - slack <= truth <= high + slack
                hits_by_case[line["case"]].append((release, holds_truth))
    out = [f"{'case, all such kinds':44} {'n':>4} {'held':>6}"]
    for case, hits in sorted(hits_by_case.items()):
        mean, spread, releases = clustered(
            *(np.array(column) for column in list(zip(*hits, strict=True))[::-1])
        )
        out.append(
            f"{case:44} {releases:4} {mean:6.3f}{_note({'held': mean, 'spread': spread})}"
        )
    return out


def tables_of(lines: Sequence[dict[str, Any]]) -> list[str]:
    """A line a case, and a case and kind; those that are wide for a reason apart."""
    lines_by_kind = {key: line_of(answers) for key, answers in gathered(lines).items()}
    head = (
        f"{'case':44} {'kind':20} {'n':>4} {'held':>6} {'naive':>6} {'width':>6} "
        f"{'of sum':>6} {'rmse':>5} {'no worse':>9} {'signs':>11}"
    )
    sharp = {
        key: kind_line for key, kind_line in lines_by_kind.items() if not _is_apart(key[1])
    }
    bounds = {key: kind_line for key, kind_line in lines_by_kind.items() if _is_apart(key[1])}
    out = [
        "Exact or simulated",
        head,
        *(_line(*key_and_line) for key_and_line in sharp.items()),
    ]
    out += ["", "Discrete laws, and bounds for where in its bin a row is", head]
    out += [_line(*key_and_line) for key_and_line in bounds.items()]
    return [*pooled(lines), "", *out, "", *_summary(lines_by_kind, sharp)]


def _is_apart(kind: str) -> bool:
    return kind.endswith("bounded") or kind.startswith(("median", "quantiles"))


def _line(key: tuple[str, str], kind_line: dict[str, Any]) -> str:
    width, unbiased, error = (
        float(np.median(kind_line[name])) if kind_line[name] else math.nan
        for name in ("widths", "unbiased", "ratios")
    )
    good, signs = sum(_is_good(ratio) for ratio in kind_line["ratios"]), ""
    if key[1].startswith(("regression", "logistic")):
        signs = "/".join(f"{share:.2f}" for share in kind_line["signs"])
    return (
        f"{key[0]:44} {key[1]:20} {kind_line['releases']:4.0f} {kind_line['held']:6.3f} "
        f"{kind_line['naive']:6.3f} {width:6.2f} {unbiased:6.2f} {error:5.2f} "
        f"{good:4}/{len(kind_line['ratios']):<4} {signs:>11}{_note(kind_line)}"
    )


def _is_good(ratio: float) -> bool:
    return ratio <= 1 + 1e-9


def _note(kind_line: dict[str, Any]) -> str:
    if kind_line["held"] + REACH * kind_line["spread"] < 0.95:
        return " TOO LOW"
    return " wide" if kind_line["held"] - REACH * kind_line["spread"] > 0.975 else ""


def _summary(
    lines_by_kind: dict[tuple[str, str], dict[str, Any]],
    sharp: dict[tuple[str, str], dict[str, Any]],
) -> list[str]:
    low = [key for key, kind_line in lines_by_kind.items() if _note(kind_line) == " TOO LOW"]
    wide = [key for key, kind_line in sharp.items() if _note(kind_line) == " wide"]
    unsimulated = {
        key: kind_line
        for key, kind_line in sharp.items()
        if key[1].split()[0] not in SIMULATED
    }
    ratios = [ratio for kind_line in unsimulated.values() for ratio in kind_line["ratios"]]
    widths, unbiased = (
        [ratio for kind_line in unsimulated.values() for ratio in kind_line[name]]
        for name in ("widths", "unbiased")
    )
    return [
        f"{len(lines_by_kind)} cases and kinds; below 95 %: {len(low)}",
        f"above 97.5 % of those that are neither discrete nor bounds: {len(wide)} of "
        f"{len(sharp)}",
        f"median width over that of an oracle of the sum {_median(unbiased):.2f}, of the "
        f"nearer estimate that is shown {_median(widths):.2f}",
        f"estimates no worse than rows: {sum(map(_is_good, ratios))} of {len(ratios)} "
        "questions",
    ]


def _median(values: Sequence[float]) -> float:
    return float(np.median(values)) if values else math.nan
