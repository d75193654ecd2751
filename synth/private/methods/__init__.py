"""What each method measures, step by step, through the door. PRIVATE.

``session``     a door, counted rows and what came out so far
``strategies``  what comes before a method measures, and what comes after
``columns``     what *independent* measures
``tree``        what *tree* measures
``pairs``       what *one-shot* measures
``adaptive``    what *adaptive* measures
``groups``      what *groups* measures, and *histogram*
``guided``      the budget around a public guess
``moments``     sums of numbers beside counts
``run``         from counted rows to a drawn model
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.private.methods.moments import pay_for_moments
    from synth.private.methods.run import draw_model

__getattr__ = offer(__name__)
