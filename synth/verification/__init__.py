"""The checks of bundles and answers, and bundles opened again as releases. PUBLIC.

``checks``     all that is checked, and the answer
``files``      what every bundle is checked for
``pages``      whether two reports say the same
``histogram``  the noise, the counts, and the rows drawn again from them
``marginals``  the spends, the marginals, and the rows by domain, seed and rules
``columns``    the rows' columns, to the row, and what they would tell of real rows
``redrawn``    the rows of a model, drawn again where that is asked for
``verdict``    the three answers, and a claim that was not checked
``parts``      rows in a folder of parts
``exported``   files of other formats, written again
``answers``    the arrangement, its costs, and the answers read again
``reopen``     a bundle opened again as the release it was
``unverified`` a bundle opened though it does not hold what it claims
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.verification.checks import Verified, VerifiedRelease, verify
    from synth.verification.exported import check_exported
    from synth.verification.reopen import open_bundle
    from synth.verification.verdict import OpenClaim

__getattr__ = offer(__name__)
