"""Registry of the mechanisms that the door draws from, by the names of their laws. PUBLIC.

>>> from fractions import Fraction
>>> description = describe(DiscreteLaplace(Fraction(1, 3)))
>>> description, mechanism_of(description)
({'law': 'discrete Laplace', 'scale': '1/3'}, DiscreteLaplace(scale=Fraction(1, 3)))
"""

from collections.abc import Callable, Mapping

from synth.errors import ReleaseError
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism

CHOICES = ("permute-and-flip", "exponential mechanism")
"""Laws of a choice: the first for pure epsilon, the second for zCDP and Gaussian DP."""
PARTITION_SELECTION = "optimal partition selection"
"""Law of a selection of values with enough rows to be named."""


def _gaussian() -> type[Mechanism]:
    from synth.noise.gaussian import DiscreteGaussian

    return DiscreteGaussian


def _knorm() -> type[Mechanism]:
    from synth.noise.knorm import KNorm

    return KNorm


MECHANISMS: dict[str, Callable[[], type[Mechanism]]] = {
    DiscreteLaplace.law: lambda: DiscreteLaplace,
    "discrete Gaussian": _gaussian,
    "K-norm": _knorm,
}
"""The class of each mechanism by its law, imported when it is asked for.

To add a mechanism, write its module and add a function here that returns its class."""


def is_known(mechanism: Mechanism) -> bool:
    """Return whether the mechanism's very class is registered.

    An instance of a subclass is not enough, as that could draw other noise.
    """
    find_class = MECHANISMS.get(mechanism.law)
    return find_class is not None and type(mechanism) is find_class()


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
        return MECHANISMS[description["law"]]().read(description)
    except KeyError:
        raise ValueError(description) from None
