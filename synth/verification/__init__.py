"""Checks of bundles and answers, and bundles opened again as releases. PUBLIC.

``opened``        the beginning of a check, which refuses what is no bundle
``checks``        all checks, and the verdict
``unverified``    bundles opened although a claim does not hold
``files``         checks of every bundle
``bundled_rows``  the rows of a bundle
``pages``         compares pages up to the last bits of numbers
``releases``      releases of one table
``histogram``     releases by histogram
``marginals``     releases by marginals
``payments``      payments, and the noise that they pay for
``columns``       columns, to the row
``drawn``         dummies, and rows drawn once more
``linked``        linked tables
``redrawn``       a model's rows, drawn again
``leaves``        every leaf of a certificate, compared
``given``         the parts that cannot be made again, and why
``remade``        certificates, made again
``verdict``       verdicts
``verified``      what a check found
``parts``         rows in parts
``exported``      files of other formats
``answers``       answers to questions
``versions``      what is checked of another version's bundle
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.verification.checks import UNRECORDED, PublicReader, open_bundle
    from synth.verification.exported import check_exported
    from synth.verification.leaves import OpenPart
    from synth.verification.opened import verify
    from synth.verification.verdict import OpenClaim
    from synth.verification.verified import Verified, VerifiedRelease

__getattr__ = offer(__name__)
