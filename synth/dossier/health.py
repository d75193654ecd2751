"""The sheet for a health data access body, by the TEHDAS2 guideline. PUBLIC."""

from synth.dossier.facts import Facts
from synth.dossier.guidance import COPIES, STATE, TEHDAS, TEHDAS_TITLE
from synth.dossier.layers import list_accuracy
from synth.dossier.opening import (
    list_conditions,
    list_declaration,
    list_identifiers,
    list_left_out,
    list_payments,
    open_sheet,
)
from synth.dossier.pieces import Section, Sheet, Statement
from synth.dossier.questions import ask


def fill_health(facts: Facts) -> Sheet:
    """Return the sheet for a health data access body, after the guideline of TEHDAS2.

    TEHDAS2 is the joint action of European states for the European Health Data Space.
    """
    return Sheet(
        title=TEHDAS_TITLE,
        reader="For a health data access body, and for applicants",
        sections=(
            open_sheet(facts),
            Section(STATE, (COPIES, *TEHDAS)),
            Section("Identification", ask("permit", "purpose")),
            Section(
                "Source dataset",
                (
                    Statement("Number of rows", (facts.at("number_of_rows"),)),
                    *ask("data_source", "quality_label", "people"),
                ),
            ),
            Section(
                "Data minimisation",
                (
                    *list_left_out(facts),
                    Statement("Rows of one unit that count", (facts.at("max_rows"),)),
                    *ask("minimisation"),
                ),
            ),
            Section(
                "Processing",
                (
                    *facts.quote("Made with Synth, version", "versions.synth"),
                    *list_declaration(facts),
                    *list_payments(facts),
                    *list_identifiers(facts),
                ),
            ),
            _assess_risk(facts),
            Section("Quality", list_accuracy(facts)),
            Section(
                "Disclosure",
                ask("recipients", "restrictions", "decision", "board_number", "review"),
            ),
        ),
    )


def _assess_risk(facts: Facts) -> Section:
    """Return the certificate's facts about privacy risk, and their limits."""
    return Section(
        "Privacy risk",
        (
            Statement("Kind of guarantee", (facts.at("guarantee.kind"),)),
            Statement("Cost", facts.cost),
            Statement("Protected unit", (facts.at("privacy_unit"),)),
            *list_conditions(facts),
            Statement(
                "Whether somebody is in the table",
                (
                    "The promise bounds what anybody can learn about that, as about any fact "
                    "of one unit.",
                ),
            ),
            Statement(
                "Attacks and distances",
                (
                    "The certificate holds no simulated attack and no distance of single "
                    "rows from real ones. The promise bounds every attack, under its "
                    "conditions.",
                ),
            ),
            *ask("other_publications", "remaining_risk"),
        ),
    )
