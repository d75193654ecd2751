"""``synth.analyse``: conclusions from a bundle at no cost, without the confidential table."""

from __future__ import annotations

import html
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from synth.analysis import About, Conclusion, conclusions, contrast_groups
from synth.api.frames import frame_of, number_lines, texts_html
from synth.api.functions import FunctionOf, Progress
from synth.bundle import Result, sha256
from synth.domain import Domain
from synth.errors import QuestionError, ReleaseError
from synth.estimate import ColumnSet
from synth.noise import LEVEL
from synth.plans import read_word
from synth.questions import Question
from synth.util import Floats, check_types, sum_by_cell

if TYPE_CHECKING:
    import pandas as pd

SHOWN_COLUMNS = ["question", "label", "estimate", "low", "high", "unit", "kind"]


class Conclusions(tuple[Conclusion, ...]):
    __slots__ = ()

    @property
    def table(self) -> pd.DataFrame:
        """A DataFrame with one number per row, with its interval or bound."""
        import pandas as pd

        return pd.DataFrame(
            [line for one in self for line in _lines(one)], columns=SHOWN_COLUMNS
        )

    def _repr_html_(self) -> str:
        said = "".join(f"<li>{html.escape(one.sentence)}</li>" for one in self)
        return f"{texts_html((one.question, one) for one in self)}<ul>{said}</ul>"


def _lines(one: Conclusion) -> list[tuple[Any, ...]]:
    kind = "choice" if one.chosen else "bound" if one.bound else "interval"
    lines = number_lines(
        one.chosen, one.labels, (one.estimate, one.low, one.high), shown=one.shown
    )
    return [(one.question, *line, one.unit, kind) for line in lines]


@dataclass(frozen=True, eq=False)
class Analysis:
    """An open release that answers questions. Everything in it is public.

    Attributes:
        result: The release in detail. stamp: What is wrong with a bundle that you use anyway.
        digest: The digest of the certificate, which seeds simulations: the same bundle and
        question
            give the same interval. Empty for a fresh seed.

    >>> import pandas as pd, synth, tempfile
    >>> made = synth.release(pd.DataFrame({"sex": ["f", "m"] * 500}), {"sex": ["f", "m"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     analysis = synth.analyse(made.save(f"{folder}/r.zip"))
    >>> analysis
    Analysis(1,000 rows, 1 column)
    >>> (found,) = analysis.ask("share where sex = f")
    >>> bool(0.4 < found.low[0] < found.high[0] < 0.6), found.unit, found.bound
    (True, 'share', False)
    >>> analysis.domain.names, analysis.rows.shape, analysis.mended((0,)).shape
    (('sex',), (1000, 1), (2,))
    >>> analysis.contrast("count where sex = f", "count where sex = m").unit
    'rows'
    >>> analysis.interval(lambda rows: rows["sex"].eq("f").mean(), ["sex"]).simulated
    True
    """

    result: Result
    stamp: str = ""
    digest: str = ""

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The synthetic rows, with the declared types."""
        return frame_of(self.result.synthetic)

    @property
    def domain(self) -> Domain:
        return self.result.plan.domain

    @check_types
    def ask(
        self,
        questions: str | Question | Sequence[str | Question],
        *,
        about: str = About.ROWS,
        confidence: float = LEVEL,
    ) -> Conclusions:
        """Answer questions from the release, at no cost.

        Args:
            questions: One or several, such as "share where age >= 65". about: "rows" for the
            counted rows, "people" for the population that they are a sample
                of.
            confidence: The probability that an interval contains the true value.

        Raises:
            QuestionError: Synth cannot read a question, or the release cannot answer it.
        """
        asked = [questions] if isinstance(questions, str | Question) else questions
        whom = read_word(About, "about", about)
        record = self.result.record
        found = conclusions(
            asked,
            record,
            about=whom,
            confidence=confidence,
            mended=self.mended,
            digest=self.digest,
        )
        return Conclusions(replace(one, stamp=self.stamp) for one in found)

    @check_types
    def contrast(
        self,
        one: str | Question,
        other: str | Question,
        *,
        ratio: bool = False,
        about: str = About.ROWS,
        confidence: float = LEVEL,
    ) -> Conclusion:
        """Return the difference of two groups (first minus second), or their ratio.

        Args:
            one, other: Questions of one kind, such as "mean hours where sex = f".
            about, confidence: As in `ask`.

        Raises:
            QuestionError: One has no answer, or they are about different numbers.
        """
        whom = read_word(About, "about", about)
        found = contrast_groups(
            one,
            other,
            self.result.record,
            ratio=ratio,
            about=whom,
            confidence=confidence,
            mended=self.mended,
            digest=self.digest,
        )
        return replace(found, stamp=self.stamp)

    @check_types
    def interval(
        self,
        f: Callable[[pd.DataFrame], Any],
        columns: Sequence[str],
        *,
        about: str = About.ROWS,
        confidence: float = LEVEL,
        by_model: bool = False,
        progress: Progress | None = None,
    ) -> Conclusion:
        """Return a function's value on some columns, with an interval by simulation.

        Args:
            f: It takes a DataFrame of these columns, with as many rows as the table, and
            returns a
                number, or several as a list, a dict or a Series.
            columns: Columns that were measured together.
            about, confidence: As in `ask`.
            by_model: Whether a model may join columns that were not measured together. The
                conclusion says so: the release cannot show whether the model holds.
            progress: Called with the number of finished tables and of all tables.

        Raises:
            QuestionError: The release did not measure these columns together.
            ArgumentError: The function fails, or returns no number.
        """
        whom = read_word(About, "about", about)
        names = self._check_columns(columns)
        asked = FunctionOf(
            function=f,
            domain=self.domain.project(names),
            record=self.result.record,
            digest=self.digest,
        )
        made = asked.interval(
            confidence, sampled=whom is About.PEOPLE, by_model=by_model, progress=progress
        )
        return replace(made, about=whom, stamp=self.stamp)

    def mended(self, place: ColumnSet) -> Floats:
        """Return rows by cell of columns, ascending: from the repair, or from a model's
        rows.
        """
        record = self.result.record
        if record.histogram is not None and (expected := record.expected(place)) is not None:
            return expected
        synthetic = self.result.synthetic
        shape = tuple(self.domain.shape[column] for column in place)
        counts = sum_by_cell([synthetic.codes[column] for column in place], shape)
        return np.asarray(counts * (record.total / max(1, synthetic.rows)))

    def _check_columns(self, columns: Sequence[str]) -> tuple[str, ...]:
        named = [columns] if isinstance(columns, str) else list(columns)
        lacking = next((name for name in named if name not in self.domain.names), None)
        if lacking is not None or not named:
            message = f"The release has no column '{str(lacking)[:40]}'."
            raise QuestionError(
                message if named else "Name the columns of the function's DataFrame."
            )
        return tuple(name for name in self.domain.names if name in named)

    def __repr__(self) -> str:
        rows, columns = self.result.synthetic.rows, len(self.domain.columns)
        note = ", unverified" * bool(self.stamp)
        return f"Analysis({rows:,} rows, {columns} column{'s' * (columns > 1)}{note})"


@check_types
def analyse(bundle: str | Path, *, anyway: bool = False) -> Analysis:
    """Open a bundle to draw conclusions from it, after all checks of `verify`.

    Args:
        bundle: The zip file, or the folder of a release.
        anyway: Whether to open a bundle that fails a check; every conclusion then says so.

    Raises:
        ReleaseError: With the first failed check, or the missing part.

    >>> import synth
    >>> try:
    ...     synth.analyse("nowhere.zip")
    ... except synth.SynthError as error:
    ...     print(error)
    There is no file 'nowhere.zip'.
    """
    from synth.verification import checks, unverified  # their charts take a second

    path = Path(bundle)
    if path.is_file() and not zipfile.is_zipfile(path):
        raise ReleaseError(
            f"'{path.name}' is no bundle. Rows alone do not show how much noise they "
            "contain, so they give no interval. Open the bundle (.zip) that they came in."
        )
    try:
        opened = checks.open_bundle(path)
        return Analysis(opened.result, digest=opened.archive.digest)
    except ReleaseError as error:
        if not anyway or not path.is_file():
            raise
        return Analysis(unverified.open_unverified(path), str(error), sha256(path))
