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
    """Rows with an age, a wage that grows with it, a sex, a job, and a person (who)."""
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
    """Release the rows at epsilon 8 with the sums of `TERMS`, unless told otherwise."""
    return synth.release(make_frame(), DOMAIN, **{"epsilon": 8, "moments": TERMS, **options})


def noisy_sums(record: Record) -> dict[MomentSum, Any]:
    """The noisy sums of a release by what they are of."""
    return {moment.what: moment for moment in record.moments}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.first_case
def test_sums_are_paid_for_and_a_bundle_of_them_verifies(case: str, tmp_path: Path) -> None:
    """Every method measures the sums that were asked for, and its bundle verifies.

    Asked for are means, the product of age and wage, and the age by sex. Columns 0, 1 and 2
    are the age, the wage and the sex. Numbers may be counted from the middle of a bin or from
    their range (`ranged`), which makes no difference here. The bundle holds the sums as they
    were measured.
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
    """The rows of `make_frame`; a fifth lacks an age, and a tenth a wage."""
    table = make_frame()
    rng = np.random.default_rng(4)
    for name, share in (("age", 0.2), ("wage", 0.1)):
        table[name] = table[name].where(rng.random(len(table)) >= share)
    return table


@pytest.mark.parametrize("method", ["dense", "independent"])
@pytest.mark.first_case
def test_pairs_are_summed_over_rows_that_have_both(method: str, tmp_path: Path) -> None:
    """Sums of age and wage are over rows that have both, with the number of these rows.

    They answer a correlation, a regression and a mean by group. A dense histogram counts
    these rows anyway, so only the independent method pays for their numbers. Column 0 is the
    age, 1 the wage, 2 the sex. A bundle that names another column for such a sum is refused.
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
    """The noisy sum of ages is within 950 of the exact one, so a mean of 3,000 rows is sharp.

    Ages are counted from the middle of their bin of 20 years, so they are at most 9.5 from
    it. A replaced row moves their sum by at most 19, and the bound is 50 times that. The two
    sums get a thirtieth of epsilon 80, that is 8/3: fewer than one release in e^50 exceeds
    it.
    """
    table = make_frame()
    release = synth.release(table, DOMAIN, epsilon=80, moments="means", method="dense")
    (age, _) = release.result.record.moments

    assert isinstance(age.mechanism, KNorm)

    middles = table["age"] // 20 * 20 + 9.5
    exact = float((table["age"] - middles).sum())
    noisy = float(age.values[0] * age.what.unit(DOMAIN))

    assert not age.what.ranged
    assert abs(noisy - exact) < 9.5 * 2 * 50


def test_without_terms_nothing_is_kept_for_sums() -> None:
    """Without sums, the counts get all of the epsilon, and the plan has no trace of sums.

    At epsilon 8 a replaced row moves two counts, so the noise scale is 2/8.
    """
    release = release_sums(moments="none", method="dense")

    assert release.result.plan == release_sums(moments=(), method="dense").result.plan

    assert release.result.record.moments == ()
    assert "moments" not in release.result.plan.to_json()
    assert release.certificate.mechanism.scale == Fraction(2, 8)  # type: ignore[union-attr]


def test_what_is_kept_for_sums_is_taken_from_the_counts() -> None:
    """What sums cost is missing for the counts: together both cost the epsilon of 8.

    Means get a thirtieth of it and named sums a half: 16/30. The counts get the other 14/30,
    and a replaced row moves two of them.
    """
    release = release_sums(method="dense")
    mechanism = release.certificate.mechanism
    costs = [payment.cost.epsilon for payment in mechanism.moments]  # type: ignore[union-attr]

    assert sum(filter(None, costs)) == 8 * Fraction(16, 30)
    assert mechanism.scale == 2 / (8 * Fraction(14, 30))  # type: ignore[union-attr]


def test_auto_takes_means_where_noise_leaves_less_than_bins() -> None:
    """By default, means are measured where their noise is less than the error of bins.

    That follows from the plan alone: at epsilon 8 they are, at 1/20 they are not, and "none"
    overrules it. The method tree, and columns without numbers, have none. Columns 0 and 1 are
    the age and the wage.
    """
    plans = [
        synth.forecast(DOMAIN, epsilon, rows=3000, moments=moments).plan
        for epsilon, moments in (
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
    """Sums by a group count numbers from the middle of a bin only where counts tell the bins.

    Counts of single columns do not tell in which bins the numbers of one sex are. So the sums
    count from the middle of the whole range (`ranged`). A histogram of all columns tells it.
    """
    (moments_alone,) = release_sums(
        method="independent", moments="age*sex"
    ).result.record.moments
    (together,) = release_sums(
        method="dense", moments="age*sex", epsilon=80
    ).result.record.moments

    assert (moments_alone.what.ranged, together.what.ranged) == (True, False)


@pytest.mark.parametrize("method", ["one-shot", "dense"])
@pytest.mark.first_case
def test_pairs_are_those_that_were_measured(method: str) -> None:
    """The term "pairs" sums the products of those pairs of columns whose counts are measured.

    A dense histogram has all pairs, so age and wage (columns 0 and 1) among them. The method
    one-shot chooses pairs, and the product is there only if it chose this one.
    """
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
    """A repeated release gets the same sums from the ledger; other sums are
    another request.
    """
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
    """Replace a text of the bundle's certificate, and return the bundle's path."""
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
@pytest.mark.first_case
def test_a_forged_sum_is_refuted(method: str, tmp_path: Path) -> None:
    """A certificate with another cost, group or name of a sum is refused.

    None of them follows from the plan.
    """
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
    """A forecast gives the errors of sums, and what they cost makes pairs of columns less
    accurate.

    `OFFSET_STEPS` are the steps from the middle of a bin to its end, in which sums are
    counted.
    """
    expected = synth.forecast(DOMAIN, epsilon=1, rows=20_000, moments="means,age*sex")
    assert 0 < expected.moments["offsets of age"] < 1
    assert expected.moments["offsets of age by sex"] > 0

    plain = synth.forecast(DOMAIN, epsilon=1, rows=20_000, moments="none")
    assert plain.moments == {}
    assert plain.pairs < expected.pairs

    assert OFFSET_STEPS == 4096
