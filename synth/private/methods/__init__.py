"""The measurements of each method, step by step, through the door. PRIVATE.

``session``     a door, counted rows and everything measured so far
``strategies``  the steps before and after a method measures
``columns``     measurements of *independent*
``tree``        measurements of *tree*
``pairs``       measurements of *one-shot*
``adaptive``    measurements of *adaptive*
``groups``      measurements of *groups*, and of *histogram*
``guided``      the budget around a public guess
``moments``     sums of numbers with counts
``run``         from counted rows to a drawn model
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.private.methods.moments import pay_for_moments
    from synth.private.methods.run import draw_model

__getattr__ = offer(__name__)
