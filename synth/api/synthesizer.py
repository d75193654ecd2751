"""``Synthesizer``: the same as ``fit`` and ``sample``, for those who expect it."""

import warnings
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from synth import limits
from synth.api.frames import frame_of
from synth.api.releasing import Release, release
from synth.api.spending import Amount, as_domain
from synth.errors import ReleaseError
from synth.estimate import HistogramRecord
from synth.privacy import parse_epsilon, plain
from synth.private.table import TableSource
from synth.rows import SyntheticTable, draw_rows, resample
from synth.util import check_whole, in_range

if TYPE_CHECKING:
    import pandas as pd


class Synthesizer:
    """A release in two steps. The budget is spent by ``fit``, each time; ``sample`` is free.

    There is no ``random_state``: noise that could be drawn again would protect nobody.

    Args:
        domain: What columns may hold, as in `synth.release`.
        epsilon: The budget of one ``fit``, as in `synth.release`.
        options: More that `synth.release` takes, such as ``ledger`` and ``dataset``.

    Raises:
        SynthError: The domain or the budget makes no sense.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> model = synth.Synthesizer(synth.Domain(sex=["f", "m"]), epsilon=1).fit(frame)
    >>> len(model.sample(10)), model
    (10, Synthesizer(epsilon 1, spent 1))
    >>> model.release
    Release(1,000 rows, 1 column, epsilon 1, replace-one)
    """

    def __init__(self, domain: Any, epsilon: Amount = "1", **options: Any) -> None:
        self.domain = as_domain(domain)
        self.epsilon = parse_epsilon(epsilon)
        self.spent = Fraction(0)
        self._options = options
        self._release: Release | None = None

    def fit(self, data: TableSource) -> "Synthesizer":
        """Spend the budget on a table; a second time spends it again, and says so.

        Raises:
            SynthError: With one sentence.
        """
        made = release(data, self.domain, self.epsilon, **self._options)
        again = self._release is not None and not made.repeated
        self._release = made
        self.spent += 0 if made.repeated else self.epsilon
        if again:
            note = (
                f"This fit spent epsilon {plain(self.epsilon)} again: {plain(self.spent)} in all, "
                "if these are the same people. To draw more rows, sample; that spends nothing."
            )
            warnings.warn(note, UserWarning, stacklevel=2)
        return self

    @property
    def release(self) -> Release:
        """What the last fit released, with its certificate.

        Raises:
            ReleaseError: There was none.
        """
        if self._release is None:
            raise ReleaseError("There is nothing to draw from yet; fit a table first.")
        return self._release

    def sample(self, n: int | None = None) -> "pd.DataFrame":
        """Draw rows from what was released; nothing is spent.

        A histogram is drawn from afresh. Of a model its rows are: with more of them than it
        released, some come twice.

        Args:
            n: How many; by default the rows of the release.

        Raises:
            ReleaseError: Nothing was fitted yet.
            ArgumentError: ``n`` is no whole number from 1 up.
        """
        made = self.release
        if n is None:
            return made.table
        check_whole(1, n=n)
        in_range(1, limits.ROWS_MAX, n=n)
        return frame_of(_draw_rows(made, int(n)))

    def __repr__(self) -> str:
        return f"Synthesizer(epsilon {plain(self.epsilon)}, spent {plain(self.spent)})"


def _draw_rows(made: Release, n: int) -> SyntheticTable:
    record, released = made.result.record, made.result.synthetic
    if isinstance(record, HistogramRecord):
        return draw_rows(record.distribution, n, laws=released.laws)
    return resample(released, n)
