"""The statement for readers: the promise, in the words of the certificate. PUBLIC."""

from synth.dossier.facts import Facts
from synth.dossier.opening import list_conditions, say_check
from synth.dossier.pieces import Content, Paragraph, Section, Sheet, Statement
from synth.dossier.questions import ask


def fill_readers(facts: Facts) -> Sheet:
    """Return the statement for readers."""
    return Sheet(
        title="Statement for readers",
        reader="For everybody who reads or uses the release",
        sections=(
            Section(
                "What this is",
                (
                    Paragraph(_introduce(facts)),
                    Statement("Release", facts.size),
                    *facts.quote("Name in the ledger", "dataset"),
                    *facts.quote("Made, in UTC", "created"),
                    *ask("organisation", "purpose", "sources", "contact"),
                ),
            ),
            Section("The promise", list_conditions(facts)),
            Section(
                "What to expect of it",
                (
                    *facts.quote("Number of rows of the table", "number_of_rows"),
                    *facts.quote("Rows that fit the description", "rows_fit"),
                    Statement("Protected unit", (facts.at("privacy_unit"),)),
                ),
            ),
            Section(
                "How to check it",
                (
                    Paragraph(
                        (
                            "Open the file open.html of the bundle in a browser and drop the "
                            "bundle on it, or type: synth verify BUNDLE.zip",
                        )
                    ),
                    Statement("Certificate", (facts.own_digest,)),
                    Statement("Check", say_check(facts)),
                ),
            ),
        ),
    )


def _introduce(facts: Facts) -> Content:
    """Return the first sentence for readers."""
    if facts.is_answers:
        return ("These are noisy answers to questions about a confidential table.",)
    tables = "Synthetic tables" if facts.is_linked else "A synthetic table"
    return (
        f"{tables}, made from confidential data. No row describes a real person. The counts "
        "behind the rows are noisy, so use them with the errors that the bundle states.",
    )
