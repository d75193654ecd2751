"""The guarantee and its cost, in exact rationals. PUBLIC.

``guarantee``    neighbours, the protected unit, epsilon and delta
``readings``     what counts as a row of the table
``accounting``   Gaussian noise and compositions in epsilon, delta and rho
``gaussian_dp``  Gaussian differential privacy
``budget``       the most that may ever be spent on a dataset
``totals``       the total cost of many spends
``sharing``      shares of a guarantee, and a guarantee at another delta
``loss``         the privacy loss of discrete mechanisms, exact
``sensitivity``  how far one person moves an answer
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.privacy.accounting import analytic_sigma, compose, gaussian_delta, pure_rho
    from synth.privacy.accounting import zcdp_epsilon, zcdp_rho
    from synth.privacy.budget import Budget, DEFAULT_BUDGET, brief, from_terms
    from synth.privacy.budget import (
        name_cost,
        parse_budget,
        plain,
        scientific,
        smallest_budget,
    )
    from synth.privacy.budget import terms
    from synth.privacy.gaussian_dp import noise_price, find_sigma2, to_rho
    from synth.privacy.guarantee import Guarantee, Neighbors, OF_RANGE, ROW, RootUnit, Unit
    from synth.privacy.guarantee import in_rho
    from synth.privacy.guarantee import parse_epsilon, parse_rational, parse_rho, parse_whole
    from synth.privacy.loss import PrivacyLoss
    from synth.privacy.readings import RowReading, reading_caveats
    from synth.privacy.sensitivity import GRID, Sensitivity, distance_sensitivity
    from synth.privacy.sharing import implied_guarantee, share_out, spell
    from synth.privacy.totals import (
        InAdvance,
        covers,
        in_advance,
        in_unit_of,
        in_zcdp,
        sum_up,
    )

__getattr__ = offer(__name__)
