"""The mechanisms that a door draws from, by the names of their laws. PUBLIC.

>>> from fractions import Fraction
>>> told = describe(DiscreteLaplace(Fraction(1, 3)))
>>> told, mechanism_of(told)
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
"""A new one is a module of its own, and a name in here."""


def is_known(mechanism: Mechanism) -> bool:
    """Whether it is one of these, and not something derived from one."""
    return type(mechanism) in MECHANISMS.values()


def describe(mechanism: Mechanism) -> dict[str, str]:
    """A mechanism with its exact parameters, as JSON.

    Raises:
        ReleaseError: It is none that a door draws from.
    """
    if not is_known(mechanism):
        raise ReleaseError("A door draws discrete Laplace, discrete Gaussian or K-norm noise.")
    return mechanism.describe()


def mechanism_of(told: Mapping[str, str]) -> Mechanism:
    """The mechanism that `describe` told of.

    Raises:
        ValueError: It told of none.
    """
    try:
        return MECHANISMS[told["law"]].read(told)
    except KeyError:
        raise ValueError(told) from None
