"""Checked bundles of all kinds, each made once."""

import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.domain import Categorical, Decisions, Domain
from synth.dossier import Dossier, TypedAnswers, make_dossier
from synth.verification import verify
from synth.verification.verified import Verified
from tests.bundle.bundles import make_bundle

FIRST = Path(__file__).parents[1] / "golden" / "first_release"
HOSTILE = "</script><script>x()</script>"
TURNED = "a\u202eb"
HEBREW = "\u05d2\u05d9\u05dc"
CHINESE = "\u5e74"
KINDS = ("histogram", "model", "linked", "answers", "parts", "person", "hostile")

TYPED = {
    "purpose": "teaching in \u0141\u00f3d\u017a\nand <b>elsewhere</b>",
    "board_number": "EK 12/26",
}

MakeDossier = Callable[..., Dossier]


def make_by_person(folder: Path) -> Path:
    """A bundle whose guarantee protects persons, with a delta and a column left out."""
    numbers = range(900)
    frame = pd.DataFrame(
        {
            "id": [f"p{number // 2}" for number in numbers],
            "sex": ["FM"[number % 2] for number in numbers],
            "age": [number % 90 for number in numbers],
            "town": [f"t{number % 4}" for number in numbers],
        }
    )
    domain = synth.Domain(
        sex=["F", "M"],
        age=synth.Integer(0, 99, bins=5),
        town=[f"t{number}" for number in range(4)],
    )
    made = synth.release(
        frame,
        domain,
        epsilon="1/3",
        delta="1e-9",
        method="one-shot",
        neighbors="add-remove",
        person="id",
        max_rows=2,
        columns=["sex", "age", "town"],
    )
    return made.save(folder / "person.zip")


def make_hostile(folder: Path) -> Path:
    """A bundle whose names look like markup, or turn the direction of text."""
    left_out = {TURNED: "was not chosen", HEBREW: "was not chosen", CHINESE: "x"}
    domain = Domain(
        (Categorical(name=HOSTILE, categories=("<!--", "{{data}}")),),
        decisions=Decisions(left_out=left_out),
    )
    return make_bundle(folder, "hostile", [["<!--"], ["{{data}}"]] * 20, domain=domain)


def unpack_parts(folder: Path) -> Path:
    """The folder of a release in parts."""
    with zipfile.ZipFile(FIRST / "parts.zip") as archive:
        archive.extractall(folder / "parts")
    return folder / "parts"


MAKERS = {"person": make_by_person, "hostile": make_hostile, "parts": unpack_parts}


@pytest.fixture(scope="session")
def bundle_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The bundle of a kind."""

    @cache
    def make(kind: str) -> Path:
        """Make it, or take it from the first release."""
        if kind not in MAKERS:
            return FIRST / f"{kind}.zip"
        return MAKERS[kind](tmp_path_factory.mktemp(kind))

    return make


@pytest.fixture(scope="session")
def checked(bundle_of: Callable[[str], Path]) -> Callable[[str], Verified]:
    """What a check found about the bundle of a kind; rows of models are not drawn again."""

    @cache
    def check(kind: str) -> Verified:
        """Check it."""
        return verify(bundle_of(kind))

    return check


@pytest.fixture(scope="session")
def dossier_of(checked: Callable[[str], Verified]) -> Callable[[str], Dossier]:
    """The dossier of a kind, with typed answers."""

    @cache
    def make(kind: str) -> Dossier:
        """Make it."""
        return make_dossier(checked(kind), TypedAnswers(TYPED))

    return make
