"""Releases that measure sums of numbers: what is paid, written, verified and found again."""

import json
import re
import zipfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synth
from synth.analysis import conclusions
from synth.domain import OFFSET_STEPS
from synth.errors import ArgumentError, SynthError
from synth.estimate import MomentSum, Record
from synth.noise import KNorm
from synth.verification import verify

DOMAIN = synth.Domain(
    age=synth.Integer(0, 99, bins=5),
    wage=synth.Number(0, 10, bins=4),
    sex=["f", "m"],
    job=["a", "b", "c", "d"],
)
TERMS = "means,wage,age*wage,age*sex"
CASES: dict[str, dict[str, Any]] = {
    "histogram": {"method": "dense"},
    "histogram of private rows": {"method": "dense", "neighbors": "add-remove"},
    "of persons": {"method": "one-shot", "person": "who", "max_rows": 2},
    "auto": {"method": "auto"},
    "gaussian": {"method": "one-shot", "delta": "1e-9", "neighbors": "add-remove"},
    "groups": {"method": "groups", "groups": [["age", "wage"]]},
    "columns": {"method": "independent"},
}


def make_frame(rows: int = 3000, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, rows)
    return pd.DataFrame(
        {
            "age": age,
            "wage": np.clip(age / 12 + rng.normal(0, 1, rows), 0, 10),
            "sex": rng.choice(["f", "m"], rows),
            "job": rng.choice(list("abcd"), rows),
            "who": rng.integers(0, rows // 2, rows),
        }
    )


def release_sums(**options: Any) -> synth.Release:
    return synth.release(make_frame(), DOMAIN, **{"epsilon": 8, "moments": TERMS, **options})


def noisy_sums(record: Record) -> dict[MomentSum, Any]:
    return {moment.what: moment for moment in record.moments}


@pytest.mark.parametrize("case", CASES)
def test_sums_are_paid_for_and_a_bundle_of_them_verifies(case: str, tmp_path: Path) -> None:
    """Means, products and sums by group (of columns 0, 1 and 2) come back from the bundle as
    they were measured.
    """
    release = release_sums(**CASES[case])
    moments = noisy_sums(release.result.record)
    unranged = {replace(moment, ranged=False) for moment in moments}
    assert {
        MomentSum(columns=(0,)),
        MomentSum(columns=(1,)),
        MomentSum(columns=(0, 1)),
    } <= unranged
    assert {
        MomentSum(columns=(1,), by=(1,)),
        MomentSum(columns=(1, 1), by=(1,)),
        MomentSum(columns=(0,), by=(2,)),
    } <= unranged
    checked = verify(release.save(tmp_path / "r.zip"), redraw=True)
    opened = noisy_sums(checked.record)  # type: ignore[attr-defined]
    assert opened.keys() == moments.keys()
    for moment, noisy_sum in moments.items():
        assert opened[moment].values.tolist() == noisy_sum.values.tolist()
        assert opened[moment].mechanism == noisy_sum.mechanism


LACKING = synth.Domain(
    age=synth.Integer(0, 99, bins=5, missing=True),
    wage=synth.Number(0, 10, bins=4, missing=True),
    sex=["f", "m"],
)


def frame_with_gaps() -> pd.DataFrame:
    """Rows, a fifth without an age, and a tenth without a wage."""
    table = make_frame()
    rng = np.random.default_rng(4)
    for name, share in (("age", 0.2), ("wage", 0.1)):
        table[name] = table[name].where(rng.random(len(table)) >= share)
    return table


@pytest.mark.parametrize("method", ["dense", "independent"])
def test_pairs_are_summed_over_rows_that_have_both(method: str, tmp_path: Path) -> None:
    """Sums of age and wage are over rows that have both, with the number of these rows.

    They answer a correlation, a regression and a mean by group. A dense histogram counts
    these rows anyway, so only the independent method pays for their numbers. Column 0 is
    the age, 1 the wage, 2 the sex.
    """
    # Three times the rows, so that all intervals are narrow.
    table = pd.concat([frame_with_gaps()] * 3, ignore_index=True)
    options = {"moments": "age*wage,age*sex", "neighbors": "add-remove"}
    release = synth.release(table, LACKING, epsilon=80, method=method, **options)
    sums = {replace(moment, ranged=False) for moment in noisy_sums(release.result.record)}
    assert sums >= {
        MomentSum(columns=(a,) * n, given=(1 - a,)) for a in (0, 1) for n in (1, 2)
    }
    counted = {
        MomentSum(columns=(), given=(0, 1)),
        MomentSum(columns=(), by=(2,), given=(0,)),
    }
    paid_counts = sums & counted
    assert paid_counts == (set() if method == "dense" else counted)
    verify(release.save(tmp_path / "r.zip"), redraw=True)
    both = table.dropna()
    truths = {
        "correlation age, wage": [both["age"].corr(both["wage"])],
        "regression wage on age": np.polyfit(both["age"], both["wage"], 1)[::-1],
        "mean age where sex = f": [table.age[table.sex == "f"].mean()],
    }
    for question, truth in truths.items():
        (answer,) = conclusions([question], release.result.record, confidence=0.9999)
        width = answer.high - answer.low
        error = np.abs((answer.low + answer.high) / 2 - truth)
        assert (error <= 1.6 * width / 2).all(), "happens once in a million runs"
        assert (width < 0.1 * np.abs(truth)).all()
    text = json.dumps(release.certificate.to_json(), indent=1)
    (old, *_) = re.findall(r'"given": \[\s*"wage"\s*\]', text)
    for wrong_column in ("sex", "age", "nobody"):
        path = release.save(tmp_path / f"{wrong_column}.zip")
        with pytest.raises(SynthError):
            verify(forge_certificate(path, old, old.replace("wage", wrong_column)))


def test_a_mean_is_as_sharp_as_its_noise() -> None:
    """The sums of offsets from the middles of bins get epsilon 4 of 80, and noise
    to match.
    """
    table = make_frame()
    release = synth.release(table, DOMAIN, epsilon=80, moments="means", method="dense")
    (age, _) = release.result.record.moments
    assert isinstance(age.mechanism, KNorm)
    middles = table["age"] // 20 * 20 + 9.5
    exact = float((table["age"] - middles).sum())
    noisy = float(age.values[0] * age.what.unit(DOMAIN))
    assert not age.what.ranged
    assert abs(noisy - exact) < 9.5 * 2 * 50  # epsilon 4 for two sums: e^-50 of all releases


def test_without_terms_nothing_is_kept_for_sums() -> None:
    """No terms leave the whole epsilon of 8 to the counts, whose scale is 2/8, and no trace
    in the plan.
    """
    release = release_sums(moments="none", method="dense")
    assert release.result.plan == release_sums(moments=(), method="dense").result.plan
    assert release.result.record.moments == ()
    assert "moments" not in release.result.plan.to_json()
    assert release.certificate.mechanism.scale == Fraction(2, 8)  # type: ignore[union-attr]


def test_what_is_kept_for_sums_is_taken_from_the_counts() -> None:
    release = release_sums(method="dense")
    mechanism = release.certificate.mechanism
    costs = [payment.cost.epsilon for payment in mechanism.moments]  # type: ignore[union-attr]
    assert sum(filter(None, costs)) == 8 * Fraction(16, 30)
    assert mechanism.scale == 2 / (8 * Fraction(14, 30))  # type: ignore[union-attr]


def test_auto_takes_means_where_noise_leaves_less_than_bins() -> None:
    """The choice follows from the plan alone, and ``none`` overrules it."""
    plans = [
        synth.forecast(DOMAIN, e, rows=3000, moments=m).plan
        for e, m in (
            ("8", "auto"),
            ("8", "none"),
            ("1/20", "auto"),
        )
    ]
    assert [plan.moments for plan in plans] == [("means",), (), ()]
    assert synth.forecast(DOMAIN, "8", rows=3000, method="tree").plan.moments == ()
    assert synth.forecast(DOMAIN.project(["sex", "job"]), "8", rows=3000).plan.moments == ()
    release = synth.release(make_frame(), DOMAIN, epsilon=8)
    assert release.result.plan.moments == ("means",)
    assert {moment.columns for moment in noisy_sums(release.result.record)} == {(0,), (1,)}


def test_numbers_are_counted_from_their_range_where_counts_say_little() -> None:
    """Of columns alone nothing says where in a category numbers are; a small table does."""
    (moments_alone,) = release_sums(
        method="independent", moments="age*sex"
    ).result.record.moments
    (together,) = release_sums(
        method="dense", moments="age*sex", epsilon=80
    ).result.record.moments
    assert (moments_alone.what.ranged, together.what.ranged) == (True, False)


@pytest.mark.parametrize("method", ["one-shot", "dense"])
def test_pairs_are_those_that_were_measured(method: str) -> None:
    record = release_sums(method=method, moments="pairs", epsilon=50).result.record
    products = [moment for moment in noisy_sums(record) if moment.columns == (0, 1)]
    measured_pairs = {clique for clique, _ in record.measured}
    assert bool(products) == (method == "dense" or (0, 1) in measured_pairs)
    unranged = {replace(moment, ranged=False) for moment in noisy_sums(record)}
    assert unranged >= {MomentSum(columns=(0,)), MomentSum(columns=(0, 0))}


@pytest.mark.parametrize("terms", ["rent", "sex*job", "age*rent", "job", "age*wage*sex"])
def test_terms_that_name_nothing_to_measure_are_refused(terms: str) -> None:
    with pytest.raises(ArgumentError, match=r"no column and no pair|no numbers or dates"):
        release_sums(moments=terms)


def test_the_same_request_finds_its_sums_again(tmp_path: Path) -> None:
    """Stored sums are given again; other sums are another request."""
    ledger_options: dict[str, Any] = {
        "ledger": tmp_path / "l.db",
        "dataset": "d",
        "budget": 99,
    }
    first, again = (release_sums(**ledger_options, method="one-shot") for _ in range(2))
    assert again.repeated
    assert not release_sums(**ledger_options, method="one-shot", moments="means").repeated
    for moment, noisy in noisy_sums(first.result.record).items():
        assert (
            noisy_sums(again.result.record)[moment].values.tolist() == noisy.values.tolist()
        )


def forge_certificate(path: Path, old: str, new: str) -> Path:
    """A bundle whose certificate says something else."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    text = contents["certificate.json"].decode()
    assert old in text
    contents["certificate.json"] = text.replace(old, new, 1).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("method", ["dense", "one-shot"])
def test_a_forged_sum_is_refuted(method: str, tmp_path: Path) -> None:
    """Another cost, another group or another name of a sum does not follow from the plan."""
    release = release_sums(method=method)
    content = release.certificate.to_json()
    paid = content["mechanism"]["marginals" if method == "one-shot" else "moments"]  # type: ignore[index,call-overload]
    sums = [payment for payment in paid if "moments" in payment]  # type: ignore[union-attr,operator]
    cost = json.dumps(sums[0]["noise"]["scale"])  # type: ignore[index,call-overload]
    lies = {
        cost: json.dumps("1"),
        '"by": []': '"by": ["sex"]',
        sums[0]["what"]: "sums of nobody",  # type: ignore[index,call-overload]
    }
    for number, (old, new) in enumerate(lies.items()):
        path = release.save(tmp_path / f"{number}.zip")
        with pytest.raises(SynthError):
            verify(forge_certificate(path, old, new))


def test_a_forecast_says_what_comes_of_sums() -> None:
    """Sums have errors in the forecast, and what they cost makes pairs of columns less
    accurate.
    """
    expected = synth.forecast(DOMAIN, epsilon=1, rows=20_000, moments="means,age*sex")
    assert 0 < expected.moments["offsets of age"] < 1
    assert expected.moments["offsets of age by sex"] > 0
    plain = synth.forecast(DOMAIN, epsilon=1, rows=20_000, moments="none")
    assert plain.moments == {}
    assert plain.pairs < expected.pairs
    assert OFFSET_STEPS == 4096
