"""Checks of bundles and answers, and bundles opened again as releases. PUBLIC.

``checks``     runs all checks and returns the verdict
``files``      checks of every bundle
``pages``      compares two reports
``histogram``  the noise, the counts, and the rows drawn again from them
``marginals``  the spends, the marginals, and the rows by domain, seed and rules
``columns``    the rows' columns, to the row, and how real rows would fail
``drawn``      dummies, and rows of a release drawn once more
``linked``     costs, noise and keys of linked tables
``redrawn``    the rows of a model, drawn again if you ask for it
``verdict``    the three verdicts, and claims that were not checked
``parts``      rows in a folder of parts
``exported``   files of other formats, written again
``answers``    the arrangement, its costs, and the answers read again
``reopen``     a bundle opened again as a release
``unverified`` a bundle opened although a claim does not hold
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.verification.checks import Verified, VerifiedRelease, verify
    from synth.verification.exported import check_exported
    from synth.verification.reopen import open_bundle
    from synth.verification.verdict import OpenClaim

__getattr__ = offer(__name__)
