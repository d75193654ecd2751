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
from synth.estimate import REPAIRS, Repair
from synth.plans import Method
from synth.privacy import Neighbors
from synth.verification import verify
from tests.bundle.bundles import (
    change_date,
    claim_values,
    edit_certificate,
    edit_text,
    make_bundle,
    read_bundle,
    refusal_of,
    replace_signed,
    rezip,
)
from tests.tables import MIXED, ROWS
from tests.verification.models import edit_counts, with_table


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("repair", [*REPAIRS])
def test_every_kind_of_release_verifies(tmp_path: Path, neighbors: Any, repair: Any) -> None:
    """`verify` accepts a histogram with each repair of its noisy counts, under both
    neighbour relations.
    """
    few = {"domain": MIXED.project(["sex", "age"]), "rows": [row[:2] for row in ROWS]}
    verify(make_bundle(tmp_path, **few, neighbors=neighbors, repair=Repair(repair)))


@pytest.mark.slow
def test_a_universe_listed_from_a_threshold_up_verifies(tmp_path: Path) -> None:
    """A histogram of too many cells to list them all is accepted, under both neighbour
    relations.

    Three columns of 10^4 values have 10^12 cells, of which only large noisy counts are
    listed.
    """
    columns = tuple(Integer(name=n, minimum=1, maximum=10**4, bins=10**4) for n in "abc")
    rows = [["1", "1", "1"]] * 200

    for neighbors in Neighbors:
        path = make_bundle(
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
    replace_signed(files, "synthetic.csv", b"".join([lines[0], *reversed(lines[1:])]))


def own_rows(files: dict[str, bytes]) -> None:
    """Whichever answer came up among the few rows."""
    old, new = (b"yes", b"no") if b"yes" in files["synthetic.csv"] else (b"no", b"yes")
    edit_text("synthetic.csv", old, new)(files)


def one_count_more(lines: list[bytes]) -> list[bytes]:
    """Four thousand more, as pooling may take less for noise."""
    labels, value = lines[5].rsplit(b",", 1)
    return [*lines[:5], labels + b",%d\n" % (int(value) + 4_000), *lines[6:]]


def more_rows(files: dict[str, bytes]) -> None:
    edit_text("statement.txt", b"11 synthetic rows", b"12 synthetic rows")(files)
    claim_values(rows=12)(files)


def certificate_says(ending: bytes) -> Callable[[dict[str, bytes]], None]:
    """Something before all else in the certificate, which lists no digest of itself."""

    def tamper(files: dict[str, bytes]) -> None:
        files["certificate.json"] = b"{" + ending + files["certificate.json"].lstrip(b"{")

    return tamper


def claim_smaller_epsilon(files: dict[str, bytes]) -> None:
    """A smaller epsilon wherever it is said, but not in the noise."""
    edit_text("plan.json", b'"epsilon": "1"', b'"epsilon": "1/2"')(files)
    statement = json.loads(files["certificate.json"])["guarantee"]["statement"]
    claim_values(
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
    "another maker": (claim_values(format="x"), "its 'certificate.json' is not one of Synth"),
    "no maker": (
        claim_values(format="synth-certificate-"),
        "The certificate was not made by Synth",
    ),
    "no digests": (claim_values(sha256={}), "lists no digests"),
    "a field less": (
        lambda f: edit_certificate(f, lambda c: c.pop("mechanism")),
        "a part is missing",
    ),
    "a claim more": (claim_values(approved="by everybody"), "form: it claims too much"),
    "a claim more inside": (
        claim_values(mechanism__strategy="none"),
        "'mechanism' claims too much",
    ),
    "a wrong type": (claim_values(rows="many"), "'rows' does not match the published schema"),
    "a path that climbs": (lambda f: f.update({"../x": b""}), "would leave its folder"),
    "an absolute path": (lambda f: f.update({"/etc/x": b""}), "would leave its folder"),
    "no plan": (
        lambda f: replace_signed(f, "plan.json", b"{}"),
        "'plan.json' is not a plan.",
    ),
    "a plan of something else": (
        edit_text("plan.json", b'"method": "dense"', b'"method": "tree"'),
        "asks for marginals, and the certificate is about a histogram",
    ),
    "a promise in the plan": (
        edit_text("plan.json", b'"name": "sex"', b'"name": "sex", "safe": true'),
        "'plan.json' is not a plan in Synth's form",
    ),
    "a smaller epsilon": (
        claim_smaller_epsilon,
        "statement does not follow from its epsilon",
    ),
    "an epsilon alone": (
        claim_values(guarantee__epsilon="1/2"),
        "asks for another guarantee",
    ),
    "a nicer statement": (
        claim_values(guarantee__statement="Safe."),
        "statement does not follow from its",
    ),
    "a delta": (
        claim_values(guarantee__delta="1/9"),
        "statement does not follow from its epsilon",
    ),
    "a larger scale": (claim_values(mechanism__scale="20"), "not have the scale"),
    "a smaller sensitivity": (
        claim_values(mechanism__sensitivity=1, mechanism__scale="1"),
        "The sensitivity of one row under replace-one is 2",
    ),
    "other neighbours": (claim_values(neighbors="add-remove"), "asks for another guarantee"),
    "a private number of rows": (
        claim_values(released__rows=None),
        "public under replace-one",
    ),
    "rows left out and not counted": (
        claim_values(released__left_out=None),
        "must be counted where",
    ),
    "fewer cells": (
        claim_values(mechanism__cells=7),
        "number of cells does not match the domain",
    ),
    "more rows": (more_rows, "number of synthetic rows does not match the table"),
    "another repair": (claim_values(repair="magic"), "does not match the certificate"),
    "another seed": (
        claim_values(drawing__seed="5"),
        "do not follow from the noisy counts, the repair and",
    ),
    "rows in another order": (other_rows, "rows do not follow from the noisy counts"),
    "a column less": (
        lambda f: with_table(f, lambda table: table.drop_columns(["smoker"])),
        "does not have the columns of the domain",
    ),
    "a count changed": (
        edit_counts(one_count_more),
        "do not follow from the noisy counts, the repair and the",
    ),
    "a cell less": (
        edit_counts(lambda lines: lines[:-1]),
        "does not list the cells of the domain in th",
    ),
    "an unknown cell": (
        edit_counts(lambda lines: [lines[0], b"Q" + lines[1][1:], *lines[2:]]),
        "names a cell that the domain does not have",
    ),
    "no Parquet": (
        lambda f: replace_signed(f, "synthetic.parquet", b"x"),
        "is not a Parquet file",
    ),
    "CSV rows of their own": (
        own_rows,
        "'synthetic.csv' and 'synthetic.parquet' do not hold the",
    ),
    "another domain": (edit_text("domain.json", b'"M"', b'"N"'), "is about another domain"),
    "a broken domain": (
        lambda f: replace_signed(f, "domain.json", b"{}"),
        "'domain.json' in the bundle cannot be used. This is no Table Schema",
    ),
    "a nicer page": (
        edit_text("statement.txt", b"No row", b"No row at all"),
        "'statement.txt' does",
    ),
    "another script": (
        edit_text("run_again.txt", b"epsilon 1", b"epsilon 9"),
        "'run_again.txt' does",
    ),
    "another dictionary": (
        edit_text("dictionary.csv", b"sex", b"sox"),
        "'dictionary.csv' does",
    ),
    "another schema": (
        edit_text("certificate.schema.json", b"object", b"array"),
        "schema.json' does",
    ),
    "another first page": (
        edit_text("open.html", b"<h1 ", b"<h1  "),
        "'open.html' does not follow",
    ),
    "no text": (
        lambda f: replace_signed(f, "open.html", b"\xff"),
        "'open.html' in the bundle is not",
    ),
}


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_is_found(bundle_path: Path, tmp_path: Path, kind: str) -> None:
    """Each forgery of a histogram is refused with a sentence that names what is wrong.

    `TAMPERINGS` maps a forgery to the change of the files and a part of that sentence.
    """
    tamper, sentence = TAMPERINGS[kind]
    message = refusal_of(bundle_path, tmp_path, tamper)

    assert sentence in message
    assert message.endswith(".")


def test_only_the_ledger_knows_a_certificate_forged_to_the_last(
    bundle_path: Path, tmp_path: Path
) -> None:
    """Another time of the spend, in all files that name it, is found by the ledger alone.

    The time follows from nothing else in the bundle. A ledger without the spend refuses the
    honest bundle too.
    """
    files = read_bundle(bundle_path)
    change_date(files, "1999-01-01T00:00:00+00:00")
    forged = rezip(tmp_path / "t.zip", files)

    verify(forged)

    with pytest.raises(ReleaseError, match="does not know this certificate"):
        verify(forged, Ledger(bundle_path.with_suffix(".db")))
    with pytest.raises(ReleaseError, match="is not recorded in this ledger"):
        verify(bundle_path, Ledger(tmp_path / "other.db"))
