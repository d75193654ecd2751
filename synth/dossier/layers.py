"""The sheet on NIST SP 800-226: the layers of its pyramid, from top to bottom. PUBLIC."""

from synth.dossier.facts import Facts
from synth.dossier.guidance import COPIES, NIST, NIST_TITLE, STATE
from synth.dossier.opening import (
    MOST_ENTRIES,
    THE_REST,
    list_conditions,
    list_declaration,
    list_payments,
    open_sheet,
)
from synth.dossier.pieces import Content, Part, Section, Sheet, Statement
from synth.dossier.questions import ask


def fill_layers(facts: Facts) -> Sheet:
    """Return the sheet on the layers of NIST SP 800-226."""
    return Sheet(
        title=NIST_TITLE,
        reader="For people who evaluate a claim of differential privacy",
        sections=(
            open_sheet(facts),
            Section(STATE, (COPIES, *NIST)),
            _state_parameters(facts),
            _state_unit(facts),
            Section("Middle: algorithms and correctness", _list_algorithms(facts)),
            Section("Middle: utility", list_accuracy(facts)),
            Section("Middle: bias", _list_bias(facts)),
            Section("Bottom: access control", ask("access")),
            _state_trust(facts),
            _state_side_channels(facts),
            Section(
                "Bottom: data collection",
                (
                    Statement(
                        "Before Synth",
                        (
                            "The guarantee begins when Synth reads the table. How the data "
                            "was collected, kept and cleaned before is not part of it.",
                        ),
                    ),
                    *ask("people", "other_publications"),
                ),
            ),
        ),
    )


def _state_parameters(facts: Facts) -> Section:
    """Return the layer of the privacy parameters."""
    spent = "spent" if facts.is_answers else "mechanism.spent"
    return Section(
        "Top: privacy parameters",
        (
            Statement("Variant", (facts.at("guarantee.kind"),)),
            Statement("Epsilon", (facts.at("guarantee.epsilon"),)),
            Statement("Delta", (facts.at("guarantee.delta"),)),
            *facts.quote("Spent, in the measure of the accounting", spent),
            *ask("epsilon_reason"),
        ),
    )


def _state_unit(facts: Facts) -> Section:
    """Return the layer of the unit of privacy."""
    questions = ask("rows_per_person") if facts.protects_rows else ()
    return Section(
        "Top: unit of privacy",
        (
            Statement("Unit", (facts.at("privacy_unit"),)),
            Statement("Rows of one unit that count", (facts.at("max_rows"),)),
            Statement("Neighbouring tables", (facts.at("neighbors"),)),
            Statement("Number of rows", (facts.at("number_of_rows"),)),
            *questions,
        ),
    )


def _list_algorithms(facts: Facts) -> tuple[Part, ...]:
    """Return the mechanisms, the accounting, and the versions."""
    mechanism = "mechanism" if facts.is_linked else "mechanism.name"
    versions = [
        Statement("Version", (f"{place.removeprefix('versions.')} ", facts.at(place)))
        for place in facts.each("versions")
    ]
    return (
        *facts.quote("Mechanism", mechanism),
        *facts.quote("Accounting", "mechanism.accounting"),
        *list_payments(facts),
        *list_declaration(facts),
        *facts.quote("Algorithm, by its number", "algorithm"),
        *versions,
    )


def list_accuracy(facts: Facts) -> tuple[Part, ...]:
    """Return the certificate's facts about accuracy."""
    parts: list[Part] = [*facts.quote("Rows that fit the description", "rows_fit")]
    for place in facts.each("scores"):
        content: Content = (
            facts.at(f"{place}.what"),
            ": ",
            facts.at(f"{place}.error"),
            ", half width of the interval: ",
            facts.at(f"{place}.reach"),
        )
        parts.append(Statement("Paid utility score", content))
    for place in facts.each("error_bars"):
        content = (
            facts.at(f"{place}.columns"),
            ": expected error ",
            facts.at(f"{place}.expected"),
            "; measured: ",
            facts.at(f"{place}.measured"),
        )
        parts.append(Statement("Pair of columns", content))
    for place in facts.each("answers"):
        content = (
            facts.at(f"{place}.question"),
            ": expected error ",
            facts.at(f"{place}.expected_error"),
        )
        parts.append(Statement("Answer", content))
    if len(parts) > MOST_ENTRIES:
        parts = [*parts[:MOST_ENTRIES], THE_REST]
    silent = Statement("Accuracy", ("The certificate states no error of this release.",))
    return tuple(parts) or (silent,)


def _list_bias(facts: Facts) -> tuple[Part, ...]:
    """Return where noise and corrections favour some groups over others."""
    groups = Statement(
        "Small groups",
        (
            "Noise does not shrink with a group, so the relative error of small groups is "
            "larger than the error of large ones.",
        ),
    )
    if facts.is_answers:
        return (groups,)
    repair = facts.repair
    corrected: Content = ("Removing negative counts can move small counts upwards.",)
    if repair is not None:
        corrected = ("Correction of negative counts: ", repair, ". ", *corrected)
    return (groups, Statement("Corrections after the noise", corrected))


def _state_trust(facts: Facts) -> Section:
    """Return the layer of the trust model."""
    return Section(
        "Bottom: trust model",
        (
            Statement(
                "Model",
                (
                    "Central: the person who runs Synth reads the confidential table, and "
                    "must run it honestly, and once. The guarantee is about everybody who "
                    "sees the released files alone.",
                ),
            ),
            *facts.quote("Spend in the ledger, entry", "ledger.entry"),
            *facts.quote("Hash of the ledger's newest event then", "ledger.head"),
            *ask("runner"),
        ),
    )


def _state_side_channels(facts: Facts) -> Section:
    """Return the layer of side channels, with all conditions of the promise."""
    return Section(
        "Bottom: side channels, and all conditions",
        (
            *facts.quote("How noise was drawn", "mechanism.sampler"),
            Statement(
                "Outside the guarantee",
                (
                    "The guarantee covers the released files, and not what can be observed "
                    "while Synth runs.",
                ),
            ),
            *list_conditions(facts),
        ),
    )
