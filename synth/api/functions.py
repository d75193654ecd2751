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

    ``domain`` has these columns only; the bundle's digest seeds the simulation.
    """

    function: "Callable[[pd.DataFrame], Any]"
    domain: Domain
    record: Record
    digest: str

    def interval(
        self, confidence: float, *, sampled: bool, by_model: bool, progress: Progress | None
    ) -> Conclusion:
        """Return the function's values with their intervals.

        Raises:
            QuestionError: The release did not measure these columns together.
            ArgumentError: The function fails, or returns no number.
        """
        names, modelled = self.domain.names, by_model and not self._is_joint
        places = generator(self.digest, "places", *names)
        labels: tuple[str, ...] = ()
        found: list[Floats] = []
        for done, codes in enumerate(self._tables(modelled=modelled, sampled=sampled)):
            frame = frame_of(decode(self.domain, codes, seed=int(places.integers(2**62))))
            told, numbers = numbers_of(self.function, frame, done)
            if found and told != labels:
                raise ArgumentError(
                    f"The function returns different names {_name_table(done)} than on the "
                    "first table."
                )
            labels = told
            found.append(numbers)
            if progress is not None:
                progress(done, REDRAWN)
        made = interval_from(found[0], np.array(found[1:]), confidence)
        mended = "repaired from the noisy counts of these columns"
        joined = "joined by a model from counts of fewer columns"
        function_name = getattr(self.function, "__name__", "function")
        return Conclusion(
            question=f"{function_name} of {', '.join(names)}",
            labels=labels,
            estimate=made.value,
            low=made.low,
            high=made.high,
            expected_error=math.nan,
            confidence=confidence,
            unit="the function's own",
            how=f"the function of a table that was {joined if modelled else mended}",
            counts=(NOISE_SOURCE, BIAS, *[PEOPLE] * sampled),
            simulated=True,
            remarks=(SPREAD_EVENLY, *[JOINED_REMARK] * modelled),
        )

    @property
    def _is_joint(self) -> bool:
        wanted, names = set(self.domain.names), self.record.domain.names
        cliques = [{names[i] for i in clique} for clique, _ in self.record.measured]
        return self.record.histogram is not None or any(wanted <= one for one in cliques)

    def _tables(self, *, modelled: bool, sampled: bool) -> Iterator[list[Codes]]:
        make = modelled_tables if modelled else mended_tables
        try:
            yield from make(
                self.domain.names, self.record, sampled=sampled, digest=self.digest
            )
        except QuestionError as error:
            why = str(error).rstrip(".")
            apart = not self._is_joint and not modelled
            raise QuestionError(
                BY_MODEL.format(why=why) if apart else f"The release cannot answer: {why}."
            ) from None


def numbers_of(
    f: "Callable[[pd.DataFrame], Any]", frame: "pd.DataFrame", table: int
) -> tuple[tuple[str, ...], Floats]:
    """Return the labels and numbers of a function's result; no labels for one number.

    ``table`` is the number of the simulated table; 0 is the release itself.

    Raises:
        ArgumentError: The function fails (with its message and line), or returns no numbers.
    """
    try:
        found = f(frame)
    except Exception as error:  # noqa: BLE001 - any error of the function is shown
        frames = traceback.extract_tb(error.__traceback__)[1:]
        file = getattr(getattr(f, "__code__", None), "co_filename", None)
        own = [frame.lineno for frame in frames if frame.filename == file]
        row = (own or [frame.lineno for frame in frames] or [None])[-1]
        raise ArgumentError(
            f"The function failed {_name_table(table)}, in row {row}: "
            f"{type(error).__name__}: {error}"
        ) from None
    try:
        named = (
            dict(found) if hasattr(found, "keys") else dict(enumerate(np.atleast_1d(found)))
        )
        numbers = np.array([float(one) for one in named.values()])
    except (TypeError, ValueError):
        numbers = np.full(1, np.nan)
    if not len(numbers) or (not table and not np.isfinite(numbers).all()):
        raise ArgumentError(
            f"The function gives {str(found)[:40]!r} {_name_table(table)}, which is no "
            "number."
        ) from None
    single = np.ndim(found) == 0 and not hasattr(found, "keys")
    return () if single else tuple(map(str, named)), numbers


def _name_table(table: int) -> str:
    return f"on table {table} of those redrawn" if table else "on the table of the release"
