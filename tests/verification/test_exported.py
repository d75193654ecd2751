"""Exported files that a bundle holds, or that lie elsewhere, and every way to tamper with
them.
"""

import json
from pathlib import Path

import pytest

from synth.bundle import CERTIFICATE, FORMATS, export, manifest, sha256
from synth.errors import ReleaseError
from synth.verification import check_exported, open_bundle, verify
from tests.bundle.bundles import read_bundle, replace_signed, rezip

CHOSEN = (FORMATS["sav"], FORMATS["xpt"])


@pytest.fixture(scope="module")
def exported(bundle_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle with files for SPSS and SAS."""
    path = tmp_path_factory.mktemp("exported") / "b.zip"
    return open_bundle(bundle_path).result.write_archive(path, formats=CHOSEN)


def test_a_bundle_with_other_formats(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files for SPSS and SAS are written again and compared, and a changed one is refused.

    They are not compared if another version of the package wrote them.
    """
    checked = verify(exported)
    assert {f"'{kind.file}' holds the synthetic rows." for kind in CHOSEN} <= {
        *checked.confirmed
    }
    assert {"pyreadstat"} <= set(checked.certificate.versions)

    # One bit near the end of the SPSS file differs; its digest is made anew.
    files = read_bundle(exported)
    data = bytearray(files["synthetic.sav"])
    data[-9] ^= 1
    replace_signed(files, "synthetic.sav", bytes(data))
    with pytest.raises(ReleaseError, match=r"'synthetic.sav' does not contain the synthetic"):
        verify(rezip(tmp_path / "forged.zip", files))

    files = read_bundle(exported)
    replace_signed(files, "formats.txt", b"Nothing is lost.\n")
    with pytest.raises(
        ReleaseError, match=r"'formats.txt' does not match the domain and the formats"
    ):
        verify(rezip(tmp_path / "notes.zip", files))

    # Now another version of pyreadstat seems to be installed.
    monkeypatch.setattr("synth.verification.exported.version", lambda _: "0.1")
    assert verify(exported).not_checked[:2] == tuple(
        f"'{kind.file}' was written by another version of pyreadstat and was not written "
        "again."
        for kind in CHOSEN
    )


WHICH_VERSION = (
    "'rows.dta.json' does not name the version of the package that wrote the file."
)


def test_a_file_that_was_exported_afterwards(bundle_path: Path, tmp_path: Path) -> None:
    """A Stata file that was exported after the release is compared with the synthetic rows.

    If a manifest (FILE.json) lies beside it, that must belong to the file and the bundle.
    """
    checked = verify(bundle_path)
    path = export(checked.synthetic, FORMATS["dta"], tmp_path / "rows.dta")
    assert check_exported(checked.archive, checked.synthetic, path) == (
        "'rows.dta' holds the synthetic rows."
    )

    # The same with a manifest, which names the digest of the certificate.
    manifest_path = tmp_path / "rows.dta.json"
    digest = sha256(checked.archive.path(CERTIFICATE))
    manifest_path.write_bytes(
        manifest(path, FORMATS["dta"], checked.domain, certificate=digest)
    )
    assert check_exported(checked.archive, checked.synthetic, path).endswith(
        "synthetic rows."
    )

    # One false field of the manifest at a time.
    content = json.loads(manifest_path.read_text(encoding="utf-8"))
    for change, sentence in (
        ({"format": "x"}, "'rows.dta.json' is no manifest of an exported file."),
        ({"certificate_sha256": "0"}, "The manifest of 'rows.dta' is of another bundle."),
        ({"sha256": "0"}, "'rows.dta' does not match its manifest."),
        ({"notes": ["Nothing is lost."]}, "the manifest of 'rows.dta' says as 'notes.0'"),
        ({"kind": "sav"}, "the manifest of 'rows.dta' says as 'kind' does not follow"),
        ({"file": "all.dta"}, "the manifest of 'rows.dta' says as 'file' does not follow"),
        (
            {"approved": True},
            "The manifest of 'rows.dta' says 'approved', which Synth does not",
        ),
        ({"versions": {"pyreadstat": "approved by us"}}, WHICH_VERSION),
        ({"versions": {"pyreadstat": "1.2", "approved": "1.0"}}, WHICH_VERSION),
    ):
        manifest_path.write_text(json.dumps(content | change), encoding="utf-8")
        with pytest.raises(ReleaseError, match=sentence):
            check_exported(checked.archive, checked.synthetic, path)

    # A format that Synth does not export, and a file that is not there.
    for name, sentence in (
        ("rows.txt", "Synth does not export the format of 'rows.txt'."),
        ("none.sav", "There is no file"),
    ):
        with pytest.raises(ReleaseError, match=sentence):
            check_exported(checked.archive, checked.synthetic, tmp_path / name)
