"""Differentially private synthetic tables, and answers.

Five functions do most of the work:

- `draft` describes the columns of a table, for you to review.
- `release` makes a synthetic table with its certificate.
- `verify` checks a bundle of files, as anyone can who has it.
- `analyse` draws conclusions from a bundle.
- `ask` answers questions about a table.

Each of them has examples in its help, such as `help(synth.release)`. `forecast` shows what to
expect before you spend, and `compare` shows you alone how near the rows came.

`__all__` lists what there is; each name is imported when it is first used (PEP 562), so that
``import synth`` takes no time. The way of a value through the package is
`docs/architecture.md`: declared domain -> private table -> private counts -> one door ->
noisy counts -> model -> rows -> bundle.

>>> import pandas as pd, synth
>>> frame = pd.DataFrame({"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500})
>>> domain = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])
>>> synth.release(frame, domain, epsilon="1").table.shape
(1000, 2)
"""

import sys
from typing import TYPE_CHECKING

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    SENTENCE = "Synth needs Python {}.{} or newer; this one is {}.{}.".format(
        *OLDEST, *sys.version_info
    )
    # `python -m` would show where in the code this stands, and that helps nobody.
    raise SystemExit(SENTENCE) if sys.argv[:1] == ["-m"] else ImportError(SENTENCE)

if TYPE_CHECKING:
    from synth.api.analysing import Analysis, analyse
    from synth.api.asking import Answers, ask
    from synth.api.checking import Check, check
    from synth.api.comparing import ReleaseComparison, compare
    from synth.api.dossiers import write_dossier
    from synth.api.drafting import draft
    from synth.api.drafts import Draft
    from synth.api.drawing import DrawnTable, draw, dummy
    from synth.api.forecasting import ReleaseForecast, forecast, verify
    from synth.api.linking import LinkedRelease, release_linked
    from synth.api.opening import open_table
    from synth.api.releasing import Release, open_bundle, release
    from synth.api.replicating import Replicates, replicates
    from synth.api.synthesizer import Synthesizer
    from synth.domain.building import Boolean, Categorical, Date, Duration
    from synth.domain.building import Integer, Number, TimeOfDay
    from synth.domain import Derived
    from synth.domain import Domain
    from synth.domain import Identifier
    from synth.door import Ledger
    from synth.errors import SynthError
    from synth.util.version import __version__

# What a reader needs first comes first; the rest is sorted.
__all__ = (  # noqa: RUF022
    "draft",
    "release",
    "verify",
    "analyse",
    "ask",
    "Analysis",
    "Answers",
    "Boolean",
    "Categorical",
    "Check",
    "Date",
    "Derived",
    "Domain",
    "Draft",
    "DrawnTable",
    "Duration",
    "Identifier",
    "Integer",
    "Ledger",
    "LinkedRelease",
    "Number",
    "Release",
    "ReleaseComparison",
    "ReleaseForecast",
    "Replicates",
    "SynthError",
    "Synthesizer",
    "TimeOfDay",
    "__version__",
    "check",
    "compare",
    "draw",
    "dummy",
    "forecast",
    "open_bundle",
    "open_table",
    "release_linked",
    "replicates",
    "write_dossier",
)


def __getattr__(name: str) -> object:
    from synth.util import offer

    return offer(__name__)(name)


def __dir__() -> list[str]:
    return sorted(__all__)
