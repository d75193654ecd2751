"""The schema of typed answers: what an organisation types into a dossier. PUBLIC.

`synth.dossier` asks these questions."""

from collections.abc import Mapping

from synth import limits
from synth.bundle.published.forms import constant, digest, document, record, text, word
from synth.util import Document

DOSSIER_FORMAT = "synth-dossier-answers-1"
# The sectors that the register of deployments knows.
SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")


DOSSIER_QUESTIONS: Mapping[str, str] = {
    "organisation": "Which organisation hands on the release, and so answers for it?",
    "responsible_person": "Who is responsible, and as what?",
    "purpose": "Which purpose does the release have?",
    "legal_basis": "On which legal basis is the table processed?",
    "people": (
        "Who are the people in the table, how was it collected, and what do they know "
        "of this release?"
    ),
    "rows_per_person": (
        "Can one person have several rows in the table? If so, why does the guarantee "
        "protect rows and not persons?"
    ),
    "epsilon_reason": "Why is this epsilon acceptable for the people in the table?",
    "values_reason": "Why are the possible values of the columns public knowledge?",
    "recipients": "Who gets the release, under which conditions, and for how long?",
    "other_publications": "Which other releases or files are about the same people?",
    "access": "Who can open the table and the ledger, and how is access limited?",
    "runner": (
        "Who ran Synth, on which machine, and who may check that it was run once and as is?"
    ),
    "remaining_risk": "Which risks remain for people in the table, and why accept them?",
    "dpo_advice": "What does the data protection officer advise, and when?",
    "board_number": "Which number does the board's decision have?",
    "decision": "Who decided about the release, on which day, and how?",
    "review": "When will this assessment be looked at again?",
    "data_source": "Which entry of a catalogue describes the table?",
    "quality_label": "Which label of data quality and utility does the source dataset have?",
    "permit": "Which data permit or request does the release belong to?",
    "minimisation": "Why are these columns, people, years and places needed, and no more?",
    "restrictions": "Which restrictions of use are there, and how are they enforced?",
    "product_name": "Which name does the data product have?",
    "region": "Which region does the data describe?",
    "sector": "Which sector does the data describe?",
    "published": (
        "On which day was it published? Without an answer, the entry has the day of the "
        "spend."
    ),
    "sources": "Where can people read more, or get the release?",
    "register_authors": "Who wrote the entry? Separate names by commas.",
    "contact": "Who answers questions of readers?",
}
"""The text of each question, by its key."""

DOSSIER_CHOICES: Mapping[str, tuple[str, ...]] = {"sector": SECTORS}
"""The texts that are an answer, of questions that have a list."""

DOSSIER_DAYS: frozenset[str] = frozenset({"published"})
"""The questions whose answer is a day, such as 2026-11-30."""


def _typed_answer(key: str) -> Document:
    """Return the schema of an answer, by the key of its question."""
    about = f"The typed answer to: {DOSSIER_QUESTIONS[key]} Absent if the question is open."
    if key in DOSSIER_CHOICES:
        return word(about, DOSSIER_CHOICES[key])
    return text(about, maxLength=limits.DOSSIER_ANSWER)


def answers_schema() -> Document:
    """Return the schema of a file of answers.

    The reader checks more: that an answer is no blank, and that a day is one of the calendar.
    """
    content = record(
        "The answers.",
        {
            "format": constant("The form of the file.", DOSSIER_FORMAT),
            "answers": typed_answers("The typed answers, by the key of their question."),
        },
        {
            "certificate_sha256": digest(
                "The SHA-256 of the certificate that the answers are about; absent if they "
                "are about any."
            )
        },
    )
    return document(
        title="Answers of a dossier",
        about=(
            "What an organisation typed about a release: answers.json of a dossier. It is no "
            "part of the bundle."
        ),
        content=content,
        definitions={},
    )


def typed_answers(about: str) -> Document:
    """Return the schema of typed answers by the key of their question."""
    return record(about, {}, {key: _typed_answer(key) for key in DOSSIER_QUESTIONS})
