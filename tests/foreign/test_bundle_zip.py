"""The zip of a bundle: what other programs make of it, and what is none."""

import zipfile
from pathlib import Path

import pytest

from synth.bundle import read_archive
from synth.errors import NotBundleError, ReleaseError
from synth.foreign.bundle_zip import names_in_bundle
from synth.foreign.fault import Fault
from tests.bundle.bundles import rezip

NEEDED = "certificate.json"
FILES = {NEEDED: b'{"format": "synth-certificate-"}', "plan.json": b"{}", "rows.csv": b"a"}
"""The files of a bundle, by name; the first is the one by which a bundle is known."""


@pytest.mark.parametrize(
    ("folder", "added_names"),
    [
        ("", []),
        ("release/", []),
        ("made in 2024/release/", []),
        (
            "release/",
            ["__MACOSX/release/._plan.json", "release/.DS_Store", "release/desktop.ini"],
        ),
        ("release\\", []),
        ("", ["Thumbs.db", "__MACOSX/._certificate.json"]),
    ],
)
def test_a_bundle_that_another_program_zipped_again_is_the_bundle(
    tmp_path: Path, folder: str, added_names: list[str]
) -> None:
    """A bundle that was unpacked and zipped again has the same files as before.

    Other programs may put them into a folder, write its name with a backslash, or add hidden
    files. These are passed over.
    """
    renamed = {folder + name: content for name, content in FILES.items()}
    archive = read_archive(
        rezip(tmp_path / "again.zip", renamed | dict.fromkeys(added_names, b"x"))
    )
    assert {name: archive.path(name).read_bytes() for name in archive} == FILES


def test_folders_in_a_zip_are_no_files(tmp_path: Path) -> None:
    """An entry for a folder in a zip is not taken for a file of the bundle."""
    with zipfile.ZipFile(tmp_path / "again.zip", "w") as archive:
        archive.mkdir("release")
        for name, content in FILES.items():
            archive.writestr(f"release/{name}", content)
    assert set(read_archive(tmp_path / "again.zip")) == set(FILES)


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        ([], "foreign"),
        (["a.txt"], "foreign"),
        (["[Content_Types].xml", "xl/workbook.xml"], "foreign"),
        ([f"__MACOSX/{NEEDED}"], "foreign"),
        ([NEEDED, "../x"], "names"),
        ([NEEDED, "/etc/x"], "names"),
        ([NEEDED, "c:x"], "names"),
        ([f"../{NEEDED}"], "names"),
        ([NEEDED, f"./{NEEDED}"], "names"),
        ([f"b/{NEEDED}", "b//plan.json"], "names"),
        ([NEEDED, "__MACOSX/people.csv"], "folders"),
        ([NEEDED, "more/x"], "folders"),
        ([f"a/{NEEDED}", "b/x"], "folders"),
        ([f"a/{NEEDED}", f"b/{NEEDED}"], "folders"),
    ],
)
def test_what_holds_no_bundle_or_leads_elsewhere(names: list[str], fault: str) -> None:
    """A list of file names that is no bundle, or that a bundle may not have, is refused.

    foreign: there is no certificate, so it is another zip. names: a name leads out of the
    folder or is written oddly. folders: files lie beside or below the bundle's folder.
    """
    with pytest.raises(Fault) as caught:
        names_in_bundle(names, NEEDED)
    assert caught.value.answer["fault"] == fault


def test_two_files_of_one_name_are_refused_however_their_folders_are_written(
    tmp_path: Path,
) -> None:
    """A second file of the same name, with a backslash instead of a slash, is refused.

    Otherwise two programs could read two different files from the same bundle.
    """
    files = {f"b/{name}": content for name, content in FILES.items()}
    path = rezip(tmp_path / "twice.zip", files | {"b\\rows.csv": b"forged"})
    with pytest.raises(ReleaseError, match="two files of the same name"):
        read_archive(path)


def test_a_foreign_zip_is_no_bundle_however_large_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A zip without a certificate is said to be no bundle, not to exceed a bundle's limits.

    The limits are lowered to 1 MB and one file; the zip has 2 MB in two files.
    """
    monkeypatch.setattr("synth.limits.BUNDLE_MB", 1)
    monkeypatch.setattr("synth.limits.BUNDLE_FILES", 1)
    path = rezip(tmp_path / "photos.zip", {"a": bytes(2 * 2**20), "b": b""})
    with pytest.raises(
        NotBundleError, match=r"^'photos.zip' is not a bundle of Synth: the zip fi"
    ):
        read_archive(path)


def test_an_encrypted_bundle_is_said_to_be_that(tmp_path: Path) -> None:
    """A bundle with an encrypted member is refused with the advice to unpack it."""
    path = rezip(tmp_path / "locked.zip", FILES)
    content = bytearray(path.read_bytes())
    entry = content.index(b"PK\x01\x02")
    content[entry + 8] |= 1  # the flag of the first member, in the directory at the end
    path.write_bytes(content)
    with pytest.raises(
        ReleaseError, match=r"^'locked.zip' is encrypted; unpack it, and name the "
    ):
        read_archive(path)
