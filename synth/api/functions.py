"""Your own functions of a release's columns, with intervals by simulation."""

import math
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from synth.analysis import (
    BIAS,
    NOISE_SOURCE,
    PEOPLE,
    REDRAWN,
    Conclusion,
    generator,
    interval_from,
    mended_tables,
    modelled_tables,
)
from synth.api.frames import frame_of
from synth.domain import Domain
from synth.errors import ArgumentError, QuestionError
from synth.estimate import Record
from synth.rows import decode
from synth.util import Codes, Floats

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int], None]
"""Called with the number of finished tables and of all tables."""
SPREAD_EVENLY = "of the binned table: assumed: values are spread evenly within bins"
JOINED_REMARK = (
    "MODEL: these columns were not measured together; assumed: their joint counts follow "
    "from the measured ones by maximum entropy. The release cannot confirm that, and the "
    "interval does not cover it"
)
BY_MODEL = (
    "The release cannot answer: {why}. To let a model join the measured counts, add "
    "by_model=True, or --by-model; the result then says so."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FunctionOf:
    """A function of some columns of a release.

    Attributes:
        function: It takes a DataFrame of these columns.
        domain: These columns only.
        record: What the release measured.
        digest: The digest of the bundle, which seeds the simulation.
    """

    function: "Callable[[pd.DataFrame], Any]"
    domain: Domain
    record: Record
    digest: str

    def interval(
        self, confidence: float, *, sampled: bool, by_model: bool, progress: Progress | None
    ) -> Conclusion:
        """Return the function's values with their intervals by simulation.

        The function runs on a table made from the release, which gives the estimates. Then it
        runs on tables redrawn from that one, whose results give the intervals.

        Args:
            confidence: The probability that an interval contains the true value.
            sampled: Whether the rows count as a random sample of people.
            by_model: Whether a model may join columns that were not measured together.
            progress: Called with the number of finished redrawn tables and of all; None for
                none.

        Raises:
            QuestionError: The release did not measure these columns together.
            ArgumentError: The function fails, or returns no number.
        """
        names = self.domain.names
        modelled = by_model and not self._is_joint
        # Draws the seed of each table's values within bins, from the digest of the bundle.
        places = generator(self.digest, "places", *names)
        labels: tuple[str, ...] = ()
        results: list[Floats] = []
        for done, codes in enumerate(self._tables(modelled=modelled, sampled=sampled)):
            frame = frame_of(decode(self.domain, codes, seed=int(places.integers(2**62))))
            new_labels, numbers = numbers_of(self.function, frame, done)
            if results and new_labels != labels:
                raise ArgumentError(
                    f"The function returns different names {_name_table(done)} than on the "
                    "first table."
                )
            labels = new_labels
            results.append(numbers)
            if progress is not None:
                progress(done, REDRAWN)
        # The first result is of the release's own table, the others are of redrawn tables.
        interval = interval_from(results[0], np.array(results[1:]), confidence)
        origin = "repaired from the noisy counts of these columns"
        remarks = [SPREAD_EVENLY]
        if modelled:
            origin = "joined by a model from counts of fewer columns"
            remarks.append(JOINED_REMARK)
        uncertainties = [NOISE_SOURCE, BIAS]
        if sampled:
            uncertainties.append(PEOPLE)
        function_name = getattr(self.function, "__name__", "function")
        return Conclusion(
            question=f"{function_name} of {', '.join(names)}",
            labels=labels,
            estimate=interval.value,
            low=interval.low,
            high=interval.high,
            expected_error=math.nan,
            confidence=confidence,
            unit="the function's own",
            how=f"the function of a table that was {origin}",
            counts=tuple(uncertainties),
            simulated=True,
            remarks=tuple(remarks),
        )

    @property
    def _is_joint(self) -> bool:
        """Whether all columns were measured together."""
        if self.record.histogram is not None:  # it counts all columns of the release at once
            return True
        all_names = self.record.domain.names
        cliques = ({all_names[i] for i in clique} for clique, _ in self.record.measured)
        return any(clique.issuperset(self.domain.names) for clique in cliques)

    def _tables(self, *, modelled: bool, sampled: bool) -> Iterator[list[Codes]]:
        """Yield the estimated table of these columns, and then tables redrawn from it.

        Each is a list with an array for each column: the cell of every row, shape (rows,).

        Args:
            modelled: Whether a model joins columns that were not measured together.
            sampled: Whether the rows are drawn again too, as a sample of people.

        Raises:
            QuestionError: The columns were not measured together; the sentence says whether a
                model could join them.
        """
        make = modelled_tables if modelled else mended_tables
        try:
            yield from make(
                self.domain.names, self.record, sampled=sampled, digest=self.digest
            )
        except QuestionError as error:
            why = str(error).rstrip(".")
            sentence = f"The release cannot answer: {why}."
            if not self._is_joint and not modelled:
                sentence = BY_MODEL.format(why=why)
            raise QuestionError(sentence) from None


def numbers_of(
    f: "Callable[[pd.DataFrame], Any]", frame: "pd.DataFrame", table: int
) -> tuple[tuple[str, ...], Floats]:
    """Return the labels and the numbers that a user's function returns for a table.

    Args:
        f: The function. It returns a number, or several in a list, a dict or a Series.
        frame: The table that it gets.
        table: The number of the table, for messages; 0 is made from the release, others are
            redrawn. A number may be infinite or NaN for others only.

    Returns:
        Labels, and numbers of shape (numbers,). There are no labels for a single number.

    Raises:
        ArgumentError: The function fails (with its message and line), or returns no numbers.
    """
    try:
        result = f(frame)
    except Exception as error:  # noqa: BLE001 - any error of the function is shown
        # The last line of the function's own file helps its author most; else any last line.
        calls = traceback.extract_tb(error.__traceback__)[1:]  # without the call above
        file = getattr(getattr(f, "__code__", None), "co_filename", None)
        own_lines = [call.lineno for call in calls if call.filename == file]
        all_lines = [call.lineno for call in calls]
        row = (own_lines or all_lines or [None])[-1]
        raise ArgumentError(
            f"The function failed {_name_table(table)}, in row {row}: "
            f"{type(error).__name__}: {error}"
        ) from None
    try:
        has_names = hasattr(result, "keys")  # as a dict or a Series has
        by_label = dict(result) if has_names else dict(enumerate(np.atleast_1d(result)))
        numbers = np.array([float(number) for number in by_label.values()])
    except (TypeError, ValueError):
        numbers = np.full(1, np.nan)
    if not len(numbers) or (not table and not np.isfinite(numbers).all()):
        raise ArgumentError(
            f"The function gives {str(result)[:40]!r} {_name_table(table)}, which is no "
            "number."
        ) from None
    is_single = np.ndim(result) == 0 and not has_names
    return () if is_single else tuple(map(str, by_label)), numbers


def _name_table(table: int) -> str:
    return f"on table {table} of those redrawn" if table else "on the table of the release"
