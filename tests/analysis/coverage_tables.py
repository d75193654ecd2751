"""Tables of what `coverage` measured: coverage, widths and errors by case and kind.

Coverage is clustered by release: the test is of the mean of the releases' shares, one-sided at
1e-6. An oracle knows the law of the error of the same estimate: its width is that from the 2.5 %
to the 97.5 % of the errors of one question's releases. Naive intervals are of the synthetic rows as
if these were rows.
"""

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
FEWEST = 20
"""Releases of a question, for the law of its errors."""
COLUMNS = (
    "number",
    "place",
    "kind",
    "sort",
    "truth",
    "low",
    "sum",
    "high",
    "mended",
    "rows",
    "error",
)
NUMBERS = COLUMNS[4:]
"""The sum has no bias; the estimate is the mended number, within its interval."""

Answers = dict[str, Any]
"""Of one case and kind, each of shape (answers,)."""


def read_lines(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """All lines of some files."""
    return [json.loads(line) for path in paths for line in path.read_text().splitlines() if line]


def gathered(lines: Sequence[dict[str, Any]]) -> dict[tuple[str, str], Answers]:
    """Answers by case and kind."""
    found: dict[tuple[str, str], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for release, line in enumerate(lines):
        for answer in line["answers"]:
            kind = answer[2] if answer[3] != "bound" else f"{answer[2]}, bounded"
            into = found[line["case"], kind]
            into["release"].append(release)
            for name, value in zip(COLUMNS, answer, strict=True):
                into[name].append(math.nan if value is None else value)
    return {key: {n: np.array(v) for n, v in one.items()} for key, one in sorted(found.items())}


def clustered(held: np.ndarray, release: np.ndarray) -> tuple[float, float, int]:
    """Mean of the releases' shares, its standard error, and how many releases."""
    _, at = np.unique(release, return_inverse=True)
    shares = np.bincount(at, held) / np.bincount(at)
    many = len(shares)
    error = shares.std(ddof=1) / math.sqrt(many) if many > 1 else 1.0
    least = math.sqrt(0.05 * 0.95 / max(1, len(held)))  # a few releases may all hold
    return float(shares.mean()) if many else math.nan, max(float(error), least), many


def by_question(found: Answers) -> dict[tuple[int, int], np.ndarray]:
    """Which answers are of one number of a question that all releases are asked."""
    keys: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, key in enumerate(zip(found["number"].tolist(), found["place"].tolist(), strict=True)):
        if key[0] >= 0:
            keys[key].append(i)
    return {key: np.array(one) for key, one in keys.items() if len(one) >= FEWEST}


def line_of(found: Answers) -> dict[str, Any]:
    """Coverage, naive coverage, width over the oracle's, and errors over those of rows."""
    truth, low, plain, high, mended, rows, error = (found[n].astype(float) for n in NUMBERS)
    asked = np.isfinite(low)
    slack = 1e-7 * np.maximum(1, np.abs(truth))
    held = ((low - slack <= truth) & (truth <= high + slack))[asked]
    mean, spread, many = clustered(held, found["release"][asked])
    told = np.isfinite(rows)
    naive = np.abs(rows - truth) <= NORMAL * error
    ratios, nearer, answers = [], [], 0
    for at in by_question(found).values():
        if not asked[at].any():
            continue
        half = float(np.median((high - low)[at][asked[at]])) / 2
        least, most = (
            np.where(asked, end, plain + s * half)[at] for s, end in ((-1, low), (1, high))
        )
        value = np.where(np.isnan(mended[at]), plain[at], np.clip(mended[at], least, most))
        off = value - truth[at]
        ends = np.quantile(off, [0.025, 0.975])
        if ends[1] > ends[0]:
            ratios.append(2 * half / (ends[1] - ends[0]))
        if told[at].sum() >= FEWEST:
            answers += len(at)
            nearer.append(_nearer(off[told[at]], (rows - truth)[at][told[at]]))
    return {
        "releases": many, "held": mean, "spread": spread,
        "naive": float(naive[told].mean()) if told.any() else math.nan,
        "widths": ratios, "width": float(np.median(ratios)) if ratios else math.nan,
        "error": float(np.median([one for one, _ in nearer])) if nearer else math.nan,
        "no worse": float(np.sum([one <= 1 + 1e-9 for one, _ in nearer])),
        "surely worse": float(np.sum([far for _, far in nearer])), "questions": len(nearer),
    }  # fmt: skip


def _nearer(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, bool]:
    """The ratio of both root mean squares, and whether it is above 1 beyond three deviations."""
    gain = ours**2 - theirs**2
    ratio = math.sqrt(float((ours**2).mean()) / max(float((theirs**2).mean()), 1e-300))
    return ratio, bool(gain.mean() > 3 * gain.std() / math.sqrt(len(gain)))


def tables_of(lines: Sequence[dict[str, Any]]) -> list[str]:
    """A line a case and kind; those that are wide for a reason apart."""
    found = {key: line_of(one) for key, one in gathered(lines).items()}
    head = (
        f"{'case':44} {'kind':20} {'n':>4} {'held':>6} {'naive':>6} {'width/oracle':>12} "
        f"{'rmse/rows':>9} {'no worse':>9}"
    )
    plain = {key: one for key, one in found.items() if not _is_apart(key[1])}
    apart = {key: one for key, one in found.items() if _is_apart(key[1])}
    out = ["Exact or simulated", head, *(_line(*both) for both in plain.items())]
    out += ["", "Discrete laws, and bounds for where in its bin a row is", head]
    out += [_line(*both) for both in apart.items()]
    return [*out, "", *_summary(found, plain)]


def _is_apart(kind: str) -> bool:
    return kind.endswith("bounded") or kind.startswith(("median", "quantiles"))


def _line(key: tuple[str, str], one: dict[str, Any]) -> str:
    return (
        f"{key[0]:44} {key[1]:20} {one['releases']:4.0f} {one['held']:6.3f} {one['naive']:6.3f} "
        f"{one['width']:12.2f} {one['error']:9.2f} {one['no worse']:4.0f}/{one['questions']:<4.0f}"
        f"{_note(one)}"
    )


def _note(one: dict[str, Any]) -> str:
    if one["held"] + REACH * one["spread"] < 0.95:
        return " TOO LOW"
    return " wide" if one["held"] - REACH * one["spread"] > 0.975 else ""


def _summary(
    found: dict[tuple[str, str], dict[str, Any]], plain: dict[tuple[str, str], dict[str, Any]]
) -> list[str]:
    low = [key for key, one in found.items() if _note(one) == " TOO LOW"]
    wide = [key for key, one in plain.items() if _note(one) == " wide"]
    good, all_of = (sum(one[name] for one in found.values()) for name in ("no worse", "questions"))
    worse = sum(one["surely worse"] for one in found.values())
    widths = [width for one in plain.values() for width in one["widths"]]
    return [
        f"{len(found)} cases and kinds; below 95 %: {len(low)}",
        f"above 97.5 % of those that are neither discrete nor bounds: {len(wide)} of {len(plain)}",
        f"median width over the oracle's: {np.median(widths) if widths else math.nan:.2f}",
        f"estimates no worse than rows: {good:.0f} of {all_of:.0f} questions; worse beyond three "
        f"deviations: {worse:.0f}",
    ]
