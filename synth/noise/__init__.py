"""Exact noise: integers drawn from discrete laws with the operating system's randomness.
PUBLIC.

``mechanism``       the interface of every mechanism
``known``           registry of the mechanisms
``bits``            random bytes; no other file reads randomness
``sampler``         one exact sampler for every law
``laws``            the laws, as certified enclosures
``laplace``         the discrete Laplace mechanism
``floats``          laws in floats, to describe noise and never to draw it
``gaussian``        the discrete Gaussian mechanism
``coins``           many coins at once
``remainders``      the last digit of large Laplace noise
``exponential``     the exponential mechanism and permute-and-flip
``grouped``         selection among runs of candidates of equal score
``partitions``      selection of values with enough rows to be named
``knorm``           K-norm noise on the integer lattice
``radius``          the radius of K-norm noise
``exceedances``     cells whose noise alone reaches a threshold
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.noise.exceedances import draw_exceedances
    from synth.noise.exponential import draw_exponential, permute_and_flip
    from synth.noise.floats.blends import (
        JointNoise,
        WeightedNoise,
        blend_deviation,
        blend_reach,
    )
    from synth.noise.floats.blends import blend_size
    from synth.noise.floats.choices import ChoiceLaw
    from synth.noise.floats.gaussian import GaussianLaw
    from synth.noise.floats.knorm import BallLaw, CubeLaw, NearBallLaw
    from synth.noise.floats.laplace import LaplaceLaw
    from synth.noise.floats.law import LEVEL, NoiseLaw, largest_normal, reach
    from synth.noise.floats.matrices import norm_reach
    from synth.noise.floats.sums import CellLaw, FINE, sum_law
    from synth.noise.gaussian import DiscreteGaussian
    from synth.noise.grouped import exponential_grouped, permute_and_flip_grouped
    from synth.noise.knorm import KNorm, L2_REACH, Norm, is_in_reach, largest_scale
    from synth.noise.known import CHOICES, MECHANISMS, PARTITION_SELECTION
    from synth.noise.known import describe, is_known, mechanism_of
    from synth.noise.laplace import DiscreteLaplace
    from synth.noise.laws import exp_minus
    from synth.noise.mechanism import (
        CellNoise,
        MAX_VALUE,
        Mechanism,
        expected_largest,
        law_of,
    )
    from synth.noise.partitions import LEAST, PartitionSelection
    from synth.noise.radius import is_quick

__getattr__ = offer(__name__)
