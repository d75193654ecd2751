"""The bundle: one zip, the same bytes for the same release, whole or refused."""

import json
import zipfile
import zlib
from fractions import Fraction
from pathlib import Path

import pytest

from synth import limits
from synth.bundle import read_archive, read_folder
from synth.bundle.archive import Archive
from synth.cli.main import main
from synth.domain import Categorical, Domain, Integer
from synth.door import Ledger
from synth.errors import ReleaseError
from synth.foreign import Folder
from synth.plans import Method, Plan
from synth.privacy import parse_epsilon
from synth.spending import synthesize
from synth.verification import verify
from tests.bundle.bundles import FILES, make_bundle, read_bundle, rezip
from tests.tables import MIXED


def test_a_bundle_holds_its_files_and_verifies(bundle_path: Path) -> None:
    """A bundle of a histogram holds the published list of files and passes all checks.

    `verify` says eight sentences of it with its ledger, and draws its rows again in any case.
    """
    assert set(read_bundle(bundle_path)) == FILES

    checked = verify(bundle_path, Ledger(bundle_path.with_suffix(".db"), readonly=True))
    assert len(checked.checks) == 7
    assert not [check for check in checked.checks if "not drawn again" in check]


def test_the_zip_is_the_same_for_the_same_release(bundle_path: Path, tmp_path: Path) -> None:
    """A release that is asked for again is repeated from the ledger and writes the same
    bytes.
    """
    folder = bundle_path.parent
    plan = Plan(
        domain=MIXED, epsilon=parse_epsilon("1"), dataset="survey", method=Method.DENSE
    )
    ledger = Ledger(folder / "b.db")

    again = synthesize(plan, folder / "b.csv", ledger=ledger)
    assert again.repeated

    assert (
        again.write_archive(tmp_path / "c.zip", ledger).read_bytes()
        == bundle_path.read_bytes()
    )


def test_the_files_of_a_zip_are_packed_at_its_level(bundle_path: Path) -> None:
    """Every file is packed at level 4, which takes half as long as the usual 6."""
    with zipfile.ZipFile(bundle_path) as archive:
        packed_sizes = {info.filename: info.compress_size for info in archive.infolist()}
        contents = {name: archive.read(name) for name in packed_sizes}
    for level, is_used in ((4, True), (6, False)):
        expected = {
            name: len(zlib.compress(content, level, wbits=-15))
            for name, content in contents.items()
        }
        assert (packed_sizes == expected) is is_used


HOSTILE = ("\uff1d1+1", "\u200b=1", "=1+1", "\u2212x", "'\tx", "F")


@pytest.mark.parametrize("method", [Method.DENSE, Method.TREE])
def test_a_bundle_of_hostile_texts_is_guarded_and_verifies(
    tmp_path: Path, method: Method
) -> None:
    """Texts that a spreadsheet would run get an apostrophe in CSV files, and the bundle
    verifies.

    Among them are a full-width equals sign (bytes EF BC 9D) and an apostrophe before a tab.
    """
    column = Categorical(name="\uff1dsum", categories=HOSTILE)
    domain = Domain((column, Integer(name="n", minimum=0, maximum=2)), ("", "\uff1d"))
    rows = [[text, "1"] for text in HOSTILE] * 200  # so many that noise hides none of them
    delta = Fraction("1.0000001e-9") if method == Method.TREE else Fraction(0)

    bundle = make_bundle(tmp_path, rows=rows, domain=domain, method=method, delta=delta)
    assert verify(bundle, Ledger(tmp_path / "b.db")).domain == domain

    files = read_bundle(bundle)
    assert b"'\xef\xbc\x9d1+1" in files["synthetic.csv"]
    assert b"''\tx" in files["noisy_counts.csv"]
    assert b"rounded up" in files["statement.txt"]


def test_what_is_no_zip(
    tmp_path: Path, bundle_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cut file, a missing file, and a zip with two files of one name are each refused.

    The error says what is wrong, in a sentence.
    """
    cut = tmp_path / "cut.zip"
    cut.write_bytes(bundle_path.read_bytes()[:5000])
    for path, sentence in (
        (cut, "'cut.zip' is not a whole zip file."),
        (tmp_path / "a", "There is no file"),
        (cut / "below", "There is no file"),
    ):
        assert main(["verify", str(path)]) == 2
        assert sentence in capsys.readouterr().err

    with (
        pytest.raises(ReleaseError, match="two files of the same name"),
        pytest.warns(UserWarning, match="Duplicate"),
    ):
        write_twice(tmp_path / "twice.zip")


def write_twice(path: Path) -> None:
    """Write a zip file with two files of the same name, and read it as a bundle."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("certificate.json", b"1")
        archive.writestr("certificate.json", b"2")
    read_archive(path)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small zip file that unpacks to 2 MB of zeros is refused where 1 MB is the limit."""
    monkeypatch.setattr("synth.limits.BUNDLE_MB", 1)
    bomb = rezip(tmp_path / "bomb.zip", {"certificate.json": bytes(2 * 2**20)})
    with pytest.raises(ReleaseError, match="unpacks to more than 1 MB"):
        read_archive(bomb)


def test_a_folder_is_read_like_a_zip(bundle_path: Path, tmp_path: Path) -> None:
    """An unpacked bundle is read as the same files as its zip file."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, content in read_bundle(bundle_path).items():
        (folder / name).write_bytes(content)

    folder_files = read_folder(folder)
    zip_files = read_archive(bundle_path)
    assert {name: folder_files[name] for name in folder_files} == {
        name: zip_files[name] for name in zip_files
    }


@pytest.mark.parametrize(
    ("limit", "limit_value", "sentence"),
    [
        ("BUNDLE_FILES", 1, "The folder holds more than 1 files."),
        ("BUNDLE_MB", 0, "The folder holds more than 0 MB."),
    ],
)
def test_a_folder_of_too_much_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    limit_value: int,
    sentence: str,
) -> None:
    """A folder with more files or bytes than a bundle may have is refused with the limit.

    It holds two listed files of one byte, and the limit is one file, or 0 MB.
    """
    certificate = {"format": "synth-certificate-", "sha256": {"a": "", "b": ""}}
    (tmp_path / "certificate.json").write_text(json.dumps(certificate))
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").write_bytes(b"2")
    monkeypatch.setattr(limits, limit, limit_value)

    with pytest.raises(ReleaseError) as caught:
        read_folder(tmp_path)
    assert str(caught.value) == sentence


def test_a_folder_in_a_folder_is_refused(tmp_path: Path) -> None:
    """A certificate that lists a folder is refused, and so is a folder that does not
    exist.
    """
    certificate = {"format": "synth-certificate-", "sha256": {"inside": ""}}
    (tmp_path / "certificate.json").write_text(json.dumps(certificate))
    (tmp_path / "inside").mkdir()

    with pytest.raises(ReleaseError) as caught:
        read_folder(tmp_path)
    assert str(caught.value) == "The folder holds 'inside', which is no file."

    # A folder that is not there.
    with pytest.raises(ReleaseError) as caught:
        read_folder(tmp_path / "nowhere")
    sentence = (
        f"The folder '{tmp_path / 'nowhere'}' cannot be read; check that you may open it."
    )
    assert str(caught.value) == sentence


def test_files_beside_a_certificate_are_not_copied(tmp_path: Path) -> None:
    """Only files that the certificate lists are read from a folder; others are merely named.

    A steward may write a release next to the confidential table. `.DS_Store` is not even
    named.
    """
    certificate = {"format": "synth-certificate-", "sha256": {"a": ""}}
    (tmp_path / "certificate.json").write_text(json.dumps(certificate))
    for name in ("a", "people.csv", ".DS_Store"):
        (tmp_path / name).write_bytes(b"1")

    archive = read_folder(tmp_path)
    assert set(archive) == {"a", "certificate.json"}
    assert archive.other_names == ("people.csv",)
    # The copy holds the two files of the bundle.
    assert len([*archive.keeper.path.iterdir()]) == 2


def test_what_may_not_be_opened_is_said_to_be_that(
    bundle_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file or folder without permission is said to be that, and not to be a damaged
    bundle.
    """

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("synth.bundle.archive.open_file", refuse)
    with pytest.raises(
        ReleaseError, match=r"' cannot be read; check that you may open it\.$"
    ):
        read_archive(bundle_path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(
        ReleaseError, match=r"^The folder '.*' cannot be read; check that you may"
    ):
        read_folder(bundle_path.parent)


def test_a_table_larger_than_any_record_is_in_the_bundle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A table may be larger than the limit of records, as it is read in pieces.

    Only read as a whole it is refused. Here the limit is 0 MB, and the table has four bytes.
    """
    folder = Folder()
    (folder.path / "0").write_bytes(b"long")
    archive = Archive(folder, ["synthetic.csv"])
    monkeypatch.setattr(limits, "RECORD_MB", 0)

    assert "synthetic.csv" in archive
    assert "other.csv" not in archive
    with pytest.raises(
        ReleaseError, match=r"^'synthetic\.csv' in the bundle is larger than 0 MB"
    ):
        archive["synthetic.csv"]
    folder.remove()
