"""``Synthesizer``: a release as ``fit`` and ``sample``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from synth import limits
from synth.api.declaring import as_domain, rules_of
from synth.api.frames import frame_like
from synth.api.option_names import FavourName, MethodName, NeighborsName, RepairName
from synth.api.releasing import Release, Rules, read_plan, release
from synth.api.spending import (
    Amount,
    LedgerChoice,
    Protected,
    cost_of,
    input_paths,
    path_of_ledger,
)
from synth.errors import ArgumentError, ReleaseError, SynthError
from synth.estimate import HistogramRecord
from synth.privacy import Guarantee, name_cost
from synth.private.table import TableLike
from synth.rows import draw_rows, resample
from synth.util import (
    SPELLINGS,
    check_fields,
    check_types,
    check_whole,
    in_range,
    refuse_shared_ledger,
    respell,
    take_spellings,
)

if TYPE_CHECKING:
    from synth.api.declaring import DomainLike

# Arguments that are options of a plan; the others say what is protected and recorded.
PLANNED = (
    "epsilon",
    "delta",
    "method",
    "rows",
    "repair",
    "repair_seen",
    "groups",
    "predict",
    "favour",
    "moments",
)


@take_spellings
@dataclass(eq=False, repr=False)
class Synthesizer:
    """A release in two steps: each ``fit`` spends the budget; ``sample`` is free.

    As in scikit-learn, the attributes are the arguments as you gave them, and `get_params`
    and `set_params` read and change them. There is no ``random_state``: noise that anyone can
    draw again protects nobody.

    Attributes:
        domain: The declared columns, as in `synth.release`.
        epsilon: The budget of one ``fit``, as in `synth.release`.
        delta: As in `synth.release`, as are all that follow.
        method: How the table is modelled.
        columns: The columns that take part.
        rows: The number of synthetic rows.
        neighbors: "replace-one" or "add-remove". It may be spelt ``neighbours``.
        person: The column that identifies persons.
        max_rows: The number of rows of one person that count.
        repair: How Synth repairs negative counts.
        repair_seen: Whether you chose the repair after comparing rows with the real ones.
        groups: Groups of columns for the method "groups".
        rules: Rules as JSON, or the path of such a file.
        predict: The column that analysts will predict.
        ledger: The ledger that records the spends.
        dataset: The dataset's name in the ledger.
        new_dataset: Whether the dataset is new, although a similar name exists.
        budget: The total budget of the dataset, set once.
        anyway: Whether to release even if a check shows noise.
        progress: It is called with the name of each stage.
        public: A public table as a first guess.
        vouched_by: Who declares that it is public.
        favour: What synthetic rows favour. It may be spelt ``favor``.
        moments: Sums of numbers that are measured too.

    Raises:
        SynthError: The domain, the budget or an option is wrong; nothing is read or spent.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> model = synth.Synthesizer(synth.Domain(sex=["f", "m"]), epsilon=1).fit(frame)
    >>> len(model.sample(10)), model
    (10, Synthesizer(epsilon 1, spent epsilon 1))
    >>> model.release
    Release(1,000 rows, 1 column, epsilon 1, replace-one)
    """

    domain: DomainLike
    epsilon: Amount
    _: KW_ONLY
    delta: Amount = 0
    method: MethodName = "auto"
    columns: Sequence[str] | None = None
    rows: int | None = None
    neighbors: NeighborsName = "replace-one"
    person: str = ""
    max_rows: int = 1
    repair: RepairName = "auto"
    repair_seen: bool = False
    groups: Sequence[Sequence[str]] = ()
    rules: Rules = None
    predict: str = ""
    ledger: LedgerChoice = None
    dataset: str | None = None
    new_dataset: bool = False
    budget: Amount | None = None
    anyway: bool = False
    progress: Callable[[str], None] | None = None
    public: TableLike | None = None
    vouched_by: str = ""
    favour: FavourName = "errors"
    moments: str | Sequence[str] = "auto"
    if TYPE_CHECKING:  # other spellings, which become the fields above
        neighbours: NeighborsName | None = None
        favor: FavourName | None = None

    def __post_init__(self) -> None:
        """Refuse wrong arguments; nothing is read and nothing is spent yet."""
        self._costs: list[Guarantee] = []
        self._release: Release | None = None
        self._check()

    def _check(self) -> None:
        """Refuse wrong arguments.

        Raises:
            SynthError: One is wrong.
        """
        check_fields(self)
        cost = cost_of(self.epsilon, self.delta)
        inputs = input_paths(self.domain, self.public)
        refuse_shared_ledger(path_of_ledger(self.ledger), inputs)
        declared = as_domain(self.domain, self.columns)
        rules = rules_of(self.domain) if self.rules is None else self.rules
        read_plan(
            declared,
            {**{name: getattr(self, name) for name in PLANNED}, "rules": rules},
            protected=Protected(self.person, self.max_rows, self.neighbors),
            voucher=None if self.public is None else self.vouched_by,
        )
        self._cost = cost
        self._inputs = inputs
        # The declaration and its rules are read once, and every fit takes them.
        self._read = {"domain": declared, "rules": rules}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's
        """Return the arguments by name, as you gave them.

        Args:
            deep: Of no effect, as no argument has parameters of its own.

        >>> import synth
        >>> synth.Synthesizer({"sex": ["f", "m"]}, epsilon="1/2").get_params()["epsilon"]
        '1/2'
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> Synthesizer:
        """Change arguments by name, for the next fit; a wrong one changes nothing.

        Args:
            params: The new arguments.

        Raises:
            ArgumentError: There is no argument of a name.
            SynthError: An argument is wrong.

        >>> import synth
        >>> synth.Synthesizer({"sex": ["f", "m"]}, epsilon=1).set_params(epsilon=2)
        Synthesizer(epsilon 2, spent nothing)
        """
        before = self.get_params()
        changes = respell(params, SPELLINGS)
        for name in changes:
            if name not in before:
                raise ArgumentError(
                    f"A Synthesizer has no argument '{name[:40]}'; it has "
                    f"{', '.join(before)}."
                )
        try:
            vars(self).update(changes)
            self._check()
        except SynthError:
            vars(self).update(before)
            raise
        return self

    def fit(self, data: TableLike) -> Synthesizer:
        """Spend the budget on a table; a second call spends it again, with a warning.

        Raises:
            SynthError: An argument is refused; the message is one sentence.
        """
        new = release(data, **{**self.get_params(), **self._read})
        # A release that the ledger already has comes again at no cost.
        spends_again = self._release is not None and not new.repeated
        self._release = replace(new, inputs=(*new.inputs, *self._inputs))
        if not new.repeated:
            self._costs.append(self._cost)
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
        >>> synth.Synthesizer(synth.Domain(sex=["f", "m"]), epsilon=1).spent
        Fraction(0, 1)
        """
        return sum((cost.epsilon or Fraction(0) for cost in self._costs), Fraction(0))

    @property
    def _spent_words(self) -> str:
        """The cost of all fits together, in words."""
        if not self._costs:
            return "nothing"
        first, *others = self._costs
        return name_cost(sum(others, first))

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
    def sample(self, n: int | None = None) -> Any:
        """Draw rows from the release, at no cost.

        A histogram is drawn afresh. A model gives rows of the release; above their number,
        some appear twice.

        Args:
            n: The number of rows; by default that of the release.

        Returns:
            A frame of the library of the fitted one, with its types; of pandas after a file.

        Raises:
            ReleaseError: Nothing was fitted yet.
            ArgumentError: ``n`` is not a whole number from 1 up.
        """
        release = self.release
        if n is None:
            return release.frame
        check_whole(1, n=n)
        in_range(1, limits.ROWS_MAX, n=n)
        record = release.result.record
        synthetic = release.result.synthetic
        if isinstance(record, HistogramRecord):
            rows = draw_rows(record.distribution, int(n), laws=synthetic.laws)
        else:
            rows = resample(synthetic, int(n))
        return frame_like(rows, release.types)

    def __repr__(self) -> str:
        """Return the budget of one fit, and the spent one."""
        return f"Synthesizer({name_cost(self._cost)}, spent {self._spent_words})"
