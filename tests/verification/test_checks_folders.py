"""Folders of a release are checked like its bundle; what is no bundle makes no claim at
all.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

import synth
from synth.bundle import PARQUET, SYNTHETIC, Result, export, formats_named
from synth.door import Ledger
from synth.errors import NotBundleError, RefutedError, ReleaseError
from synth.plans import Method
from synth.verification import open_bundle, verify
from synth.verification.verdict import Verdict
from tests.bundle.bundles import read_bundle, release_of, rezip


@pytest.fixture(scope="module")
def result_and_ledger(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Ledger]:
    """A release of eleven rows by histogram, and the ledger that paid for it."""
    return release_of(tmp_path_factory.mktemp("folder"))


@pytest.fixture
def folder(result_and_ledger: tuple[Result, Ledger], tmp_path: Path) -> Path:
    """A new folder with the files of that release."""
    result, ledger = result_and_ledger
    result.write(tmp_path / "out", ledger)
    return tmp_path / "out"


@pytest.mark.parametrize("method", [Method.DENSE, Method.TREE])
@pytest.mark.first_case
def test_a_folder_of_a_release_is_confirmed(tmp_path: Path, method: Method) -> None:
    """A release that was written to a folder is confirmed and opened as its zip file would
    be.

    With the ledger and with rows drawn again, nothing stays unchecked.
    """
    result, ledger = release_of(tmp_path, method=method)
    result.write(tmp_path / "out", ledger, formats_named("sav,xlsx"))

    checked = verify(tmp_path / "out", ledger, redraw=True)
    assert (checked.verdict, checked.not_checked) == (Verdict.CONFIRMED, ())

    assert open_bundle(tmp_path / "out").synthetic.table == result.synthetic.table
    assert synth.analyse(tmp_path / "out").domain == result.plan.domain


@pytest.mark.slow
def test_a_folder_beside_a_bundle_is_confirmed(
    result_and_ledger: tuple[Result, Ledger], tmp_path: Path
) -> None:
    """A release may be written as a zip file and as a folder, and both have the same
    certificate.
    """
    result, ledger = result_and_ledger
    bundle = result.write_archive(tmp_path / "b.zip", ledger)
    result.write(tmp_path / "out", ledger, bundle=bundle)

    assert verify(tmp_path / "out", ledger).verdict == Verdict.CONFIRMED
    assert verify(tmp_path / "out").archive.digest == verify(bundle).archive.digest


def test_a_file_beside_a_release_is_not_checked_and_refutes_nothing(
    result_and_ledger: tuple[Result, Ledger], folder: Path
) -> None:
    """Files that the certificate does not list stay unchecked, and refute nothing.

    Up to three of the four names are told, in order. `.DS_Store`, which macOS adds, does not
    count.
    """
    for name in ("people.csv", "a", "b", "c", ".DS_Store"):
        (folder / name).write_text("x")

    checked = verify(folder, result_and_ledger[1])
    assert checked.not_checked == (
        "The folder also holds files that the certificate does not list, and they were not "
        "checked: 'a', 'b', 'c' and 1 more.",
    )

    # Without the ledger the folder is accepted as well.
    assert isinstance(checked, type(verify(folder)))


def test_a_changed_folder_is_refuted(folder: Path) -> None:
    """A folder that lacks a file, or has a broken certificate, is refuted as a zip file would
    be.
    """
    (folder / "plan.json").unlink()
    with pytest.raises(RefutedError, match=r"^The bundle lacks the file 'plan\.json'\.$"):
        verify(folder)

    (folder / "certificate.json").write_text('{"format": "synth-certificate-model-4", ')
    with pytest.raises(
        RefutedError, match=r"^'certificate\.json' in the bundle is not valid JSON"
    ):
        verify(folder)


WITHOUT = "the zip file has no 'certificate.json'"
FOREIGN = "its 'certificate.json' is not one of Synth, or is damaged"


def _write_foreign(folder: Path, bundle_path: Path) -> dict[Path, str]:
    """Files and folders that are no bundle, and why."""
    files = read_bundle(bundle_path)
    (folder / "empty").mkdir()
    (folder / "data").mkdir()
    (folder / "data/people.csv").write_text("a,b\n1,2\n")
    (folder / "bundles").mkdir()
    shutil.copyfile(bundle_path, folder / "bundles/b.zip")
    (folder / "other").mkdir()
    (folder / "other/certificate.json").write_text(json.dumps({"issuer": "somebody"}))
    (folder / "text.txt").write_text("hello")
    (folder / "empty.csv").touch()
    unsigned = {
        name: content for name, content in files.items() if name != "certificate.json"
    }
    document = {"[Content_Types].xml": b"", "word/document.xml": b""}
    return {
        folder / "empty": "the folder has no 'certificate.json'",
        folder / "data": "the folder has no 'certificate.json'",
        folder
        / "bundles": "the folder has no 'certificate.json'; name one of the zip files in it",
        folder / "other": FOREIGN,
        folder / "text.txt": "it is no zip file",
        folder / "empty.csv": "it is no zip file",
        rezip(folder / "empty.zip", {}): WITHOUT,
        rezip(folder / "one.zip", {"a.txt": b"a"}): WITHOUT,
        rezip(folder / "letter.docx", document): WITHOUT,
        rezip(
            folder / "a-1-py3-none-any.whl", {"a/__init__.py": b"", "a-1/RECORD": b""}
        ): WITHOUT,
        rezip(folder / "unsigned.zip", unsigned): WITHOUT,
        rezip(folder / "inner.zip", {"b.zip": bundle_path.read_bytes()}): (
            f"{WITHOUT}; it holds another zip file, so unpack it first"
        ),
        rezip(folder / "other.zip", {"certificate.json": b"-----BEGIN"}): FOREIGN,
        rezip(folder / "broken.zip", files | {"certificate.json": b"{"}): FOREIGN,
    }


def test_what_is_no_bundle_is_not_refuted(bundle_path: Path, tmp_path: Path) -> None:
    """A file that was never a bundle is no forgery: the error says what it lacks and is no
    refutation.

    `_write_foreign` writes folders, texts and zip files, and returns why each is no bundle.
    """
    for path, why in _write_foreign(tmp_path, bundle_path).items():
        with pytest.raises(NotBundleError) as caught:
            synth.verify(path)
        assert str(caught.value).startswith(
            f"'{path.name}' is not a bundle of Synth: {why}; "
        )
        assert not isinstance(caught.value, RefutedError)

        # The other functions that take a bundle refuse it in the same way.
        for function in (synth.open_bundle, synth.analyse):
            with pytest.raises(ReleaseError, match="bundle") as again:
                function(path)
            assert not isinstance(again.value, RefutedError)


def test_exported_rows_are_sent_to_their_bundle(
    result_and_ledger: tuple[Result, Ledger], tmp_path: Path
) -> None:
    """Who verifies an exported Excel file is told to name the bundle and give the file by
    `--file`.
    """
    (kind,) = formats_named("xlsx")
    rows = export(result_and_ledger[0].synthetic, kind, tmp_path / "rows.xlsx")
    with pytest.raises(
        NotBundleError, match=r"check exported rows by 'verify BUNDLE\.zip --file'"
    ):
        verify(rows)


def test_a_path_that_cannot_be_opened(tmp_path: Path) -> None:
    """A pipe, a missing file and an impossible name are each refused in a sentence, without
    waiting.

    A name may not hold a NUL character, nor have more than 255.
    """
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        synth.SynthError, match="is a pipe, a device or a folder; expected a file"
    ):
        verify(tmp_path / "pipe")

    for name in ("nowhere", "with\0nul", f"{'x' * 300}"):
        with pytest.raises(
            synth.SynthError, match=r"^There is no file|cannot be (read|the name)"
        ):
            verify(tmp_path / name)


def test_the_rows_of_a_folder_are_read_from_both_files(folder: Path) -> None:
    """A folder without its Parquet file is refuted, although its CSV file has the same
    rows.
    """
    (folder / PARQUET).unlink()
    with pytest.raises(RefutedError, match="lacks the file"):
        verify(folder)
    assert (folder / SYNTHETIC).exists()
