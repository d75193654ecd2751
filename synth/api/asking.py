"""``synth.ask``: answers to questions about the confidential table."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from synth.api.answer_lines import number_lines, texts_html
from synth.api.declaring import as_domain
from synth.api.dossiers import WithDossier
from synth.api.option_names import NeighborsName, WayOption
from synth.api.spending import (
    Amount,
    LedgerChoice,
    Protected,
    Written,
    cost_of,
    open_spender,
    protect,
)
from synth.bundle import AnswersCertificate, Asked, CheckRequest, load_check_request
from synth.door import Ledger
from synth.errors import ArgumentError
from synth.plans import OPTIONS
from synth.privacy import Guarantee, name_cost
from synth.private.table import TableLike
from synth.questions import Answer, Inquiry, Question
from synth.spending import asking
from synth.util import FileOutput, check_types

if TYPE_CHECKING:
    import pandas as pd

    from synth.api.declaring import DomainLike


@dataclass(frozen=True, eq=False)
class Answers(WithDossier):
    """Answers in the order of their questions. Everything in it is public.

    Attributes:
        asked: The answers in detail.
        ledger: The ledger that records the spend; None for memory only.
        inputs: The files of the call, which no output replaces.

    >>> import pandas as pd, synth, tempfile
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> found = synth.ask(frame, {"sex": ["f", "m"]}, "count where sex = f", epsilon=1)
    >>> found.table.columns.tolist()
    ['question', 'label', 'value', 'low', 'high']
    >>> len(found.answers), found.repeated, found.certificate.guarantee.epsilon
    (1, False, Fraction(1, 1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found.save(f"{folder}/answers.zip").name
    'answers.zip'
    """

    asked: Asked
    ledger: Ledger | None = None
    inputs: tuple[Path, ...] = ()

    @property
    def answers(self) -> list[Answer]:
        """Return one answer per question, with the ends of its interval and remarks."""
        return self.asked.answers

    @cached_property
    def table(self) -> pd.DataFrame:
        """Return a DataFrame with one number per row, with its 95 % interval."""
        import pandas as pd

        lines: list[tuple[Any, ...]] = []
        for answer in self.answers:
            lines += _lines(answer)
        return pd.DataFrame(lines, columns=["question", "label", "value", "low", "high"])

    @property
    def certificate(self) -> AnswersCertificate:
        """Return the guarantee, and how the answers were made."""
        return self.asked.certificate

    @property
    def repeated(self) -> bool:
        """Return whether the answers come from the ledger, at no cost."""
        return self.asked.repeated

    @check_types
    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the answers with their certificate as one zip.

        Args:
            path: The file, whose name ends with .zip. If it holds these very answers, it
                stays.
            overwrite: Whether to replace another file of this name. An input, such as the
                table or the ledger, is never replaced.

        Raises:
            ReleaseError: The file cannot be written, or something else is there.
        """
        output = FileOutput(path, (".zip",))
        protection = protect(self.inputs, self.ledger, overwrite=overwrite, output=output)
        return self.asked.write_archive(path, self.ledger, protection)

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.answers)

    def __getitem__(self, number: int) -> Answer:
        """Return the answer to the question of this number, from 0."""
        return self.answers[number]

    def __repr__(self) -> str:
        """Return the number of questions and their cost."""
        questions = "1 question" if len(self) == 1 else f"{len(self)} questions"
        return f"Answers({questions}, {self._spend_line})"

    def _repr_html_(self) -> str:
        """Return the cost and the answers as a table, for a notebook."""
        table = texts_html((str(answer.question), answer) for answer in self.answers)
        return f"<p>Answers: {html.escape(self._spend_line)}</p>{table}"

    @property
    def _spend_line(self) -> str:
        """The cost and the relation of the guarantee, such as "epsilon 1, replace-one"."""
        inquiry = self.asked.inquiry
        spent = inquiry.arrangement.spending
        cost = name_cost(spent) if spent else "nothing spent"
        return f"{cost}, {inquiry.neighbors.value}"


def _lines(answer: Answer) -> list[tuple[Any, ...]]:
    """Return an answer as lines of a table, one for each of its numbers.

    Each line has the question, the label, the value, and the low and high end.
    """
    lines = number_lines(
        answer.chosen,
        answer.labels,
        (answer.value, answer.low, answer.high),
        round_number=answer.write_number,
    )
    return [(str(answer.question), *line) for line in lines]


@overload
def ask(
    data: TableLike,
    domain: DomainLike,
    questions: str | Sequence[str],
    epsilon: Amount,
    *,
    delta: Amount = ...,
    way: WayOption = ...,
    neighbors: NeighborsName = ...,
    neighbours: NeighborsName | None = ...,
    person: str = ...,
    max_rows: int = ...,
    ledger: LedgerChoice = ...,
    dataset: str | None = ...,
    new_dataset: bool = ...,
    budget: Amount | None = ...,
    progress: Callable[[str], None] | None = ...,
) -> Answers: ...


@overload
def ask(
    data: TableLike,
    domain: DomainLike,
    questions: str | Sequence[str],
    *,
    rho: Amount,
    way: WayOption = ...,
    neighbors: NeighborsName = ...,
    neighbours: NeighborsName | None = ...,
    person: str = ...,
    max_rows: int = ...,
    ledger: LedgerChoice = ...,
    dataset: str | None = ...,
    new_dataset: bool = ...,
    budget: Amount | None = ...,
    progress: Callable[[str], None] | None = ...,
) -> Answers: ...


@overload
def ask(
    data: TableLike,
    domain: DomainLike,
    *,
    request: CheckRequest | str | Path,
    epsilon: Amount | None = ...,
    rho: Amount | None = ...,
    neighbors: NeighborsName = ...,
    neighbours: NeighborsName | None = ...,
    person: str = ...,
    max_rows: int = ...,
    ledger: LedgerChoice = ...,
    dataset: str | None = ...,
    new_dataset: bool = ...,
    budget: Amount | None = ...,
    progress: Callable[[str], None] | None = ...,
) -> Answers: ...


@check_types
def ask(  # noqa: PLR0913, PLR0917 - public: each option by name
    data: TableLike,
    domain: DomainLike,
    questions: str | Sequence[str] | None = None,
    epsilon: Amount | None = None,
    *,
    request: CheckRequest | str | Path | None = None,
    delta: Amount = 0,
    rho: Amount | None = None,
    way: WayOption = "auto",
    neighbors: NeighborsName = "replace-one",
    neighbours: NeighborsName | None = None,
    person: str = "",
    max_rows: int = 1,
    ledger: LedgerChoice = None,
    dataset: str | None = None,
    new_dataset: bool = False,
    budget: Amount | None = None,
    progress: Callable[[str], None] | None = None,
) -> Answers:
    """Answer questions under differential privacy, all within one budget.

    Args:
        data: The confidential table, as in `synth.release`.
        domain: The declared columns, as in `synth.release`.
        questions: Such as "count where age >= 65" or "mean age by sex".
        epsilon: The budget as text, int or Fraction; a float means its shortest decimal form.
        request: Instead of questions: the request of somebody who found a figure on a release
            (`Analysis.request`), or its file. It counts as one of their checks, of which
            `Ledger.allow_checks` allows a number.
        delta: Above 0 it allows Gaussian noise; not with ``rho``.
        rho: The rho of zCDP, instead of epsilon.
        way: The noise; by default the one with the smallest average error.
        neighbors: "replace-one" or "add-remove", as in `synth.release`.
        neighbours: Another spelling of ``neighbors``.
        person: The column that identifies persons.
        max_rows: The number of rows of one person that count.
        ledger: The ledger that records the spend (`LedgerChoice`).
        dataset: The dataset's name in the ledger.
        new_dataset: Whether the dataset is new, although a similar name exists.
        budget: The total budget of the dataset, set once.
        progress: It is called with the name of each stage.

    Raises:
        SynthError: An argument is refused; the message is one sentence.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> found = synth.ask(frame, {"sex": ["f", "m"]}, ["count where sex = f"], epsilon=1)
    >>> found
    Answers(1 question, epsilon 1, replace-one)
    >>> bool(found[0].low[0] <= found[0].value[0] <= found[0].high[0])
    True
    """
    guarantee = _read_guarantee(epsilon, delta, rho)
    inputs = [domain] if request is None else [domain, request]
    where = Written(ledger, dataset, new_dataset, budget, costs=[guarantee], inputs=inputs)
    universe = as_domain(domain)
    protected = Protected(person, max_rows, neighbors)
    # Questions and options are read first, so that a wrong one is refused before the table.
    asked = _read_request(request, questions)
    inquiry = Inquiry.read(
        asked.questions,
        universe,
        guarantee,
        neighbors=protected.relation,
        unit=protected.unit,
        way=way,
    )
    spend = open_spender(data, universe.names, where, protected=protected)
    inquiry = replace(inquiry, dataset=spend.dataset, asker=asked.asker)
    answers = asking.ask(inquiry, spend.table, ledger=spend.ledger, progress=progress)
    return Answers(answers, spend.ledger, spend.inputs)


class _AskedBy(NamedTuple):
    # Questions, and who asks them; empty for the steward.
    questions: Sequence[str | Question]
    asker: str = ""


def _read_request(
    request: CheckRequest | str | Path | None, questions: str | Sequence[str] | None
) -> _AskedBy:
    """Return the questions of a call, or the one of its request.

    Raises:
        SynthError: There are both, or the file is no request.
    """
    if request is None:
        return _AskedBy([questions] if isinstance(questions, str) else questions or ())
    if questions:
        raise ArgumentError("A request is one question; leave out questions.")
    if not isinstance(request, CheckRequest):
        request = load_check_request(request)
    return _AskedBy([request.question], request.asker)


def _read_guarantee(epsilon: Amount | None, delta: Amount, rho: Amount | None) -> Guarantee:
    """Return the guarantee of a call, which names an epsilon or a rho.

    Raises:
        SynthError: It names none or both, a delta beside a rho, or a wrong amount.
    """
    if (epsilon is None) == (rho is None):
        raise ArgumentError(
            "Give the budget once: epsilon, such as epsilon=0.2, or rho in its place."
        )
    if rho is not None and delta != 0:
        raise ArgumentError("rho has no delta; leave out delta, or give epsilon instead.")
    if rho is not None:
        return Guarantee.zcdp(OPTIONS["rho"].from_call(rho))
    assert epsilon is not None
    return cost_of(epsilon, delta)
