"""Bundles of histograms verify, whatever they were repaired by, and every tampering is
found.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from synth.domain import Domain, Integer
from synth.door import Ledger
from synth.errors import ReleaseError
from synth.estimate import Repair
from synth.plans import Method
from synth.privacy import Neighbors
from synth.verification import verify
from tests.bundle.bundles import (
    certified,
    claimed,
    contents,
    dated,
    edited,
    make,
    refused,
    rezip,
    signed,
)
from tests.tables import MIXED, ROWS
from tests.verification.models import counts, with_table


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize(
    "repair", ["none", "clamp", "rescale", "simplex", "bayes", "pooled", "smoothed", "auto"]
)
def test_every_kind_of_release_verifies(tmp_path: Path, neighbors: Any, repair: Any) -> None:
    few = {"domain": MIXED.project(["sex", "age"]), "rows": [row[:2] for row in ROWS]}
    verify(make(tmp_path, **few, neighbors=neighbors, repair=Repair(repair)))


@pytest.mark.slow
def test_a_universe_listed_from_a_threshold_up_verifies(tmp_path: Path) -> None:
    columns = tuple(Integer(name=n, minimum=1, maximum=10**4, bins=10**4) for n in "abc")
    rows = [["1", "1", "1"]] * 200
    for neighbors in Neighbors:
        path = make(
            tmp_path,
            neighbors.value,
            rows,
            domain=Domain(columns),
            method=Method.HISTOGRAM,
            neighbors=neighbors,
        )
        verify(path)


def other_rows(files: dict[str, bytes]) -> None:
    with_table(files, lambda table: table.take(list(range(table.num_rows))[::-1]))
    lines = files["synthetic.csv"].splitlines(keepends=True)
    signed(files, "synthetic.csv", b"".join([lines[0], *reversed(lines[1:])]))


def own_rows(files: dict[str, bytes]) -> None:
    """Whichever answer came up among the few rows."""
    old, new = (b"yes", b"no") if b"yes" in files["synthetic.csv"] else (b"no", b"yes")
    edited("synthetic.csv", old, new)(files)


def one_count_more(lines: list[bytes]) -> list[bytes]:
    """Four thousand more, as pooling may take less for noise."""
    labels, value = lines[5].rsplit(b",", 1)
    return [*lines[:5], labels + b",%d\n" % (int(value) + 4_000), *lines[6:]]


def more_rows(files: dict[str, bytes]) -> None:
    edited("statement.txt", b"11 synthetic rows", b"12 synthetic rows")(files)
    claimed(rows=12)(files)


def certificate_says(ending: bytes) -> Callable[[dict[str, bytes]], None]:
    """Something before all else in the certificate, which lists no digest of itself."""

    def tamper(files: dict[str, bytes]) -> None:
        files["certificate.json"] = b"{" + ending + files["certificate.json"].lstrip(b"{")

    return tamper


def stricter(files: dict[str, bytes]) -> None:
    """A smaller epsilon wherever it is said, but not in the noise."""
    edited("plan.json", b'"epsilon": "1"', b'"epsilon": "1/2"')(files)
    statement = json.loads(files["certificate.json"])["guarantee"]["statement"]
    claimed(
        guarantee__epsilon="1/2", guarantee__statement=statement.replace("are 1-", "are 0.5-")
    )(files)


CERTIFICATE = "'certificate.json' in the bundle"

TAMPERINGS: dict[str, tuple[Any, str]] = {
    "a changed byte": (
        lambda f: f.update({"synthetic.csv": f["synthetic.csv"][:-3] + b"X\r\n"}),
        "'synthetic.csv' does not match the certificate",
    ),
    "a file less": (lambda f: f.pop("statement.txt"), "lacks the file 'statement.txt'"),
    "a file more": (lambda f: f.update({"x.py": b""}), "does not list: 'x.py'"),
    "no certificate": (
        lambda f: f.pop("certificate.json"),
        "zip file has no 'certificate.json'",
    ),
    "a broken certificate": (
        lambda f: f.update({"certificate.json": f["certificate.json"][:-9]}),
        f"{CERTIFICATE} is not valid JSON",
    ),
    "a guarantee twice": (
        certificate_says(b'"guarantee": {}, '),
        f"{CERTIFICATE} says 'guarantee' t",
    ),
    "no number": (
        certificate_says(b'"more": NaN, '),
        f"{CERTIFICATE} holds NaN, which is no number",
    ),
    "another maker": (claimed(format="x"), "its 'certificate.json' is not one of Synth"),
    "no maker": (
        claimed(format="synth-certificate-"),
        "The certificate was not made by Synth",
    ),
    "no digests": (claimed(sha256={}), "lists no digests"),
    "a field less": (
        lambda f: certified(f, lambda c: c.pop("mechanism")),
        "a part is missing",
    ),
    "a claim more": (claimed(approved="by everybody"), "form: it claims too much"),
    "a claim more inside": (
        claimed(mechanism__strategy="none"),
        "'mechanism' claims too much",
    ),
    "a wrong type": (claimed(rows="many"), "'rows' does not match the published schema"),
    "a path that climbs": (lambda f: f.update({"../x": b""}), "would leave its folder"),
    "an absolute path": (lambda f: f.update({"/etc/x": b""}), "would leave its folder"),
    "no plan": (lambda f: signed(f, "plan.json", b"{}"), "'plan.json' is not a plan."),
    "a plan of something else": (
        edited("plan.json", b'"method": "dense"', b'"method": "tree"'),
        "asks for marginals, and the certificate is about a histogram",
    ),
    "a promise in the plan": (
        edited("plan.json", b'"name": "sex"', b'"name": "sex", "safe": true'),
        "'plan.json' is not a plan in Synth's form",
    ),
    "a smaller epsilon": (stricter, "statement does not follow from its epsilon"),
    "an epsilon alone": (claimed(guarantee__epsilon="1/2"), "asks for another guarantee"),
    "a nicer statement": (
        claimed(guarantee__statement="Safe."),
        "statement does not follow from its",
    ),
    "a delta": (
        claimed(guarantee__delta="1/9"),
        "statement does not follow from its epsilon",
    ),
    "a larger scale": (claimed(mechanism__scale="20"), "not have the scale"),
    "a smaller sensitivity": (
        claimed(mechanism__sensitivity=1, mechanism__scale="1"),
        "The sensitivity of one row under replace-one is 2",
    ),
    "other neighbours": (claimed(neighbors="add-remove"), "asks for another guarantee"),
    "a private number of rows": (claimed(released__rows=None), "public under replace-one"),
    "rows left out and not counted": (
        claimed(released__left_out=None),
        "must be counted where",
    ),
    "fewer cells": (claimed(mechanism__cells=7), "number of cells does not match the domain"),
    "more rows": (more_rows, "number of synthetic rows does not match the table"),
    "another repair": (claimed(repair="magic"), "does not match the certificate"),
    "another seed": (
        claimed(drawing__seed="5"),
        "do not follow from the noisy counts, the repair and",
    ),
    "rows in another order": (other_rows, "rows do not follow from the noisy counts"),
    "a column less": (
        lambda f: with_table(f, lambda table: table.drop_columns(["smoker"])),
        "does not have the columns of the domain",
    ),
    "a count changed": (
        counts(one_count_more),
        "do not follow from the noisy counts, the repair and the",
    ),
    "a cell less": (
        counts(lambda lines: lines[:-1]),
        "does not list the cells of the domain in th",
    ),
    "an unknown cell": (
        counts(lambda lines: [lines[0], b"Q" + lines[1][1:], *lines[2:]]),
        "names a cell that the domain does not have",
    ),
    "no Parquet": (lambda f: signed(f, "synthetic.parquet", b"x"), "is not a Parquet file"),
    "CSV rows of their own": (
        own_rows,
        "'synthetic.csv' and 'synthetic.parquet' do not hold the",
    ),
    "another domain": (edited("domain.json", b'"M"', b'"N"'), "is about another domain"),
    "a broken domain": (
        lambda f: signed(f, "domain.json", b"{}"),
        "'domain.json' in the bundle cannot be used. This is no Table Schema",
    ),
    "a nicer page": (
        edited("statement.txt", b"No row", b"No row at all"),
        "'statement.txt' does",
    ),
    "another script": (
        edited("run_again.txt", b"epsilon 1", b"epsilon 9"),
        "'run_again.txt' does",
    ),
    "another dictionary": (edited("dictionary.csv", b"sex", b"sox"), "'dictionary.csv' does"),
    "another schema": (
        edited("certificate.schema.json", b"object", b"array"),
        "schema.json' does",
    ),
    "a nicer report": (
        edited("report.html", b"<h1>", b"<h1>!"),
        "'report.html' does not follow",
    ),
    "no text": (
        lambda f: signed(f, "report.html", b"\xff"),
        "'report.html' in the bundle is not",
    ),
}


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_is_found(bundle_path: Path, tmp_path: Path, kind: str) -> None:
    tamper, sentence = TAMPERINGS[kind]
    message = refused(bundle_path, tmp_path, tamper)
    assert sentence in message
    assert message.endswith(".")


def test_only_the_ledger_knows_a_certificate_forged_to_the_last(
    bundle_path: Path, tmp_path: Path
) -> None:
    """The time of the spend follows from nothing in the bundle."""
    files = contents(bundle_path)
    dated(files, "1999-01-01T00:00:00+00:00")
    forged = rezip(tmp_path / "t.zip", files)
    verify(forged)
    with pytest.raises(ReleaseError, match="does not know this certificate"):
        verify(forged, Ledger(bundle_path.with_suffix(".db")))
    with pytest.raises(ReleaseError, match="is not recorded in this ledger"):
        verify(bundle_path, Ledger(tmp_path / "other.db"))
