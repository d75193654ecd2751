"""Names of downloads: what people read off them, and what no system takes amiss."""

import unicodedata
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from synth.bundle import base_name, clean_stem, download_name
from synth.bundle.certificate import Certificate
from tests.bundle.bundles import release_of

# Texts that a name must not keep as they are, and what becomes of each.
HOSTILE = {
    "../../etc/passwd": "passwd",
    "C:\\Users\\me\\people": "people",
    "..": "table",
    "": "table",
    "   ": "table",
    "-rf": "rf",
    ".hidden": "hidden",
    "people.": "people",
    "a\x00b\nc": "a_b_c",
    "a\u202egnp": "a_gnp",
    "a\u200bb\ufeff": "a_b",
    "CON": "CON_",
    "nul.tar": "nul_.tar",
    "com¹": "com¹_",
    '<people>: "2026"?*|': "people_2026",
    "=cmd|calc": "cmd_calc",
    "$(reboot)`x`;&": "reboot_x",
    "people 2026": "people_2026",
    "\ud800people": "people",
    "людям": "людям",
}


@pytest.mark.parametrize(("typed", "stem"), HOSTILE.items(), ids=ascii)
def test_a_hostile_name_becomes_a_harmless_one(typed: str, stem: str) -> None:
    """No path, no option, no device, no hidden sign and no sign of a shell is left."""
    assert clean_stem(typed) == stem
    assert clean_stem(stem) == stem, "a harmless name stays"


@pytest.mark.parametrize("sign", ["x", "é", "人", "🙂"])
def test_a_long_name_is_cut(sign: str) -> None:
    """A name fits every file system with all that follows it: 255 bytes."""
    stem = clean_stem(sign * 1_000 + "a")
    longest = f"{stem}_epsilon0.123456_delta1.2346e-10_2026-11-30_certificate.json"
    assert len(longest.encode()) <= 255
    assert len(stem) <= 80
    assert set(stem) <= {sign} or stem == "table"


def test_every_sign_gives_a_name_of_one_part() -> None:
    """Whatever sign is typed, the name is one part of a path everywhere, and can be seen."""
    for number in range(0x3000):
        stem = clean_stem(f"a{chr(number)}b")
        assert PureWindowsPath(stem).name == PurePosixPath(stem).name == stem
        assert not any(unicodedata.category(sign)[0] in "CZ" for sign in stem)
        assert stem


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    """The certificate of a release."""
    result, _ = release_of(tmp_path)
    return result.certificate


@pytest.mark.parametrize(
    ("epsilon", "delta", "middle"),
    [
        (Fraction(1), Fraction(0), "epsilon1"),
        (Fraction(1, 2), Fraction(1, 10**9), "epsilon0.5_delta1e-09"),
        (Fraction(1, 3), Fraction(1, 3 * 10**9), "epsilon0.3334_delta3.334e-10"),
        (Fraction(10**9), Fraction(0), "epsilon1e9"),
    ],
)
def test_a_name_tells_the_loss_and_the_day(
    certificate: Certificate, epsilon: Fraction, delta: Fraction, middle: str
) -> None:
    """Epsilon and delta are those of the guarantee, rounded up if they are long; the day is
    that of the spend.
    """
    guarantee = replace(certificate.guarantee, epsilon=epsilon, delta=delta)
    name = base_name(replace(certificate, guarantee=guarantee), "people")
    assert name == f"people_{middle}_{date.fromisoformat(certificate.created[:10])}"


def test_every_file_has_a_name_of_its_own() -> None:
    """The rows and the bundle have the base alone, the others say what they are."""
    names = ["bundle.zip", "synthetic.csv", "synthetic.parquet", "statement.txt", "ddi.xml"]
    assert [download_name("b", name) for name in names] == [
        "b.zip",
        "b.csv",
        "b.parquet",
        "b_statement.txt",
        "b_ddi.xml",
    ]
