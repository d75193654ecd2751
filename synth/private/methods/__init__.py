"""The measurements of each method, through the door. PRIVATE.

``session``       a door, counted rows and everything measured so far
``strategies``    the steps before and after a method measures
``measurements``  what each method measures
``guided``        the budget around a public guess
``run``           from counted rows to a drawn model
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.private.methods.session import ModelTask, pay_for_moments, price_moments
    from synth.private.methods.run import draw_model

__getattr__ = offer(__name__)
