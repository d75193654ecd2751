"""A release as files in a folder: what is in them, and what is not."""

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from synth import limits
from synth.bundle import (
    CERTIFICATE,
    DESCRIBING,
    PARTED,
    Result,
    take_out,
)
from synth.bundle.writer import rows_writers, whole_folder, write_files
from synth.cli.main import main
from synth.domain import Boolean, Categorical, Domain, Integer, write_schema
from synth.errors import ReleaseError
from synth.noise import DiscreteLaplace
from synth.plans import Method, Plan
from synth.privacy import Neighbors, parse_epsilon
from synth.rows import draw, write_csv
from synth.spending import synthesize
from synth.util import Protection
from tests.bundle.bundles import FILES, ODD, REPLACE, make_bundle, read_bundle
from tests.tables import MIXED, ROWS, write


def odd_release(folder: Path, method: Method = Method.DENSE) -> Result:
    """A release of 40 rows whose only value is the text "=1+1", which a spreadsheet would
    run.
    """
    table = write(folder / "t.csv", ["=sum"], [["=1+1"]] * 40)
    return synthesize(Plan(domain=ODD, epsilon=parse_epsilon("9"), method=method), table)


@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT])
def test_a_loose_file_is_the_bundles(tmp_path: Path, method: Method) -> None:
    """A release in a folder has the files of its zip file, byte for byte.

    In CSV files the category "=1+1" has an apostrophe before it, so that no spreadsheet runs
    it. In the Parquet file and in the domain it has none.
    """
    result = odd_release(tmp_path, method)
    loose = result.write(tmp_path / "out")
    bundle = read_bundle(result.write_archive(tmp_path / "b.zip"))

    assert {name: path.read_bytes() for name, path in loose.items()} == bundle

    assert "'=1+1" in loose["synthetic.csv"].read_text()
    assert "'=1+1" in loose["noisy_counts.csv"].read_text()
    assert "=1+1" in pq.read_table(loose["synthetic.parquet"])["=sum"].to_pylist()
    assert "'=1+1" not in loose["domain.json"].read_text()


def test_beside_a_bundle_there_is_one_certificate(tmp_path: Path) -> None:
    """The files that are taken out of a zip file are those in it, with the same
    certificate.
    """
    path = odd_release(tmp_path).write_archive(tmp_path / "b.zip")
    loose = take_out(path, tmp_path / "out")
    bundle = read_bundle(path)

    assert set(loose) == set(bundle)
    assert {p.name for p in (tmp_path / "out").iterdir()} == set(loose)
    for name, file in loose.items():
        assert file.read_bytes() == bundle[name], name


def test_the_command_line_writes_one_certificate(tmp_path: Path) -> None:
    """`synth release` with a folder and a zip file writes the same files to both."""
    table = write(tmp_path / "t.csv", ["=sum"], [["=1+1"]] * 40)
    (tmp_path / "d.json").write_text(json.dumps(write_schema(ODD)))

    words = ["release", str(table), "--domain", str(tmp_path / "d.json"), "--epsilon", "9"]
    words += ["--budget", "9"]
    out = tmp_path / "out"
    bundle = tmp_path / "b.zip"

    assert main([*words, "--out", str(out), "--out", str(bundle)]) == 0
    files = read_bundle(bundle)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == files


HAZARDS = Domain(
    (
        Categorical(name="=sum", categories=("=1+1", "'=1", "F"), meanings={"F": "female"}),
        Boolean(name="-b", true_values=("+y", "y"), false_values=("@n",), missing=True),
        Integer(name="@i", minimum=-2, maximum=2, missing=True),
    ),
    ("--",),
)
HAZARDOUS = [["=1+1", "+y", "-1"], ["'=1", "@n", "--"], ["F", "--", "2"]]


def test_a_loose_table_is_compared_as_it_was_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`synth compare` finds the same rows in the guarded CSV, the Parquet and a plain CSV
    file.

    In the guarded file each text that a spreadsheet would run has one more apostrophe. One of
    the categories begins with an apostrophe itself.
    """
    table = write(tmp_path / "t.csv", list(HAZARDS.names), HAZARDOUS * 40)

    result = synthesize(
        Plan(domain=HAZARDS, epsilon=parse_epsilon("9"), method=Method.DENSE), table
    )

    files = result.write(tmp_path / "out")
    header, body = files["synthetic.csv"].read_text().split("\n", 1)
    assert header == "'=sum,'-b,'@i"
    assert {"'=1+1", "''=1", "'+y", "'@n", "'--"} < set(re.split("[,\n]", body))

    # The same rows without any added apostrophe.
    plain = tmp_path / "plain.csv"
    write_csv(result.synthetic.pieces(), plain, missing="--")

    reports = []
    for path in (files["synthetic.csv"], files["synthetic.parquet"], plain):
        words = [
            "compare",
            str(table),
            str(path),
            "--domain",
            str(files["domain.json"]),
            "--json",
        ]
        assert main(words) == 0
        reports.append(json.loads(capsys.readouterr().out))

    assert reports[0] == reports[1] == reports[2]


def test_a_bundle_that_cannot_be_taken_out_is_refused(tmp_path: Path) -> None:
    """If a folder lies where the certificate would be, nothing is written and no partial file
    stays.

    Names of partial files begin with a dot.
    """
    result = odd_release(tmp_path)
    path = result.write_archive(tmp_path / "b.zip")
    (tmp_path / "out" / CERTIFICATE).mkdir(parents=True)

    with pytest.raises(ReleaseError, match=r"certificate\.json' is a folder"):
        result.write(tmp_path / "out", bundle=path)

    assert not [p.name for p in (tmp_path / "out").iterdir() if p.name.startswith(".")]


# Nothing private.


def neighbour_tables(neighbors: Neighbors) -> tuple[list[list[str]], list[list[str]]]:
    changed = ["M", "99", "2.4", "2024-12-31", "no"]
    rows = ROWS * 20
    return rows, [changed, *rows[1:]] if neighbors is REPLACE else [*rows, changed]


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_with_the_noisy_values_fixed_neighbours_give_the_same_bytes(
    tmp_path: Path, still: Any, monkeypatch: pytest.MonkeyPatch, neighbors: Neighbors
) -> None:
    """If two neighbouring tables get the same noisy counts, their bundles are the same bytes.

    So a bundle has nothing of the rows but what the noisy counts say. `still` stops the clock
    and fixes all other randomness.
    """
    # These numbers are released in place of counts with noise.
    fixed = np.random.default_rng(5).integers(-3, 40, MIXED.size + 1)
    monkeypatch.setattr(
        DiscreteLaplace, "release", lambda _, exact: fixed[: len(exact)].copy()
    )

    paths = []
    for name, rows in zip("ab", neighbour_tables(neighbors), strict=True):
        still()
        paths.append(make_bundle(tmp_path, name, rows, neighbors=neighbors))

    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_with_the_noise_fixed_only_noisy_values_differ(
    tmp_path: Path, still: Any, neighbors: Neighbors
) -> None:
    """With the same noise, neighbouring tables differ in their noisy counts and what follows
    from them.

    One count differs by 1 (add-remove), or two do (replace-one), which is the sensitivity.
    `still` stops the clock and fixes all randomness.
    """
    bundles = []
    for name, rows in zip("ab", neighbour_tables(neighbors), strict=True):
        still()
        bundles.append(read_bundle(make_bundle(tmp_path, name, rows, neighbors=neighbors)))

    before, after = bundles

    # Files that are made from the noisy counts; all others are the same.
    made_of_values = {"synthetic.csv", "synthetic.parquet", "open.html", "ddi.xml"}
    made_of_values |= set(DESCRIBING)
    for name in (
        FILES - made_of_values - {"noisy_counts.csv", "certificate.json", "statement.txt"}
    ):
        assert before[name] == after[name], name

    lines = zip(
        before["noisy_counts.csv"].splitlines(),
        after["noisy_counts.csv"].splitlines(),
        strict=True,
    )
    # Each line has the labels of a cell and, after the last comma, its noisy count.
    different = [
        (line.rsplit(b",", 1), other_line.rsplit(b",", 1))
        for line, other_line in lines
        if line != other_line
    ]
    assert len(different) == neighbors.sensitivity
    for (labels, count), (other_labels, other_count) in different:
        assert labels == other_labels
        assert abs(int(count) - int(other_count)) == 1

    # `rows_fit` is how many rows fit the domain, by the noisy counts.
    may_differ = {"sha256", "ledger.head", "rows_fit"}
    if neighbors is Neighbors.ADD_REMOVE:
        may_differ |= {"rows", "number_of_rows"}
    assert list_differing(before["certificate.json"], after["certificate.json"]) <= may_differ


def list_differing(first_bytes: bytes, second_bytes: bytes) -> set[str]:
    """The fields in which two certificates differ; of the ledger, the head alone may."""
    first = json.loads(first_bytes)
    second = json.loads(second_bytes)
    differing_keys = {key for key in first if first[key] != second[key]}
    if "ledger" in differing_keys and first["ledger"]["entry"] == second["ledger"]["entry"]:
        differing_keys = differing_keys - {"ledger"} | {"ledger.head"}
    return differing_keys


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_no_exact_count_and_no_unlisted_value_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, neighbors: Neighbors
) -> None:
    """Neither a true count (1949, 1733, 1621), nor a sum of two, nor a value outside the
    domain is in any file.

    The number of all rows, 5303, is public under replace-one only.
    """
    domain = Domain((Categorical(name="sex", categories=("F", "M"), missing=True),))
    monkeypatch.setattr(
        DiscreteLaplace, "release", lambda _, exact: np.arange(5, 5 + len(exact))
    )

    # "ZEBRA" is not declared.
    rows = [["F"]] * 1949 + [["M"]] * 1733 + [["ZEBRA"]] * 1621
    path = make_bundle(tmp_path, "confidential", rows, domain=domain, neighbors=neighbors)

    for name, content in read_bundle(path).items():
        text = content.decode() if not name.endswith("parquet") else repr(content)
        # Scripts of the report, among them plotly.js, hold numbers of their own.
        text = re.sub(r"<script.*?</script>", "", text, flags=re.S)
        assert "ZEBRA" not in text
        assert "confidential.csv" not in text

        secrets = {"1949", "1733", "1621", "3682", "3354", "3570"}
        if neighbors is Neighbors.ADD_REMOVE:
            secrets.add("5303")
        # Numbers that are no part of a digest.
        numbers = set(re.findall(r"(?<![0-9a-f])[0-9]+(?![0-9a-f])", text.replace(",", "")))
        assert not secrets & numbers, name


def test_a_release_must_be_told_where_to_go(tmp_path: Path, capsys: Any) -> None:
    """`synth release` without a place to write is refused, with the three kinds of
    names.
    """
    domain = tmp_path / "d.json"
    domain.write_bytes(b'{"fields": [{"name": "a", "type": "boolean"}]}')

    assert main(["release", "t.csv", "--domain", str(domain), "--epsilon", "1"]) == 2
    assert capsys.readouterr().err == (
        "Choose where to write the results: --out FOLDER, --out FILE.zip for one bundle, or "
        "--out FILE.csv for rows with the certificate next to them.\n"
    )


@pytest.mark.parametrize("table", PARTED)
def test_a_disk_that_fills_between_pieces_leaves_no_half_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    """If the disk is full at the fourth of ten pieces of 100 rows, no part of the table
    stays.

    `table` is the file that is being written, CSV or Parquet.
    """
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 100)
    pieces = iter(range(100))
    decoded = draw.decode_columns

    def filled(*arguments: Any, **options: Any) -> Any:
        if next(pieces) == 3:
            raise OSError(28, "No space left on device")
        return decoded(*arguments, **options)

    plan = Plan(domain=ODD, epsilon=parse_epsilon("9"), method=Method.INDEPENDENT)
    result = synthesize(plan, write(tmp_path / "t.csv", ["=sum"], [["=1+1"]] * 1_000))

    # The fourth piece of decoded rows raises the error of a full disk.
    monkeypatch.setattr(draw, "decode_columns", filled)
    one_writer = {table: rows_writers(result.synthetic)[table]}

    with pytest.raises(ReleaseError, match=r"^The file '.*synthetic.*' cannot be written\.$"):
        write_files(tmp_path / "out", one_writer, result.certificate)
    assert not list((tmp_path / "out").glob("*synthetic*"))


def test_a_folder_as_a_whole_has_a_name_that_nobody_foresees(tmp_path: Path) -> None:
    """The temporary folder of a write has a random name, which another user cannot occupy
    before.

    It lies beside the folder whose place it takes, and is gone afterwards. A name with the
    number of the process (`foreseen`) could be guessed.
    """
    (tmp_path / "whole").mkdir()

    with whole_folder(tmp_path / "whole") as part:
        foreseen = tmp_path / f".whole.{os.getpid()}.part"
        assert (part.parent, part != foreseen) == (tmp_path, True)

    assert [path.name for path in tmp_path.iterdir()] == ["whole"]


def test_a_folder_of_the_same_content_stays_and_of_another_is_refused(tmp_path: Path) -> None:
    """A folder is written as a whole: one of the same content stays, and one of another is
    refused.

    `st_ino` is the number of the file on the disk, which shows that it was not written anew.
    """

    def write(text: str) -> None:
        with whole_folder(tmp_path / "whole", Protection(overwrite=True)) as part:
            (part / "parts").mkdir()
            (part / "parts" / "1").write_text(text)

    write("a")
    written = (tmp_path / "whole" / "parts" / "1").stat().st_ino
    write("a")

    for text in ("b", "ab"):
        with pytest.raises(ReleaseError, match="There is something at"):
            write(text)

    kept_file = tmp_path / "whole" / "parts" / "1"
    assert (kept_file.read_text(), kept_file.stat().st_ino) == ("a", written)
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]
