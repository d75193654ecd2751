"""Replicates as files: all of them with their digests, or none."""

import errno
import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pyreadstat
import pytest

from synth.analysis import replicate
from synth.api.frames import frame_of
from synth.bundle import (
    CSV,
    FORMATS,
    ReplicaFiles,
    Result,
    check_replicates,
    replica_formats,
    replicas,
    sha256,
    warn_unmeasured,
    write_replicates,
)
from synth.errors import ArgumentError, LimitError, ReleaseError
from synth.verification import open_bundle
from tests.analysis.releases import histogram_release, marginals_release
from tests.bundle.bundles import make_bundle

SEEDS = (11, 12, 13)
DIGEST = "ab" * 32


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A release of 900 rows by histogram, of which replicates can be made."""
    rows = [
        ["FM"[n % 2], str(n % 100), str(n % 25 / 10), "2024-02-03", "yes"] for n in range(900)
    ]
    return open_bundle(make_bundle(tmp_path_factory.mktemp("made"), rows=rows)).result


def test_a_folder_of_tables(result: Result, tmp_path: Path) -> None:
    """Replicates are whole synthetic tables from other seeds, here three in two formats.

    The folder has them and a list of their digests and seeds. Each is the table that its seed
    gives.
    """
    progress_seen: list[tuple[int, int]] = []
    folder = tmp_path / "tables"
    paths = write_replicates(
        result,
        DIGEST,
        SEEDS,
        files=ReplicaFiles(folder=folder, formats=replica_formats("csv,sav")),
        progress=lambda *done: progress_seen.append(done),
    )
    assert progress_seen == [(1, 3), (2, 3), (3, 3)]

    names = {f"replicate_{n}.{kind}" for n in (1, 2, 3) for kind in ("csv", "sav")}
    assert paths.keys() == names | {"replicates.json"}

    content = json.loads(paths["replicates.json"].read_text(encoding="utf-8"))
    assert content["certificate_sha256"] == DIGEST
    assert content["relations"].startswith("Relations measured: all")
    assert content["not_measured_together"] == []

    digests = {
        name: digest
        for table in content["tables"]
        for name, digest in table["sha256"].items()
    }
    assert digests == {name: sha256(paths[name]) for name in names}
    # No two tables are the same.
    assert len(set(digests.values())) == 6
    assert [table["seed"] for table in content["tables"]] == list(map(str, SEEDS))

    # The second table has the sexes that its seed gives, in CSV and with labels in SPSS.
    frame = pd.read_csv(paths["replicate_2.csv"])
    expected = replicate(result.plan, result.record, result.synthetic.rows, seed=SEEDS[1])
    expected_sexes = frame_of(expected)["sex"].astype(object)
    assert frame["sex"].fillna("").tolist() == expected_sexes.fillna("").tolist()
    labelled, _ = pyreadstat.read_sav(paths["replicate_2.sav"], apply_value_formats=True)
    assert labelled["sex"].value_counts().to_dict() == frame["sex"].value_counts().to_dict()


def test_a_folder_with_something_in_it_is_left_alone(result: Result, tmp_path: Path) -> None:
    """Replicates are not written over a folder with files, a file, or a link that leads
    nowhere.

    An empty folder is taken: it gets two tables and their list.
    """
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    for taken in (tmp_path, tmp_path / "file", tmp_path / "link"):
        with pytest.raises(
            ReleaseError, match=r"^There is something at '.*' already; name a fol"
        ):
            check_replicates(result, (CSV,), taken)

    (tmp_path / "empty").mkdir()
    assert (
        len(
            write_replicates(
                result, DIGEST, SEEDS[:2], files=ReplicaFiles(folder=tmp_path / "empty")
            )
        )
        == 3
    )


def test_a_full_disk_leaves_nothing(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the disk is full at the second of three tables, no file stays."""

    def full(path: Path) -> str:
        if path.name == "replicate_2.csv":
            raise OSError(errno.ENOSPC, "No space left on device")
        return "ab"

    monkeypatch.setattr(replicas, "sha256", full)
    with pytest.raises(
        ReleaseError, match=r"^The tables cannot be written to '.*tables': is"
    ):
        write_replicates(
            result, DIGEST, SEEDS, files=ReplicaFiles(folder=tmp_path / "tables")
        )

    assert not [*tmp_path.iterdir()]


def test_stopping_leaves_nothing(result: Result, tmp_path: Path) -> None:
    """Who stops Synth (Ctrl-C) after the first table finds no file left."""
    stopped = Mock(side_effect=KeyboardInterrupt)

    with pytest.raises(KeyboardInterrupt):
        write_replicates(
            result,
            DIGEST,
            SEEDS,
            files=ReplicaFiles(folder=tmp_path / "tables"),
            progress=stopped,
        )

    assert not [*tmp_path.iterdir()]


def test_a_table_too_large_for_a_sheet_is_refused_before_any_is_made(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """900 rows are too many for an Excel sheet of at most seven, so no table is written at
    all.
    """
    monkeypatch.setitem(FORMATS, "xlsx", replace(FORMATS["xlsx"], max_rows=7))

    with pytest.raises(LimitError, match="do not fit in a file for Excel"):
        write_replicates(
            result,
            DIGEST,
            SEEDS,
            files=ReplicaFiles(
                folder=tmp_path / "tables", formats=replica_formats("csv,xlsx")
            ),
        )

    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("words", ["", " , ", "doc", "csv,doc"])
def test_formats_that_are_none(words: str) -> None:
    with pytest.raises(ArgumentError, match=r"^Tables are written as csv, xlsx, sav"):
        replica_formats(words)


def test_columns_that_were_not_measured_together_are_named() -> None:
    """A release that measured single columns alone warns about every pair of columns.

    Four columns make six pairs, of which five are named. A histogram measured all together.
    """
    assert warn_unmeasured(histogram_release()) == ""

    columns = tuple(
        measured for measured in marginals_release().measured if len(measured[0]) == 1
    )
    assert warn_unmeasured(replace(marginals_release(), measured=columns)) == (
        "The release did not measure these columns together, so intervals about both of them "
        "do not hold: age and hours, age and sex, age and job, hours and sex, hours and job "
        "and 1 more. replicates.json names all."
    )
