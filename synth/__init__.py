"""Differentially private synthetic tables, and answers.

>>> import pandas as pd, synth
>>> frame = pd.DataFrame({"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500})
>>> domain = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])
>>> synth.release(frame, domain, epsilon="1").table.shape
(1000, 2)

`__all__` lists what there is; each name is imported when it is first used (PEP 562), so that
``import synth`` takes no time. Inside, the package reads like one sentence:

Public domain -> private table -> private counts -> one door -> noisy counts -> distribution
-> rows. Each module imports only from those named before it in that sentence.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    SENTENCE = "Synth needs Python {}.{} or newer; this one is {}.{}.".format(
        *OLDEST, *sys.version_info
    )
    # `python -m` would show where in the code this stands, and that helps nobody.
    raise SystemExit(SENTENCE) if sys.argv[:1] == ["-m"] else ImportError(SENTENCE)

if TYPE_CHECKING:
    from synth.domain.building import Boolean, Categorical, Date, Integer, Number
    from synth.domain.derived import Derived
    from synth.domain.domain import Domain
    from synth.errors import SynthError
    from synth.face.analysing import Analysis, analyse
    from synth.face.asking import Answers, ask
    from synth.face.comparing import ReleaseComparison, compare
    from synth.face.forecasting import ReleaseForecast, forecast, verify
    from synth.face.opening import open_table
    from synth.face.releasing import Release, open_bundle, release
    from synth.face.replicating import Replicates, replicates
    from synth.face.synthesizer import Synthesizer
    from synth.ledger.ledger import Ledger
    from synth.util.version import __version__

__all__ = (
    "Analysis",
    "Answers",
    "Boolean",
    "Categorical",
    "Date",
    "Derived",
    "Domain",
    "Integer",
    "Ledger",
    "Number",
    "Release",
    "ReleaseComparison",
    "ReleaseForecast",
    "Replicates",
    "SynthError",
    "Synthesizer",
    "__version__",
    "analyse",
    "ask",
    "compare",
    "forecast",
    "open_bundle",
    "open_table",
    "release",
    "replicates",
    "verify",
)

_HOMES = {
    "domain.building": "Boolean Categorical Date Integer Number",
    "domain.derived": "Derived",
    "domain.domain": "Domain",
    "errors": "SynthError",
    "face.analysing": "Analysis analyse",
    "face.asking": "Answers ask",
    "face.comparing": "ReleaseComparison compare",
    "face.forecasting": "ReleaseForecast forecast verify",
    "face.opening": "open_table",
    "face.releasing": "Release open_bundle release",
    "face.replicating": "Replicates replicates",
    "face.synthesizer": "Synthesizer",
    "ledger.ledger": "Ledger",
    "util.version": "__version__",
}
"""Where each name is from; a new one needs a line here, one above, and its module."""


def __getattr__(name: str) -> object:
    home = next((module for module, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        message = f"module 'synth' has no attribute '{name}'"
        raise AttributeError(message)
    found: object = getattr(import_module(f"synth.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
