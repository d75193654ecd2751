"""The certificate: read as it was written and in no other way, and its published schemas."""

import json
import zipfile
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from synth.bundle import (
    Certificate,
    MarginalsCertificate,
    ReleaseCertificate,
    SpendOfScore,
    record_score,
    schema,
    with_score,
)
from synth.bundle import certificate as certificates
from synth.bundle.certificate import FORMS, WRITTEN, schema_path
from synth.bundle.certificate_parts import MarginalsMechanism
from synth.bundle.typed_json import hints
from synth.errors import OtherVersionError, ReleaseError
from synth.estimate import RECIPES, Method

GOLDEN = Path(__file__).parents[1] / "golden" / "bundles"


def golden(name: str) -> bytes:
    """The certificate of a bundle that `tests.golden.make` made."""
    with zipfile.ZipFile(GOLDEN / f"{name}.zip") as archive:
        return archive.read("certificate.json")


@pytest.mark.parametrize("kind", FORMS)
def test_the_published_schemas_are_made_from_the_classes(kind: type[Certificate]) -> None:
    """Byte for byte: they are part of bundles, which verify only while they stay as they
    are.
    """
    text = schema_path(kind).read_bytes()
    assert text == schema.schema_text(kind).encode()
    Draft202012Validator.check_schema(json.loads(text))


def test_the_schemas_can_be_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "SCHEMAS", tmp_path)
    schema.main()
    names = {
        "certificate.schema.json",
        "certificate.model.schema.json",
        "certificate.answers.schema.json",
        "certificate.drawn.schema.json",
        "certificate.linked.schema.json",
    }
    assert {path.name for path in tmp_path.iterdir()} == names


def test_the_schema_names_every_strategy_that_is_followed() -> None:
    named = schema.schema(hints(MarginalsMechanism)["strategy"])["enum"]
    assert {*named} == {*RECIPES} - {
        Method.AUTO,
        Method.DENSE,
    }


def test_every_field_has_its_place() -> None:
    named = {one.name for kind in FORMS for one in fields(kind)}
    assert named == {*WRITTEN}
    assert len(named) == len(WRITTEN)


@pytest.mark.parametrize("name", ["histogram", "model"])
def test_a_certificate_is_written_as_it_was_read(name: str) -> None:
    content = golden(name)
    read = Certificate.from_json(json.loads(content))
    assert read.to_bytes() == content
    assert isinstance(read, MarginalsCertificate) == (name == "model")
    assert isinstance(read, ReleaseCertificate)
    scored = with_score(
        read,
        record_score(
            3, 5, 400, spend=SpendOfScore(epsilon=Fraction(1, 8), sensitivity=2, entry=2)
        ),
    )
    assert Certificate.from_json(json.loads(scored.to_bytes())) == scored
    assert list(scored.to_json())[-3:] == ["versions", "scores", "sha256"]


def placed(*path: str | int, value: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        content[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("name", "change", "place"),
    [
        ("histogram", placed("guarantee", "epsilon", value="2/2"), "guarantee.epsilon"),
        ("histogram", placed("guarantee", "epsilon", value="1\n"), "guarantee.epsilon"),
        ("histogram", placed("mechanism", "scale", value="02"), "mechanism.scale"),
        ("histogram", placed("rows", value=20000.0), "rows"),
        ("histogram", placed("ledger", "entry", value=2.0), "ledger"),
        ("model", placed("mechanism", "spent", value={"rho": "2/4"}), "mechanism.spent"),
        (
            "model",
            placed("mechanism", "marginals", 0, "noise", "scale", value="2/4"),
            "mechanism.marginals.0.noise",
        ),
        # What the published schema refuses by itself.
        ("histogram", placed("rows", value=True), "rows"),
        ("histogram", placed("max_rows", value=None), "max_rows"),
        ("histogram", placed("declaration", value=None), "declaration"),
        ("model", placed("algorithm", value=0), "algorithm"),
        ("histogram", placed("repair", value=None), "repair"),
        (
            "model",
            placed("mechanism", "marginals", 0, "columns", value="sex"),
            "mechanism.marginals.0.columns",
        ),
    ],
)
def test_what_is_not_written_so_is_refused(
    name: str, change: Callable[[Any], None], place: str
) -> None:
    """Numbers are exact and have one form each."""
    content = json.loads(golden(name))
    change(content)
    with pytest.raises(ReleaseError) as caught:
        Certificate.from_json(content)
    assert str(caught.value) == (
        f"The certificate does not have the published form: '{place}' does not match the "
        "published schema."
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: c.pop("mechanism"), "a part is missing"),
        (lambda c: c.pop("caveats"), "a part is missing"),
        (lambda c: c.pop("algorithm"), "a part is missing"),
        (lambda c: c.update(favour="associations"), "it claims too much"),
        (lambda c: c.update(approved="by everybody"), "it claims too much"),
        (lambda c: c["drawing"].update(x=1), "'drawing' claims too much"),
    ],
)
def test_what_lacks_a_part_or_has_one_more_is_refused(
    change: Callable[[Any], None], why: str
) -> None:
    content = json.loads(golden("histogram"))
    change(content)
    with pytest.raises(ReleaseError, match=f"the published form: {why}"):
        Certificate.from_json(content)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("number", ["0", "9", "3-first"])
def test_the_form_of_another_version_is_said_to_be_that(
    kind: type[Certificate], number: str
) -> None:
    form = f"{kind.format[:-1]}{number}"
    with pytest.raises(
        OtherVersionError, match=f"the form '{form}', which this version of Synth"
    ):
        Certificate.from_json({"format": form})


@pytest.mark.parametrize(
    "form",
    [None, 2, "synth-certificate", "synth-certificate-" + "9" * 41, "synth-certificate-\x1b"],
)
def test_what_has_no_form_was_not_made_by_synth(form: object) -> None:
    with pytest.raises(ReleaseError, match="The certificate was not made by Synth") as caught:
        Certificate.from_json({"format": form})
    assert not isinstance(caught.value, OtherVersionError)
