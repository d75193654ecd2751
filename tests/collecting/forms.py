"""Designs and answers that several tests need."""

import json
from collections.abc import Sequence
from fractions import Fraction

from synth.collecting import FormDesign
from synth.collecting.design import ClosedQuestion

OFTEN = ("never", "now and then", "often")


def make_design(
    epsilon: Fraction | int = Fraction(2), *, sizes: Sequence[int] = (2, 3)
) -> FormDesign:
    """A form with a question of each size."""
    questions = (
        ClosedQuestion(f"Question {number}?", tuple(f"answer {i}" for i in range(size)))
        for number, size in enumerate(sizes, 1)
    )
    return FormDesign(tuple(questions), Fraction(epsilon))


def answer_line(of: FormDesign, places: Sequence[int], person: int = 1) -> str:
    """A line that somebody sent."""
    chosen = [q.options[place] for q, place in zip(of.questions, places, strict=True)]
    record = {
        "form": of.identifier,
        "epsilon": str(of.epsilon),
        "person": f"{person:032x}",
        "answers": chosen,
    }
    return json.dumps(record)
