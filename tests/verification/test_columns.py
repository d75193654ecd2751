"""Forged bundles, their digests made anew: none is confirmed, and what can be told is
refuted.

SYNTH_FORGERIES=200 python -m pytest -q -rP -m slow tests/verification/test_columns.py
"""

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count, cycle, islice, product
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from synth.bundle import ReleaseCertificate
from synth.door import Ledger
from synth.errors import RefutedError, ReleaseError, SynthError
from synth.estimate import Rules
from synth.plans import Method
from synth.privacy import Neighbors, parse_epsilon
from synth.rows import decode, encode_columns
from synth.verification import Verified, verify
from synth.verification.unverified import open_unverified
from synth.verification.verdict import Verdict
from tests.bundle.bundles import describe_anew, edit_certificate, read_bundle, rezip
from tests.verification.models import DOMAIN, make_bundle

MANY = int(os.environ.get("SYNTH_FORGERIES", "40"))
"""Forgeries, and honest bundles."""
GROUPS = (("age", "kin"), ("marital", "income"))
MADE = [
    (method, epsilon, neighbors)
    for epsilon, neighbors, method in product(
        ("1", "1/5", "10"), Neighbors, [m for m in Method if m != Method.HISTOGRAM]
    )
]
"""What releases are asked for, in turn."""
APART = ("sha256", "format", "algorithm")
"""Digests, which are made anew, and what makes a bundle another version's (`test_files`)."""
SAYS = re.compile(r"fail this check with a probability of (?:at least )?([\d.]+) %")


def honest_bundles(folder: Path) -> Iterator[Path]:
    """Honest bundles of the same table, one after the other."""
    for number, (method, epsilon, neighbors) in zip(count(), cycle(MADE), strict=False):
        place = folder / f"{number}"
        place.mkdir()
        groups = GROUPS if method == Method.GROUPS else ()
        options = {
            "method": method,
            "neighbors": neighbors,
            "epsilon": parse_epsilon(epsilon),
        }
        try:
            yield make_bundle(place, **options, groups=groups)
        except ReleaseError:  # held back: hardly a row fits by its noisy counts
            continue


def said_of(
    path: Path, *, redraw: bool = False, ledger: Ledger | None = None
) -> Verified | None:
    """What comes of a check; nothing where it is refuted."""
    try:
        return verify(path, ledger, redraw=redraw)
    except RefutedError:
        return None


def power_of(checked: Verified) -> float:
    """How likely real rows are refused, as it is printed; 0 where they are not compared."""
    power = SAYS.search(" ".join(checked.checks))
    return float(power[1]) / 100 if power else 0.0


def real_codes(folder: Path) -> list[Any]:
    """The confidential rows by cell."""
    with (folder / "t.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {
        "kin": pa.array([row["kin"] for row in rows]),
        "marital": pa.array([row["marital"] for row in rows]),
        "age": pa.array([int(row["age"]) for row in rows]),
        "income": pa.array([float(row["income"]) for row in rows]),
    }
    return encode_columns(DOMAIN, pa.table(columns))


def with_real_rows(honest: Path, path: Path, draw: Random) -> Path:
    """The bundle with confidential rows for synthetic ones, and all else written by Synth."""
    result = open_unverified(honest)
    codes = real_codes(honest.parent)
    rows = result.synthetic.rows
    if len(codes[0]) != rows:
        picked = np.array(draw.choices(range(len(codes[0])), k=rows))
        picked[: len(codes[0])] = np.arange(len(codes[0]))[:rows]
        codes = [column[picked] for column in codes]
    certificate = cast("ReleaseCertificate", result.certificate)
    real_rows = decode(
        DOMAIN, codes, seed=int(certificate.drawing.seed), order=Rules(domain=DOMAIN).order
    )
    return replace(result, synthetic=real_rows).write_archive(path)


def leaf_places(content: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where every number, text and truth of a document stands."""
    match content:
        case dict():
            for name, inner in content.items():
                yield from leaf_places(inner, (*place, name))
        case list():
            for number, inner in enumerate(content):
                yield from leaf_places(inner, (*place, number))
        case _:
            yield place


def with_other_field(honest: Path, path: Path, draw: Random) -> Path:
    """The bundle with one field of its certificate changed."""
    files = read_bundle(honest)

    def change(certificate: dict[str, Any]) -> None:
        place = draw.choice(
            list(leaf_places({k: v for k, v in certificate.items() if k not in APART}))
        )
        inner: Any = certificate
        for step in place[:-1]:
            inner = inner[step]
        old = inner[place[-1]]
        match old:
            case bool():
                new: Any = not old
            case int() | float():
                new = draw.choice([old + 1, -old - 1, 0 if old else 2])
            case str() if old.isdigit():
                new = str(int(old) + 1)
            case str():
                new = draw.choice(
                    [f"{old}x", old[:-1], old.upper() if old.islower() else "other"]
                )
            case _:
                new = "other"
        inner[place[-1]] = new

    edit_certificate(files, change)
    with suppress(ReleaseError):  # where it still is a certificate
        describe_anew(files)
    return rezip(path, files)


def with_other_versions(honest: Path, path: Path, draw: Random) -> Path:
    """Confidential rows in a bundle that says it was made by other versions, elsewhere."""
    files = read_bundle(with_real_rows(honest, path.with_suffix(".real.zip"), draw))
    other_versions = {name: "9.9.9" for name in ("synth", "numpy", "pyarrow")}
    other_versions["rounding"] = "9" * 16
    edit_certificate(files, lambda c: c["versions"].update(other_versions))
    return rezip(path, files)


@pytest.mark.slow
@pytest.mark.timeout(300 + 20 * MANY)
def test_no_forgery_is_confirmed_and_no_honest_bundle_refuted(tmp_path: Path) -> None:
    """Random bundles and forgeries of three kinds: the ledger finds every forgery.

    Without a ledger a forgery with real rows may pass unnoticed only where `verify` says that
    it is likely to. `said_of` returns None where a bundle is refuted.
    """
    kinds = (with_real_rows, with_other_field, with_other_versions)
    draw = Random()
    outcomes = Counter[str]()
    for number, honest in enumerate(islice(honest_bundles(tmp_path), MANY)):
        method = open_unverified(honest).plan.method
        checked = said_of(honest)
        assert checked, f"honest: {method}"
        power = power_of(checked)
        forge = kinds[number % 3]
        forged = forge(honest, tmp_path / f"{number}.zip", draw)

        book = Ledger(honest.with_suffix(".db"), readonly=True)
        assert said_of(honest, ledger=book, redraw=True) is not None, f"honest: {method}"
        assert said_of(forged, ledger=book) is None, (
            f"{forge.__name__}: {method}, with the ledger"
        )

        # Without the ledger a forgery is refuted or left open, and never confirmed.
        answer = said_of(forged)
        assert answer is None or answer.verdict is Verdict.NOT_CHECKED

        # Both other forgeries hold the confidential rows. They are refuted if such rows
        # nearly always fail the check.
        if forge is not with_other_field:
            assert not (answer and power > 0.99), f"{forge.__name__}: {method}, power {power}"
            if answer:
                # Rows drawn again differ. Only a machine that rounds differently could
                # explain this, and one of the forgeries names such a machine.
                assert said_of(forged, redraw=True) is None or forge is with_other_versions
                assert "fail this check with a probability" not in " ".join(answer.confirmed)

        outcomes[f"{forge.__name__}: {'refuted' if answer is None else 'not checked'}"] += 1
        outcomes["honest: confirmed with ledger and redraw, or not checked"] += 1

    print("\n".join(f"{times:4} {outcome}" for outcome, times in sorted(outcomes.items())))
    assert outcomes["with_real_rows: refuted"] > outcomes["with_real_rows: not checked"]


def test_what_is_no_bundle_is_neither(tmp_path: Path) -> None:
    """A file that is no zip file is an error, and neither confirmed nor refuted."""
    (tmp_path / "b.zip").write_bytes(b"PK")
    with pytest.raises(SynthError) as raised:
        verify(tmp_path / "b.zip")
    assert not isinstance(raised.value, RefutedError)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", [Method.ONE_SHOT, Method.TREE, Method.GROUPS, Method.DENSE]
)
def test_confidential_rows_are_refuted(tmp_path: Path, method: Method) -> None:
    """A bundle with real rows in place of the synthetic ones is refuted without a ledger.

    At epsilon 1 the noise moves each column so far that real rows fail with over 99 %. Rows
    of a histogram (`dense`) are drawn again in any case, so no such probability is told.
    """
    groups = GROUPS if method == Method.GROUPS else ()
    honest = make_bundle(tmp_path, method=method, epsilon=parse_epsilon("1"), groups=groups)

    checked = verify(honest)
    if method != Method.DENSE:
        assert power_of(checked) > 0.99

    for forge in (with_real_rows, with_other_versions):
        with pytest.raises(
            RefutedError, match=r"match the noisy counts|noisy counts, the repair"
        ):
            verify(forge(honest, tmp_path / f"{forge.__name__}.zip", Random()))


@pytest.mark.slow
def test_where_noise_is_too_small_to_tell_nothing_is_said_of_the_rows(tmp_path: Path) -> None:
    """At epsilon 100 real rows look like synthetic ones, so `verify` says that it cannot
    tell.

    The forgery with real rows is then neither confirmed nor refuted.
    """
    options = {"method": Method.INDEPENDENT, "neighbors": Neighbors.ADD_REMOVE}
    budget = {"epsilon": parse_epsilon("100"), "budget": "epsilon=100"}
    honest = make_bundle(tmp_path, **options, **budget)

    (power_sentence,) = (
        gap for gap in verify(honest).not_checked if "with a probability of" in gap
    )
    assert "the noise is small" in power_sentence

    assert (
        verify(with_real_rows(honest, tmp_path / "r.zip", Random())).verdict
        is Verdict.NOT_CHECKED
    )
