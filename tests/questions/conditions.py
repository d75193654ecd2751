"""Conditions of questions, from their texts alone."""

from synth.questions import Condition
from synth.questions.lexemes import lexemes
from synth.questions.parser import condition_of


def parse_condition(text: str) -> Condition:
    return condition_of(text, lexemes(text))
