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
from synth.bundle.published.catalogue import PUBLISHED
from synth.bundle.typed_json import hints
from synth.errors import OtherVersionError, ReleaseError
from synth.estimate import RECIPES, Method

GOLDEN = Path(__file__).parents[1] / "golden" / "bundles"


def read_golden(name: str) -> bytes:
    """The certificate of a bundle that `tests.golden.make` made."""
    with zipfile.ZipFile(GOLDEN / f"{name}.zip") as archive:
        return archive.read("certificate.json")


@pytest.mark.parametrize("kind", FORMS)
def test_the_published_schemas_are_made_from_the_classes(kind: type[Certificate]) -> None:
    """The published schema of each certificate is what its class gives, byte for byte.

    Schemas are part of bundles, which verify only while they stay as they are.
    """
    text = schema_path(kind).read_bytes()
    assert text == schema.schema_text(kind).encode()
    Draft202012Validator.check_schema(json.loads(text))


def test_the_schemas_can_be_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`schema.main` writes the schemas of the five kinds of certificate, and all others.

    It writes into `certificates.SCHEMAS` alone, so tests that register a mechanism or a
    method leave the files of the package as they are.
    """
    package_files = {path: path.stat().st_mtime_ns for path in certificates.SCHEMAS.iterdir()}
    monkeypatch.setattr(certificates, "SCHEMAS", tmp_path)

    schema.main()

    names = {
        "certificate.schema.json",
        "certificate.model.schema.json",
        "certificate.answers.schema.json",
        "certificate.drawn.schema.json",
        "certificate.linked.schema.json",
    }
    assert {path.name for path in tmp_path.iterdir()} == names | {*PUBLISHED}
    assert all(path.stat().st_mtime_ns == time for path, time in package_files.items())


def test_the_schema_names_every_strategy_that_is_followed() -> None:
    """A certificate of marginals names one of the strategies that a release can follow.

    `auto` only chooses one of them, and `dense` has certificates of another kind.
    """
    strategies = schema.schema(hints(MarginalsMechanism)["strategy"])["enum"]
    assert {*strategies} == {*RECIPES} - {
        Method.AUTO,
        Method.DENSE,
    }


def test_every_field_has_its_place() -> None:
    """`WRITTEN`, the order in which fields are written, has each field of every
    certificate once.
    """
    named_fields = {field.name for kind in FORMS for field in fields(kind)}
    assert named_fields == {*WRITTEN}
    assert len(named_fields) == len(WRITTEN)


@pytest.mark.parametrize("name", ["histogram", "model"])
def test_a_certificate_is_written_as_it_was_read(name: str) -> None:
    """A certificate that is read and written keeps every byte.

    A score is added at its place: after the versions and before the digests.
    """
    content = read_golden(name)
    certificate = Certificate.from_json(json.loads(content))
    assert certificate.to_bytes() == content

    assert isinstance(certificate, MarginalsCertificate) == (name == "model")
    assert isinstance(certificate, ReleaseCertificate)

    scored = with_score(
        certificate,
        record_score(
            3, 5, 400, spend=SpendOfScore(epsilon=Fraction(1, 8), sensitivity=2, entry=2)
        ),
    )
    assert Certificate.from_json(json.loads(scored.to_bytes())) == scored
    assert list(scored.to_json())[-3:] == ["versions", "scores", "sha256"]


def set_value(*path: str | int, value: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        content[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("name", "change", "place"),
    [
        ("histogram", set_value("guarantee", "epsilon", value="2/2"), "guarantee.epsilon"),
        ("histogram", set_value("guarantee", "epsilon", value="1\n"), "guarantee.epsilon"),
        ("histogram", set_value("mechanism", "scale", value="02"), "mechanism.scale"),
        ("histogram", set_value("rows", value=20000.0), "rows"),
        ("histogram", set_value("ledger", "entry", value=2.0), "ledger"),
        ("model", set_value("mechanism", "spent", value={"rho": "2/4"}), "mechanism.spent"),
        (
            "model",
            set_value("mechanism", "marginals", 0, "noise", "scale", value="2/4"),
            "mechanism.marginals.0.noise",
        ),
        # What the published schema refuses by itself.
        ("histogram", set_value("rows", value=True), "rows"),
        ("histogram", set_value("max_rows", value=None), "max_rows"),
        ("histogram", set_value("declaration", value=None), "declaration"),
        ("model", set_value("algorithm", value=0), "algorithm"),
        ("histogram", set_value("repair", value=None), "repair"),
        (
            "model",
            set_value("mechanism", "marginals", 0, "columns", value="sex"),
            "mechanism.marginals.0.columns",
        ),
    ],
)
def test_what_is_not_written_so_is_refused(
    name: str, change: Callable[[Any], None], place: str
) -> None:
    """A certificate is refused if a number has another form than Synth writes, or a value
    another type.

    2/2 for 1, 02 for 2 and 20000.0 for 20000 are other forms. `place` is the path of the
    value.
    """
    content = json.loads(read_golden(name))
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
    """A certificate that lacks a part, or has one that Synth does not write, is refused.

    A favour belongs to certificates of models, and this one is of a histogram.
    """
    content = json.loads(read_golden("histogram"))
    change(content)

    with pytest.raises(ReleaseError, match=f"the published form: {why}"):
        Certificate.from_json(content)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("number", ["0", "9", "3-first"])
def test_the_form_of_another_version_is_said_to_be_that(
    kind: type[Certificate], number: str
) -> None:
    """A certificate of an earlier, a later or an odd number of form is left to another
    version.

    The last character of a form is its number.
    """
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
    """A certificate whose form is missing, too long or not a name was not made by Synth.

    It is refused, and not said to be of another version.
    """
    with pytest.raises(ReleaseError, match="The certificate was not made by Synth") as caught:
        Certificate.from_json({"format": form})
    assert not isinstance(caught.value, OtherVersionError)
