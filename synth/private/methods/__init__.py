"""The measurements of each method, through the door. PRIVATE.

``session``       a door, counted rows and everything measured so far
``strategies``    from the budget to a record and rows: the steps around a method
``measurements``  what each method measures
``guided``        the budget around a public guess
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.private.methods.session import ModelTask, pay_for_moments, price_moments
    from synth.private.methods.strategies import draw_model

__getattr__ = offer(__name__)
