"""Answers to whether a claimed figure is close to the real one. PUBLIC."""

import math

import numpy as np

from synth.questions.answers.answer import Answer
from synth.questions.quantiles.figure_checks import (
    YES_OR_NO,
    epsilon_to_be_sure,
    probability_of_wrong,
)
from synth.questions.way.way import Portion
from synth.questions.wording.question import Question

# Below it, a probability is only said to be smaller.
LEAST_SHOWN = 1e-6


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
    return f"an epsilon of {_round_up(epsilon, 2)} brings this probability to 5 %"


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


def write_probability(probability: float) -> str:
    """Write a probability as a percentage, rounded up to two digits.

    >>> write_probability(0.01234), write_probability(1e-20)
    ('1.3 %', 'below 0.0001 %')
    """
    if probability < LEAST_SHOWN:
        return f"below {100 * LEAST_SHOWN:g} %"
    return f"{_round_up(100 * probability, 2)} %"


def _round_up(value: float, digits: int) -> str:
    """Write a number above 0 with this many significant digits, rounded up."""
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    # A float error of the division must not add a unit.
    units = math.ceil(value / unit * (1 - 1e-12))
    return f"{units * unit:.{digits}g}"
