"""The entry of the register: its fields and words are those of the register's schema."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from synth.dossier import Dossier
from synth.dossier.register import VARIANTS, make_entry
from synth.dossier.register_file import write_yaml
from tests.dossier.conftest import KINDS

DossierOf = Callable[[str], Dossier]

# The fields of an entry in the register's schema of 15 July 2026; * marks the needed ones.
FIELDS: dict[str, str] = {
    "": "url_slug* status* tier* deployment*",
    "deployment": "basic* dp_variant privacy_loss deployment_model accounting implementation "
    "administrative",
    "basic": "name* data_curators* intended_use* data_product_type* data_product_region* "
    "description* publication_date* data_product_sector",
    "dp_variant": "variant_name data_domain unprotected_quantities",
    "privacy_loss": "privacy_unit privacy_unit_details privacy_parameters "
    "privacy_parameters_details",
    "privacy_parameters": "epsilon delta rho",
    "deployment_model": "model_name model_name_details actors release_type "
    "release_type_details data_source_type data_source_type_details access_type "
    "access_type_details",
    "accounting": "post_processing composition",
    "implementation": "preprocessing_and_hyperparameter_tuning mechanisms justification",
    "administrative": "sources notes registry_authors*",
}
WORDS = {
    "status": {"Draft"},
    "data_product_type": {"Summary statistics", "Synthetic data"},
    "variant_name": {
        "Pure DP",
        "Approximate DP",
        "Zero-concentrated DP",
        "Renyi DP",
        "Custom",
    },
    "model_name": {"Central"},
    "release_type": {"One release", "Many releases"},
    "data_source_type": {"Static", "Dynamic"},
    "access_type": {"Interactive", "Non-interactive"},
}
NUMBERS = {"tier", "epsilon", "delta", "rho"}
LISTS = {"data_curators", "registry_authors"}


def check_fields(name: str, entry: dict[str, Any]) -> None:
    """Every field is known, and no needed one is missing."""
    words = FIELDS[name].split()
    known = {word.rstrip("*") for word in words}
    assert entry.keys() <= known
    assert {word.rstrip("*") for word in words if word.endswith("*")} <= entry.keys()
    for field, value in entry.items():
        if isinstance(value, dict):
            check_fields(field, value)
        elif field in NUMBERS:
            assert isinstance(value, int | float)
        elif field in LISTS:
            assert value
            assert all(isinstance(part, str) and part for part in value)
        else:
            assert isinstance(value, str)
            assert value
            assert field not in WORDS or value in WORDS[field]


@pytest.mark.parametrize("kind", KINDS)
def test_an_entry_has_the_form_of_the_register(kind: str, dossier_of: DossierOf) -> None:
    """Its fields and words are known to the register, its numbers are the certificate's."""
    facts = dossier_of(kind).facts
    entry: Any = make_entry(facts, {})
    check_fields("", entry)
    deployment = entry["deployment"]
    assert deployment["basic"]["publication_date"] == facts.certificate.created[:10]
    parameters = deployment["privacy_loss"]["privacy_parameters"]
    guarantee = facts.certificate.guarantee
    assert abs(Fraction(parameters["epsilon"]) - guarantee.epsilon) < Fraction(1, 10**12)
    assert ("delta" in parameters) == bool(guarantee.delta)
    is_pure = deployment["dp_variant"]["variant_name"] == "Pure DP"
    assert is_pure == (not guarantee.delta)
    assert re.fullmatch(r"[a-z0-9-]+", entry["url_slug"])


def test_a_field_that_the_register_lacks_is_seen(dossier_of: DossierOf) -> None:
    entry: Any = make_entry(dossier_of("model").facts, {})
    with pytest.raises(AssertionError):
        check_fields("", {**entry, "more": "x"})
    with pytest.raises(AssertionError):
        check_fields("", {name: entry[name] for name in entry if name != "status"})


def test_every_kind_of_guarantee_has_a_name() -> None:
    """The names of kinds are those that certificates have."""
    kinds = {
        "pure epsilon-differential privacy",
        "(epsilon, delta)-differential privacy",
        "zero-concentrated differential privacy",
    }
    assert VARIANTS.keys() == kinds


def test_only_what_is_public_is_named_as_unprotected(dossier_of: DossierOf) -> None:
    """The number of rows is not protected if one row is replaced, and is if it may be
    absent.
    """
    named: dict[str, Any] = {
        kind: make_entry(dossier_of(kind).facts, {})["deployment"]["dp_variant"]  # type: ignore[call-overload,index]
        for kind in ("histogram", "person")
    }
    assert "150, public" in named["histogram"]["unprotected_quantities"]
    assert named["person"]["unprotected_quantities"] == "The certificate names none."


def test_small_numbers_stay_numbers() -> None:
    """Readers of YAML take 1e-09 for a text, and 1.0e-09 for a number."""
    lines = write_yaml({"delta": 1e-9, "epsilon": 0.5, "tier": 3}).decode().splitlines()
    assert lines[2:] == ["delta: 1.0e-09", "epsilon: 0.5", "tier: 3"]


def test_texts_of_yaml_end_where_they_should() -> None:
    """Quotes, line breaks, comments and marks of direction stay inside of their text."""
    text = 'a: "b" # c\n- d\u202e\u2028\U000e0001'
    lines = write_yaml({"name": text, "names": [text]}).decode().splitlines()
    quoted = '"a: \\"b\\" # c\\n- d\\u202e\\u2028\\U000e0001"'
    assert lines[2:] == [f"name: {quoted}", "names:", f"  - {quoted}"]
