"""What *independent* measures. PRIVATE."""

from numpy.random import Generator

from synth.estimate.models.choosing import Order
from synth.estimate.recipes.recipe import NoisyParts
from synth.private.methods.session import Session


def measure_columns_alone(session: Session, _order: Order, _: Generator) -> NoisyParts:
    """Measure columns with all of the budget."""
    session.spend_rest()
    return {}
