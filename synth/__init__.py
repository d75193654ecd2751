"""Differentially private synthetic tables.

Public domain -> private table -> private counts -> one door -> noisy counts -> distribution
-> rows. Each module imports only from those named before it in that sentence.
"""

import sys

__version__ = "0.2.0"

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    SENTENCE = "Synth needs Python {}.{} or newer; this one is {}.{}.".format(
        *OLDEST, *sys.version_info
    )
    # `python -m` would show where in the code this stands, and that helps nobody.
    raise SystemExit(SENTENCE) if sys.argv[:1] == ["-m"] else ImportError(SENTENCE)
