"""Answers to whether a claimed figure is close to the real one. PUBLIC."""

import numpy as np

from synth.questions.answers.answer import Answer
from synth.questions.quantiles.figure_checks import (
    YES_OR_NO,
    epsilon_to_be_sure,
    probability_of_wrong,
)
from synth.questions.way.way import Portion
from synth.questions.wording.question import Question
from synth.util import round_up, write_probability


def read_check(
    question: Question, portion: Portion, chosen: int, *, rows: int | None
) -> Answer:
    """Return a yes or a no, with the probability that it is wrong.

    Args:
        question: The question.
        portion: Its block, and how it was answered.
        chosen: 0 for yes, 1 for no.
        rows: The public number of rows; None if it is private.
    """
    probability = probability_of_wrong(portion.way, portion.block, rows)
    none = np.full(1, np.nan)
    return Answer(
        question=question,
        way=portion.way.name,
        labels=(),
        value=none,
        low=none,
        high=none,
        expected_error=probability,
        chosen=(YES_OR_NO[chosen],),
        remarks=(remark_probability(probability),),
    )


def remark_needed_epsilon(portion: Portion, rows: int) -> str:
    """Return the sentence of a forecast on the epsilon for a wrong answer in 5 % of cases.

    Args:
        portion: The question, and how it would be answered.
        rows: The number of rows.
    """
    epsilon = epsilon_to_be_sure(portion.way, portion.block, rows)
    return f"an epsilon of {round_up(epsilon, digits=2)} brings this probability to 5 %"


def remark_probability(probability: float) -> str:
    """Return the sentence on the probability of a wrong answer.

    >>> remark_probability(0.01234)[:69]
    "if the real figure is the claimed one, a wrong 'no' has a probability"
    """
    return (
        "if the real figure is the claimed one, a wrong 'no' has a probability of "
        f"{write_probability(probability)}; if it is at least twice the tolerance away, a "
        "wrong 'yes' has at most that; nearer to the border of the tolerance a wrong answer "
        "is likelier, up to 50 %"
    )
