"""Conditions of questions, from their texts alone."""

from synth.questions import Condition
from synth.questions.wording.condition_text import condition_of
from synth.questions.wording.lexemes import lexemes


def parse_condition(text: str) -> Condition:
    return condition_of(text, lexemes(text))
