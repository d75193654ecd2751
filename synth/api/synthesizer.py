"""``Synthesizer``: a release as ``fit`` and ``sample``."""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from synth import limits
from synth.api.declaring import as_domain, rules_of
from synth.api.frames import frame_of
from synth.api.releasing import Release, release
from synth.api.spending import Amount, input_paths, path_of_ledger
from synth.errors import ReleaseError
from synth.estimate import HistogramRecord
from synth.privacy import Guarantee, name_cost, parse_epsilon, parse_rational
from synth.private.table import TableLike
from synth.rows import draw_rows, resample
from synth.util import check_types, check_whole, in_range, refuse_shared_ledger

if TYPE_CHECKING:
    import pandas as pd


class Synthesizer:
    """A release in two steps: each ``fit`` spends the budget; ``sample`` is free.

    There is no ``random_state``: noise that anyone can draw again protects nobody.

    Args:
        domain: The declared columns, as in `synth.release`.
        epsilon: The budget of one ``fit``, as in `synth.release`.
        options: Other arguments of `synth.release`, such as ``ledger`` and ``dataset``.

    Raises:
        SynthError: The domain or the budget is invalid.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> model = synth.Synthesizer(synth.Domain(sex=["f", "m"]), epsilon=1).fit(frame)
    >>> len(model.sample(10)), model
    (10, Synthesizer(epsilon 1, spent epsilon 1))
    >>> model.release
    Release(1,000 rows, 1 column, epsilon 1, replace-one)
    """

    @check_types
    def __init__(self, domain: Any, epsilon: Amount = "1", **options: Any) -> None:
        """Read the domain and the budget; nothing is spent yet."""
        self._inputs = input_paths(domain)
        refuse_shared_ledger(path_of_ledger(options.get("ledger")), self._inputs)
        self.domain = as_domain(domain)
        self.epsilon = parse_epsilon(epsilon)
        delta = parse_rational(options.get("delta", 0), name="delta")
        self._cost = Guarantee.of(self.epsilon, delta)
        self._fits = 0
        self._options = {"rules": rules_of(domain), **options}
        self._release: Release | None = None

    def fit(self, data: TableLike) -> Synthesizer:
        """Spend the budget on a table; a second call spends it again, with a warning.

        Raises:
            SynthError: With one sentence.
        """
        new = release(data, self.domain, self.epsilon, **self._options)
        # A release that the ledger already has comes again at no cost.
        spends_again = self._release is not None and not new.repeated
        self._release = replace(new, inputs=(*new.inputs, *self._inputs))
        if not new.repeated:
            self._fits += 1
        if spends_again:
            note = (
                f"This fit spent {name_cost(self._cost)} again: {self._spent_words} in "
                "total, if these are the same people. To draw more rows at no cost, call "
                "sample()."
            )
            warnings.warn(note, UserWarning, stacklevel=2)
        return self

    @property
    def spent(self) -> Fraction:
        """Return the epsilon of all fits together.

        >>> import synth
        >>> synth.Synthesizer(synth.Domain(sex=["f", "m"])).spent
        Fraction(0, 1)
        """
        return self._fits * self.epsilon

    @property
    def _spent_words(self) -> str:
        """The cost of all fits together, in words."""
        return name_cost(self._cost.scale(Fraction(self._fits))) if self._fits else "nothing"

    @property
    def release(self) -> Release:
        """Return the release of the last fit, with its certificate.

        Raises:
            ReleaseError: Nothing was fitted yet.
        """
        if self._release is None:
            raise ReleaseError("There is no release to draw from yet. Call fit() first.")
        return self._release

    @check_types
    def sample(self, n: int | None = None) -> pd.DataFrame:
        """Draw rows from the release, at no cost.

        A histogram is drawn afresh. A model gives rows of the release; above their number,
        some appear twice.

        Args:
            n: The number of rows; by default that of the release.

        Raises:
            ReleaseError: Nothing was fitted yet.
            ArgumentError: ``n`` is not a whole number from 1 up.
        """
        release = self.release
        if n is None:
            return release.table
        check_whole(1, n=n)
        in_range(1, limits.ROWS_MAX, n=n)
        record = release.result.record
        synthetic = release.result.synthetic
        if isinstance(record, HistogramRecord):
            rows = draw_rows(record.distribution, int(n), laws=synthetic.laws)
        else:
            rows = resample(synthetic, int(n))
        return frame_of(rows, release.types)

    def __repr__(self) -> str:
        """Return the budget of one fit, and the spent one."""
        return f"Synthesizer({name_cost(self._cost)}, spent {self._spent_words})"
