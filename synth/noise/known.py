"""Registry of the mechanisms that the door draws from, by the names of their laws. PUBLIC.

>>> from fractions import Fraction
>>> description = describe(DiscreteLaplace(Fraction(1, 3)))
>>> description, mechanism_of(description)
({'law': 'discrete Laplace', 'scale': '1/3'}, DiscreteLaplace(scale=Fraction(1, 3)))
"""

from collections.abc import Mapping

from synth.errors import ReleaseError
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.knorm import KNorm
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism

MECHANISMS: dict[str, type[Mechanism]] = {
    kind.law: kind for kind in (DiscreteLaplace, DiscreteGaussian, KNorm)
}
"""To add a mechanism, write its module and add its class here."""


def is_known(mechanism: Mechanism) -> bool:
    """Return whether the mechanism's very class is registered.

    An instance of a subclass is not enough, as that could draw other noise.
    """
    return type(mechanism) in MECHANISMS.values()


def describe(mechanism: Mechanism) -> dict[str, str]:
    """Return a mechanism's law and exact parameters, as JSON.

    Raises:
        ReleaseError: The mechanism is not registered.
    """
    if not is_known(mechanism):
        raise ReleaseError(
            "A door draws discrete Laplace, discrete Gaussian or K-norm noise."
        )
    return mechanism.describe()


def mechanism_of(description: Mapping[str, str]) -> Mechanism:
    """Return the mechanism that `describe` described, from its law and parameters as texts.

    Raises:
        ValueError: No registered mechanism has this law, or a parameter is missing.
    """
    try:
        return MECHANISMS[description["law"]].read(description)
    except KeyError:
        raise ValueError(description) from None
