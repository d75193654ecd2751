"""The sheet for the data protection officer. PUBLIC.

It has the parts of an impact assessment that concern one release, with the three criteria of
WP29 opinion 05/2014, each answered from facts of the certificate.
"""

from synth.dossier.facts import Facts
from synth.dossier.guidance import COPIES, EUROPE, STATE, WP29
from synth.dossier.opening import (
    list_conditions,
    list_declaration,
    list_identifiers,
    list_left_out,
    open_sheet,
)
from synth.dossier.pieces import Citation, Content, Paragraph, Part, Section, Sheet, Statement
from synth.dossier.questions import ask

NO_ADVICE = (
    "This dossier is no legal advice: it states facts of one release, and your organisation "
    "decides what follows from them."
)


def fill_data_protection(facts: Facts) -> Sheet:
    """Return the sheet for the data protection officer."""
    return Sheet(
        title="Sheet for the data protection officer",
        reader="For the assessment of the release by the data protection officer",
        sections=(
            Section("About this sheet", (Paragraph((NO_ADVICE,)),)),
            open_sheet(facts),
            Section(STATE, (COPIES, *EUROPE)),
            _describe_processing(facts),
            _say_necessity(facts),
            _single_out(facts),
            _link(facts),
            _infer(facts),
            _conclude(facts),
        ),
    )


def _describe_processing(facts: Facts) -> Section:
    """Return the description of the processing."""
    return Section(
        "Description of the processing",
        (
            Statement("Number of rows of the table", (facts.at("number_of_rows"),)),
            *facts.quote("Rows that fit the description", "rows_fit"),
            *list_declaration(facts),
            *list_left_out(facts),
            *facts.quote("Spend in the ledger, entry", "ledger.entry"),
            *ask("purpose", "legal_basis", "people", "recipients"),
        ),
    )


def _say_necessity(facts: Facts) -> Section:
    """Return the section on necessity and proportion."""
    return Section(
        "Necessity and proportion",
        (
            Statement("Kind of guarantee", (facts.at("guarantee.kind"),)),
            Statement("Protected unit", (facts.at("privacy_unit"),)),
            Statement("Rows of one unit that count", (facts.at("max_rows"),)),
            *ask("epsilon_reason", "minimisation"),
        ),
    )


def _single_out(facts: Facts) -> Section:
    """Return the answer to the first criterion: can somebody be singled out?"""
    return Section(
        Citation(f"{WP29.text}: singling out"),
        (
            Paragraph(("Can one person be isolated in the released files?",)),
            Statement("Released rows", _say_rows(facts)),
            Statement(
                "Bound",
                (
                    "Anything that the files show about one unit is bounded by ",
                    *facts.cost,
                    ". The unit is ",
                    facts.at("privacy_unit"),
                    "; the bound compares two tables by ",
                    facts.at("neighbors"),
                    ".",
                ),
            ),
            *list_identifiers(facts),
            Statement("Number of rows", (facts.at("number_of_rows"),)),
        ),
    )


def _say_rows(facts: Facts) -> Content:
    """Return how the released rows relate to the rows of the table."""
    if facts.is_answers:
        return (
            "The files hold noisy numbers and no row, neither a real nor a synthetic one.",
        )
    return (
        "Rows were drawn from noisy counts, with the public seed ",
        facts.at("drawing.seed"),
        ", so none is a copy of a row of the table. One may equal a real row by chance; the "
        "bound says how much that can show.",
    )


def _link(facts: Facts) -> Section:
    """Return the answer to the second criterion: can records of one person be linked?"""
    unit: Content = (
        (
            "The guarantee protects single rows. If one person has several rows, it does not "
            "protect these rows together.",
        )
        if facts.protects_rows
        else ("The guarantee protects together: ", facts.at("privacy_unit"), ".")
    )
    questions = ("rows_per_person", "other_publications")
    return Section(
        Citation(f"{WP29.text}: linkability"),
        (
            Paragraph(("Can two records of one person or group be linked?",)),
            Statement("Within the release", _say_keys(facts)),
            Statement("Records of one person", unit),
            Statement(
                "With other releases",
                (
                    "Costs of releases about the same people add up. This certificate counts "
                    "its own: ",
                    *facts.cost,
                    ".",
                ),
            ),
            *ask(*(questions if facts.protects_rows else questions[1:])),
        ),
    )


def _say_keys(facts: Facts) -> Content:
    """Return whether something in the release leads to a real record."""
    if facts.is_answers:
        return ("The answers have no records that could be linked.",)
    if facts.is_linked:
        return (
            "Keys of the synthetic tables are made up. They link synthetic rows with each "
            "other, and do not depend on real keys.",
        )
    return ("Rows were drawn from noisy counts, so no row has a real record behind it.",)


def _infer(facts: Facts) -> Section:
    """Return the answer to the third criterion: can facts about a person be inferred?"""
    return Section(
        Citation(f"{WP29.text}: inference"),
        (
            Paragraph(
                ("Can a value of one person be deduced with significant probability?",)
            ),
            Statement("Bound", (facts.at("guarantee.statement"),)),
            Statement(
                "People in general",
                (
                    "The release shows facts about people in general. Who knows some "
                    "facts about a person can guess others from that, also if the person is "
                    "not in the table. The guarantee limits only the knowledge that the "
                    "data of one unit adds.",
                ),
            ),
            *facts.quote("Rows that fit, and relations", "rows_fit"),
            *ask("values_reason"),
        ),
    )


def _conclude(facts: Facts) -> Section:
    """Return the conditions of the promise, and the questions on risk and decision."""
    conditions: tuple[Part, ...] = list_conditions(facts)
    return Section(
        "Conditions, remaining risk and decision",
        (
            *conditions,
            *ask(
                "access",
                "runner",
                "remaining_risk",
                "dpo_advice",
                "board_number",
                "decision",
                "review",
            ),
        ),
    )
