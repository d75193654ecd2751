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
from synth.api.answer_lines import number_lines, texts_html
from synth.api.frames import frame_of
from synth.api.functions import FunctionOf, Progress
from synth.api.option_names import AboutName
from synth.bundle import CheckRequest, Result, sha256
from synth.domain import Domain
from synth.errors import QuestionError, ReleaseError
from synth.estimate import ColumnSet
from synth.noise import LEVEL
from synth.plans import read_word
from synth.questions import Question, check_question, parse
from synth.util import Floats, check_types, sum_by_cell

if TYPE_CHECKING:
    import pandas as pd

SHOWN_COLUMNS = ["question", "label", "estimate", "low", "high", "unit", "kind"]


class Conclusions(tuple[Conclusion, ...]):
    """Conclusions in the order of their questions, which show as a table."""

    __slots__ = ()

    @property
    def table(self) -> pd.DataFrame:
        """Return a DataFrame with one number per row, with its interval or bound."""
        import pandas as pd

        lines: list[tuple[Any, ...]] = []
        for conclusion in self:
            lines += _lines(conclusion)
        return pd.DataFrame(lines, columns=SHOWN_COLUMNS)

    def __repr__(self) -> str:
        """Return the number of conclusions."""
        return (
            "Conclusions(1 question)"
            if len(self) == 1
            else f"Conclusions({len(self)} questions)"
        )

    def _repr_html_(self) -> str:
        """Return the numbers as a table, and a sentence on each, for a notebook."""
        items = "".join(f"<li>{html.escape(conclusion.sentence)}</li>" for conclusion in self)
        table = texts_html((conclusion.question, conclusion) for conclusion in self)
        return f"{table}<ul>{items}</ul>"


def _lines(conclusion: Conclusion) -> list[tuple[Any, ...]]:
    """Return a conclusion as lines of a table, one for each of its numbers.

    Each line has the question, the label, the estimate, the low and the high end, the unit,
    and the kind: "interval", "bound" (without an estimate) or "choice" (without numbers).
    """
    if conclusion.chosen:
        kind = "choice"
    elif conclusion.bound:
        kind = "bound"
    else:
        kind = "interval"
    lines = number_lines(
        conclusion.chosen,
        conclusion.labels,
        (conclusion.estimate, conclusion.low, conclusion.high),
        round_number=conclusion.write_number,
    )
    return [(conclusion.question, *line, conclusion.unit, kind) for line in lines]


@dataclass(frozen=True, eq=False)
class Analysis:
    """An open release that answers questions. Everything in it is public.

    Attributes:
        result: The release in detail.
        stamp: The failed check of a bundle that you use anyway; empty if it verifies.
        digest: The digest of the certificate, which seeds simulations: the same bundle and
            question give the same interval. Empty for a fresh seed.

    >>> import pandas as pd, synth, tempfile
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
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
        """Return the synthetic rows, with the declared types."""
        return frame_of(self.result.synthetic)

    @property
    def domain(self) -> Domain:
        """Return the declared columns of the release."""
        return self.result.plan.domain

    @check_types
    def ask(
        self,
        questions: str | Question | Sequence[str | Question],
        *,
        about: AboutName = "rows",
        confidence: float = LEVEL,
    ) -> Conclusions:
        """Answer questions from the release, at no cost.

        Args:
            questions: One or several, such as "share where age >= 65".
            about: "rows" for the counted rows, "people" for the population that they are a
                sample of.
            confidence: The probability that an interval contains the true value.

        Raises:
            QuestionError: Synth cannot read a question, or the release cannot answer it.
        """
        question_list = [questions] if isinstance(questions, str | Question) else questions
        answers = conclusions(
            question_list,
            self.result.record,
            about=read_word(About, "about", about),
            confidence=confidence,
            mended=self.mended,
            digest=self.digest,
        )
        return Conclusions(replace(answer, stamp=self.stamp) for answer in answers)

    @check_types
    def request(self, question: str | Question, *, asker: str) -> CheckRequest:
        """Return a request to compare a figure of this release with the real one.

        The steward opens its file by `synth.ask` (``request``), or on the page Ask.

        Args:
            question: The figure, the tolerance and the question: "close to 0.42 within 0.05:
                share where age >= 65".
            asker: Who asks; the steward allows each asker a number of checks.

        Raises:
            QuestionError: The question has no claimed figure, or the release lacks a column.
            ReleaseError: The bundle does not verify, so it names no certificate.

        >>> import pandas as pd, synth, tempfile
        >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
        >>> made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     analysis = synth.analyse(made.save(f"{folder}/r.zip"))
        >>> text = "close to 0.5 within 0.1: share where sex = f"
        >>> str(analysis.request(text, asker="Ada").question) == text
        True
        """
        if self.stamp or not self.digest:
            raise ReleaseError("Only a bundle that verifies can be named in a request.")
        read = parse(question) if isinstance(question, str) else question
        checked = check_question(read, self.domain)
        return CheckRequest.of(checked, asker=asker, release=self.digest)

    @check_types
    def contrast(
        self,
        one: str | Question,
        other: str | Question,
        *,
        ratio: bool = False,
        about: AboutName = "rows",
        confidence: float = LEVEL,
    ) -> Conclusion:
        """Return the difference of two groups (first minus second), or their ratio.

        Args:
            one: The first question, such as "mean hours where sex = f".
            other: The second question, of the same kind.
            ratio: Whether to divide by the second answer instead of subtracting it.
            about: "rows" or "people", as in `ask`.
            confidence: The probability that the interval contains the true value.

        Raises:
            QuestionError: One has no answer, or they are about different numbers.
        """
        conclusion = contrast_groups(
            one,
            other,
            self.result.record,
            ratio=ratio,
            about=read_word(About, "about", about),
            confidence=confidence,
            mended=self.mended,
            digest=self.digest,
        )
        return replace(conclusion, stamp=self.stamp)

    @check_types
    def interval(  # noqa: PLR0913 - public: each option by name
        self,
        f: Callable[[pd.DataFrame], Any],
        columns: Sequence[str],
        *,
        about: AboutName = "rows",
        confidence: float = LEVEL,
        by_model: bool = False,
        progress: Progress | None = None,
    ) -> Conclusion:
        """Return a function's value on some columns, with an interval by simulation.

        Args:
            f: It takes a DataFrame of these columns, with as many rows as the table, and
                returns a number, or several as a list, a dict or a Series.
            columns: Columns that were measured together.
            about: "rows" or "people", as in `ask`.
            confidence: The probability that an interval contains the true value.
            by_model: Whether a model may join columns that were not measured together. The
                conclusion says so: the release cannot show whether the model holds.
            progress: It is called with the number of finished tables and of all tables.

        Raises:
            QuestionError: The release did not measure these columns together.
            ArgumentError: The function fails, or returns no number.
        """
        population = read_word(About, "about", about)
        names = self._check_columns(columns)
        function = FunctionOf(
            function=f,
            domain=self.domain.project(names),
            record=self.result.record,
            digest=self.digest,
        )
        conclusion = function.interval(
            confidence,
            sampled=population is About.PEOPLE,
            by_model=by_model,
            progress=progress,
        )
        return replace(conclusion, about=population, stamp=self.stamp)

    def mended(self, place: ColumnSet) -> Floats:
        """Return the repaired number of rows in each cell of some columns.

        They come from the repaired histogram, or from the rows of a model, scaled to the
        number of rows of the table.

        Args:
            place: The columns, by their numbers in the domain, ascending.

        Returns:
            An array in the shape of the columns' cells.
        """
        record = self.result.record
        if record.histogram is not None:
            expected = record.expected(place)
            if expected is not None:
                return expected
        # Otherwise count the synthetic rows, of which there may be more or fewer.
        synthetic = self.result.synthetic
        shape = tuple(self.domain.shape[column] for column in place)
        counts = sum_by_cell([synthetic.codes[column] for column in place], shape)
        return np.asarray(counts * (record.total / max(1, synthetic.rows)))

    def _check_columns(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the names of columns in the order of the release, each once.

        Raises:
            QuestionError: There are none, or the release has no such column.
        """
        names = [columns] if isinstance(columns, str) else list(columns)
        if not names:
            raise QuestionError("Name the columns of the function's DataFrame.")
        for name in names:
            if name not in self.domain.names:
                raise QuestionError(f"The release has no column '{str(name)[:40]}'.")
        return tuple(name for name in self.domain.names if name in names)

    def __repr__(self) -> str:
        """Return the number of rows and columns, and whether the bundle is unverified."""
        count = len(self.domain.columns)
        columns = "1 column" if count == 1 else f"{count} columns"
        note = ", unverified" if self.stamp else ""
        return f"Analysis({self.result.synthetic.rows:,} rows, {columns}{note})"


@check_types
def analyse(bundle: str | Path, *, anyway: bool = False) -> Analysis:
    """Open a bundle to draw conclusions from it, after all checks of `verify`.

    Args:
        bundle: The zip file, or the folder of a release.
        anyway: Whether to open a bundle that fails a check; every conclusion then says so.

    Raises:
        ReleaseError: A check of the bundle failed, or a part is missing; the message says
            which.

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
        if not anyway or not path.is_file():  # a folder is never opened unverified
            raise
        return Analysis(unverified.open_unverified(path), str(error), sha256(path))
