"""The entry for the public register of differential privacy deployments. PUBLIC.

The register's schema gives the names of the fields and the words of its lists.
"""

from collections.abc import Mapping
from fractions import Fraction

from synth.bundle import AnswersCertificate
from synth.domain import LOOKED_UP
from synth.dossier.facts import Facts
from synth.dossier.guidance import COPIES, REGISTER, STATE
from synth.dossier.opening import list_payments, say_check
from synth.dossier.pieces import Content, Paragraph, Part, Section, Sheet, Statement, text_of
from synth.dossier.questions import QUESTIONS, ask
from synth.util import Document, Json

REGISTER_FILE = "register.yaml"

# The names that the register has for kinds of guarantee.
VARIANTS = {
    "pure epsilon-differential privacy": "Pure DP",
    "(epsilon, delta)-differential privacy": "Approximate DP",
    "zero-concentrated differential privacy": "Zero-concentrated DP",
}
# The answers that the entry uses.
ASKED = (
    "product_name",
    "organisation",
    "purpose",
    "region",
    "sector",
    "published",
    "people",
    "epsilon_reason",
    "runner",
    "other_publications",
    "sources",
    "register_authors",
)


def fill_register(facts: Facts) -> Sheet:
    """Return the sheet that explains the entry, and asks for its missing parts."""
    return Sheet(
        title="Entry for the register of deployments",
        reader="For the public register of differential privacy deployments",
        sections=(
            Section(STATE, (COPIES, *REGISTER)),
            Section(
                "How to hand it in",
                (
                    Paragraph(
                        (
                            f"The entry is the file {REGISTER_FILE} next to this sheet. It "
                            "says OPEN where an answer is missing. Answer the questions "
                            "below, make the dossier again, and hand the file in as the "
                            "register says.",
                        )
                    ),
                ),
            ),
            Section("Facts of the certificate", _list_given(facts)),
            Section("Questions to your organisation", ask(*ASKED)),
        ),
    )


def _list_given(facts: Facts) -> tuple[Part, ...]:
    """Return what of the entry comes from the certificate."""
    return (
        Statement("Kind of product", (name_product(facts),)),
        Statement("Variant", (facts.at("guarantee.kind"),)),
        Statement("Epsilon", (facts.at("guarantee.epsilon"),)),
        Statement("Delta", (facts.at("guarantee.delta"),)),
        Statement("Privacy unit", (facts.at("privacy_unit"),)),
        Statement("Adjacent datasets", (facts.at("neighbors"),)),
        *facts.quote("Accounting", "mechanism.accounting"),
        *list_payments(facts),
        Statement("Day of the spend", (facts.at("created"),)),
        Statement("Certificate", (facts.own_digest,)),
        Statement("Check", say_check(facts)),
    )


def name_product(facts: Facts) -> str:
    """Return the register's word for the released files."""
    return "Summary statistics" if facts.is_answers else "Synthetic data"


def make_entry(facts: Facts, answers: Mapping[str, str]) -> Document:
    """Return the entry in the register's schema.

    Args:
        facts: The facts of the bundle.
        answers: The typed answers, by question.
    """
    name = answers.get("product_name", f"Release of '{text_of(facts.at('dataset'))}'")
    return {
        "url_slug": _make_slug(name, str(facts.find("created"))[:10]),
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": _describe_product(facts, answers, name=name),
            "dp_variant": _describe_variant(facts),
            "privacy_loss": _describe_loss(facts),
            "deployment_model": _describe_model(answers),
            "accounting": _describe_accounting(facts),
            "implementation": _describe_implementation(facts, answers),
            "administrative": {
                "sources": _answer(answers, "sources"),
                "notes": f"SHA-256 of the certificate: {facts.digest}",
                "registry_authors": _split(_answer(answers, "register_authors")),
            },
        },
    }


def _describe_product(facts: Facts, answers: Mapping[str, str], *, name: str) -> Document:
    """Return the entry's basic part."""
    basic: Document = {
        "name": name,
        "data_curators": _split(_answer(answers, "organisation")),
        "intended_use": _answer(answers, "purpose"),
        "data_product_type": name_product(facts),
        "data_product_region": _answer(answers, "region"),
        "description": _write(facts.size),
        "publication_date": answers.get("published", str(facts.find("created"))[:10]),
    }
    if "sector" in answers:
        basic["data_product_sector"] = answers["sector"]
    return basic


def _describe_variant(facts: Facts) -> Document:
    """Return the variant, and the quantities that it does not protect."""
    kind = str(facts.find("guarantee.kind"))
    origin = str(facts.find("domain_origin"))
    unprotected = []
    if facts.is_number_public:
        unprotected.append(f"Number of rows: {facts.find('number_of_rows')}")
    if origin == LOOKED_UP:
        unprotected.append(f"Possible values of the columns: {origin}")
    if facts.has("declaration.looked") and facts.find("declaration.looked"):
        unprotected.append("The description of the columns, which may depend on the table")
    return {
        "variant_name": VARIANTS.get(kind, "Custom"),
        "data_domain": f"Possible values of the columns: {origin}",
        "unprotected_quantities": "; ".join(unprotected) or "The certificate names none.",
    }


def _describe_loss(facts: Facts) -> Document:
    """Return the unit and the parameters; they are exact in the details."""
    guarantee = facts.certificate.guarantee
    parameters: Document = {"epsilon": float(guarantee.epsilon)}
    if guarantee.delta:
        parameters["delta"] = float(guarantee.delta)
    if isinstance(facts.certificate, AnswersCertificate) and facts.has("spent.rho"):
        parameters["rho"] = float(Fraction(str(facts.find("spent.rho"))))
    elif facts.has("mechanism.spent.rho"):
        parameters["rho"] = float(Fraction(str(facts.find("mechanism.spent.rho"))))
    return {
        "privacy_unit": str(facts.find("privacy_unit")),
        "privacy_unit_details": f"{facts.find('neighbors')}; rows of one unit that count: "
        f"{facts.find('max_rows')}",
        "privacy_parameters": parameters,
        "privacy_parameters_details": str(facts.find("guarantee.statement")),
    }


def _describe_model(answers: Mapping[str, str]) -> Document:
    """Return who is trusted, and how the release is used."""
    return {
        "model_name": "Central",
        "actors": _answer(answers, "runner"),
        "release_type": "One release",
        "release_type_details": _answer(answers, "other_publications"),
        "data_source_type": "Static",
        "access_type": "Non-interactive",
    }


def _describe_accounting(facts: Facts) -> Document:
    """Return how costs add up, and what follows after the noise."""
    accounting = "mechanism.accounting"
    composed = f"{facts.find(accounting)}. " if facts.has(accounting) else ""
    after = "Answers follow from noisy totals."
    if not facts.is_answers:
        after = (
            "Counts are corrected after the noise, and synthetic rows are drawn from them."
        )
        if facts.repair is not None:
            after += f" Correction: {facts.repair.text}."
    return {
        "post_processing": after,
        "composition": composed + "; ".join(_list_texts(list_payments(facts))),
    }


def _describe_implementation(facts: Facts, answers: Mapping[str, str]) -> Document:
    """Return how the noise was made, and why so."""
    preparations = "; ".join(
        f"{facts.at(f'{place}.kind').text} for {facts.at(f'{place}.guarantee').text}"
        for place in facts.each("declaration.preparations")
    )
    before = (
        f"Paid before the release: {preparations}. " if preparations else ""
    ) + f"Number of rows: {facts.find('number_of_rows')}."
    sampler = facts.at("mechanism.sampler").text if facts.has("mechanism.sampler") else ""
    drawn = f" Noise: {sampler}." if sampler else ""
    version = facts.at("versions.synth").text if facts.has("versions.synth") else ""
    return {
        "preprocessing_and_hyperparameter_tuning": before,
        "mechanisms": f"Made with Synth {version}.{drawn}",
        "justification": _answer(answers, "epsilon_reason"),
    }


def _answer(answers: Mapping[str, str], key: str) -> str:
    """Return an answer, or a text that says which one is open."""
    return answers.get(key, f"OPEN: {QUESTIONS[key].text}")


def _split(text: str) -> list[Json]:
    """Return names that were typed with commas between; an open question stays whole."""
    if text.startswith("OPEN: "):
        return [text]
    return [name.strip() for name in text.split(",") if name.strip()] or [text]


def _write(content: Content) -> str:
    return "".join(map(text_of, content))


def _list_texts(parts: tuple[Part, ...]) -> list[str]:
    """Return the texts of statements and paragraphs."""
    return [_write(part.content) for part in parts if isinstance(part, Statement | Paragraph)]


def _make_slug(name: str, day: str) -> str:
    """Return the stable part of the entry's address.

    >>> _make_slug("Our people, 2026!", "2026-11-30")
    'our-people-2026-2026-11-30'
    """
    letters = [c if c.isascii() and c.isalnum() else "-" for c in name.lower()]
    words = "".join(letters).split("-")
    return "-".join([*filter(None, words), day])[:120]
