"""The questions that only the organisation can answer. PUBLIC.

Their texts are those of the published schema of answers.

>>> QUESTIONS["purpose"].topic, QUESTIONS["purpose"].text
('Purpose', 'Which purpose does the release have?')
"""

from collections.abc import Mapping

from synth.bundle import DOSSIER_CHOICES, DOSSIER_DAYS, DOSSIER_QUESTIONS
from synth.dossier.pieces import Question

_TOPICS = {
    "organisation": "Organisation",
    "responsible_person": "Responsible person",
    "purpose": "Purpose",
    "legal_basis": "Legal basis",
    "people": "People in the table",
    "rows_per_person": "Rows of one person",
    "epsilon_reason": "Choice of epsilon",
    "values_reason": "Public values",
    "recipients": "Recipients",
    "other_publications": "Other publications",
    "access": "Access to the table",
    "runner": "Trust",
    "remaining_risk": "Remaining risk",
    "dpo_advice": "Advice",
    "board_number": "Board number",
    "decision": "Decision",
    "review": "Review",
    "data_source": "Source dataset",
    "quality_label": "Quality of the source",
    "permit": "Permit",
    "minimisation": "Minimisation",
    "restrictions": "Restrictions",
    "product_name": "Name",
    "region": "Region",
    "sector": "Sector",
    "published": "Day of publication",
    "sources": "Sources",
    "register_authors": "Authors",
    "contact": "Contact",
}


QUESTIONS: Mapping[str, Question] = {
    key: Question(
        key=key,
        topic=_TOPICS[key],
        text=question,
        choices=DOSSIER_CHOICES.get(key, ()),
        is_date=key in DOSSIER_DAYS,
    )
    for key, question in DOSSIER_QUESTIONS.items()
}


def ask(*keys: str) -> tuple[Question, ...]:
    """Return the questions of these keys."""
    return tuple(QUESTIONS[key] for key in keys)


def list_questions(keys: frozenset[str]) -> tuple[Question, ...]:
    """Return the questions of these keys, in the order of `QUESTIONS`."""
    return tuple(question for key, question in QUESTIONS.items() if key in keys)
