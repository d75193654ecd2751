"""``synth.analyse``: conclusions from a bundle, with nothing spent and no table at hand."""

import html
import math
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.analysis.conclusion import About, Conclusion
from synth.analysis.engine import conclusions
from synth.bundle.result import Result
from synth.domain.domain import Domain
from synth.errors import ReleaseError
from synth.face.frames import frame_of
from synth.face.spending import one_of
from synth.questions.answers import Rounding
from synth.questions.question import Question
from synth.questions.reach import LEVEL

if TYPE_CHECKING:
    import pandas as pd

SHOWN = ["question", "label", "estimate", "low", "high", "unit", "kind"]
"""Columns of the table of conclusions."""


class Conclusions(tuple[Conclusion, ...]):
    """Conclusions in the order of their questions."""

    __slots__ = ()

    @property
    def table(self) -> "pd.DataFrame":
        """All numbers, one a row, each with its interval or bound."""
        import pandas as pd

        return pd.DataFrame([line for one in self for line in _lines(one)], columns=SHOWN)

    def _repr_html_(self) -> str:
        said = "".join(f"<li>{html.escape(one.sentence)}</li>" for one in self)
        return f"{self.table.to_html(index=False)}<ul>{said}</ul>"


def _lines(one: Conclusion) -> list[tuple[Any, ...]]:
    kind = "bound" if one.bound else "interval"
    if one.chosen:
        return [
            (one.question, f"{i}", name, None, None, one.unit, "choice")
            for i, name in enumerate(one.chosen, 1)
        ]
    ends: tuple[tuple[Any, Rounding], ...] = (
        (one.estimate, round), (one.low, math.floor), (one.high, math.ceil),
    )  # fmt: skip
    return [
        (
            one.question,
            label,
            *(one.told(float(values[i]), i, end) for values, end in ends),
            one.unit,
            kind,
        )
        for i, label in enumerate(one.labels or ("",))
    ]


@dataclass(frozen=True, eq=False)
class Analysis:
    """A release that can be asked: everything in it is public.

    Attributes:
        result: The release, as the rest of the package calls it.
        stamp: What is wrong with the bundle, where it is used all the same; else empty.

    >>> import pandas as pd, synth, tempfile
    >>> made = synth.release(pd.DataFrame({"sex": ["f", "m"] * 500}), {"sex": ["f", "m"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     analysis = synth.analyse(made.save(f"{folder}/r.zip"))
    >>> analysis
    Analysis(1,000 rows, 1 column)
    >>> (found,) = analysis.ask("share where sex = f")
    >>> bool(found.low[0] <= 0.5 <= found.high[0]), found.unit, found.bound
    (True, 'share', False)
    """

    result: Result
    stamp: str = ""

    @cached_property
    def rows(self) -> "pd.DataFrame":
        """The synthetic rows, with the types that the domain declares."""
        return frame_of(self.result.synthetic)

    @property
    def domain(self) -> Domain:
        """The declared columns."""
        return self.result.plan.domain

    def ask(
        self,
        questions: str | Question | Sequence[str | Question],
        *,
        about: str = About.ROWS,
        confidence: float = LEVEL,
    ) -> Conclusions:
        """Answer questions from the release: free, and no table is opened.

        Args:
            questions: As one would say them, such as "share where age >= 65"; one or several.
            about: "rows": the rows that were counted; "people": those they are a sample of.
            confidence: The chance that an interval holds the truth.

        Raises:
            QuestionError: One of them is none, or the release has no answer to it.
        """
        asked = [questions] if isinstance(questions, str | Question) else questions
        whom = About(one_of("about", about, [*About]))
        found = conclusions(asked, self.result.record, about=whom, confidence=confidence)
        return Conclusions(found)

    def __repr__(self) -> str:
        rows, columns = self.result.synthetic.rows, len(self.domain.columns)
        note = ", unverified" * bool(self.stamp)
        return f"Analysis({rows:,} rows, {columns} column{'s' * (columns > 1)}{note})"


def analyse(bundle: str | Path) -> Analysis:
    """Open a bundle to draw conclusions from it, after every check that `verify` makes.

    Args:
        bundle: The zip file.

    Raises:
        ReleaseError: With the first thing that does not hold, or what is missing.

    >>> import synth
    >>> try:
    ...     synth.analyse("nowhere.zip")
    ... except synth.SynthError as error:
    ...     print(error)
    There is no file 'nowhere.zip'.
    """
    from synth.verification import reopen  # its charts take a second

    path = Path(bundle)
    if path.is_file() and not zipfile.is_zipfile(path):
        message = (
            f"'{path.name}' is no bundle: rows without their noisy counts and their certificate do "
            "not say how much noise is in them, so no interval can be given; open the bundle "
            "(.zip) they came in."
        )
        raise ReleaseError(message)
    return Analysis(reopen.open_bundle(path).result)
