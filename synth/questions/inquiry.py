"""A steward's questions and their guarantee: an `Inquiry`. PUBLIC.

Answers depend on their inquiry and the rows only, as a synthetic table does on its plan.

>>> from synth.lessons.survey import survey_domain
>>> inquiry = Inquiry.read(["count where age >= 65"], survey_domain(), Guarantee.pure(1))
>>> Inquiry.from_json(inquiry.to_json()) == inquiry
True
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Self, cast

from synth.domain import Domain, read_schema, write_schema
from synth.errors import ArgumentError, QuestionError
from synth.estimate import ASKED_WAYS, WayName
from synth.privacy import ROW, Guarantee, Neighbors, RowReading, Unit, from_terms, terms
from synth.questions.answers.answer import Answer
from synth.questions.answers.answers import forecast_answers
from synth.questions.arranging import arrange
from synth.questions.checking import check_asked
from synth.questions.rewording import read_question
from synth.questions.way.arrangement import Arrangement
from synth.questions.wording.condition import Missing, leaves
from synth.questions.wording.question import Question, canonical_form
from synth.questions.workloads.workload import Workload
from synth.util import Document, Json, check_whole

# Edition of the answers' sensitivity: a ledger does not repeat answers of another edition.
EDITION = 2

# The fields of its file.
_NAMES = set(
    "questions domain guarantee neighbors person max_rows way dataset reading asker".split()
)


@dataclass(frozen=True, kw_only=True)
class Inquiry:
    """Questions and their guarantee. PUBLIC.

    Attributes:
        questions: One workload, checked against the domain.
        guarantee: The most that all answers together may cost.
        way: The way you want; None for the best.
        dataset: The steward's name for the table, for the ledger.
        reading: What counts as a row of the table.
        asker: Who has claimed figures compared; empty if nobody is named.
    """

    questions: tuple[Question, ...]
    domain: Domain
    guarantee: Guarantee
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    unit: Unit = ROW
    way: WayName | None = None
    dataset: str = "table"
    reading: RowReading = RowReading.LINES
    asker: str = ""

    @classmethod
    def read(  # noqa: PLR0913 - the fields of an inquiry, each by name
        cls,
        questions: Iterable[str | Question],
        domain: Domain,
        guarantee: Guarantee,
        *,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        unit: Unit = ROW,
        way: WayName | str | None = None,
        dataset: str = "table",
    ) -> Self:
        """Read an inquiry from texts or questions, each checked against the domain.

        Args:
            questions: Texts in the language of questions, or questions.
            domain: The declared columns.
            guarantee: The most that all answers together may cost.
            neighbors: Whether neighbouring tables differ by an added or by a replaced person.
            unit: What one person is: a row, or several rows with the same name.
            way: The way in which all questions are answered; None or "auto" for the best.
            dataset: The steward's name for the table, for the ledger.

        Raises:
            QuestionError: A question is refused, in one sentence. Nothing is read and nothing
                is spent.
        """
        check = partial(check_asked, domain=domain, unit=unit)
        checked = tuple(read_question(question, domain, check) for question in questions)
        if not checked:
            raise QuestionError(
                "There is no question; ask one, such as 'count where age >= 65'."
            )
        return cls(
            questions=checked,
            domain=domain,
            guarantee=guarantee,
            neighbors=neighbors,
            unit=unit,
            way=way_named(way),
            dataset=dataset,
        )

    @cached_property
    def workload(self) -> Workload:
        """The questions as sums over the rows."""
        return Workload.build(self.questions, self.domain, self.neighbors, unit=self.unit)

    @cached_property
    def arrangement(self) -> Arrangement:
        """The way of each question, and what they cost together."""
        return arrange(self.workload, self.guarantee, self.way)

    @property
    def request(self) -> str:
        """A JSON text of everything that determines the answers of a table.

        Equal requests to the same table have equal answers. The name of the table is not part
        of it.
        """
        content: Document = {
            "edition": EDITION,
            "ask": canonical_form(self.questions),
            "domain": write_schema(self.domain.without_words()),
            "guarantee": terms(self.guarantee),
            "neighbors": self.neighbors.value,
            "unit": [self.unit.person, self.unit.max_rows],
            "way": self.way and self.way.value,
        }
        # Several counts may be answered together by a strategy, which earlier versions did
        # not have. The mark tells such a request from theirs, whose answers differ.
        if sum(not question.kind.adds_numbers for question in self.questions) > 1:
            content["strategies"] = True
        # "is missing" counts values that say why one is missing, which it once did not.
        if any(map(self._counts_reasons, self.questions)):
            content["reasons"] = True
        return json.dumps(content, sort_keys=True)

    def _counts_reasons(self, question: Question) -> bool:
        """Return whether "is missing" is asked of a column with reasons why values are."""
        conditions = (question.where, question.outcome, *question.candidates)
        return any(
            isinstance(leaf, Missing) and bool(self.domain[leaf.column].reasons)
            for condition in conditions
            for leaf in leaves(condition)
        )

    def priced_at(self, guarantee: Guarantee) -> Self:
        """Return the questions with another guarantee."""
        return self._change(guarantee=guarantee)

    def answered_by(self, way: WayName | None) -> Self:
        """Return the questions with another way."""
        return self._change(way=way)

    def learn(self, readings: Mapping[str, RowReading], looked: Collection[str]) -> Self:
        """Return the inquiry with the facts about the table that are known before counting.

        Args:
            readings: The rule for what counts as a row of the table; one entry, under any
                name.
            looked: Not empty if somebody looked at exact numbers of its rows.
        """
        # An inquiry is about one table.
        (reading,) = readings.values()
        domain = replace(self.domain, looked=True) if looked else self.domain
        return self._change(reading=reading, domain=domain)

    def _change(self, **changes: object) -> Self:
        """Return the inquiry with other values of some fields.

        The questions as sums over the rows do not depend on these fields, so they are not
        built again.
        """
        changed = replace(self, **changes)  # type: ignore[arg-type]
        # A cached property stores its value in the dictionary of the instance.
        if "workload" in self.__dict__:
            changed.__dict__["workload"] = self.workload
        return changed

    def forecast(self, rows: int) -> list[Answer]:
        """Return the answers with their average errors, without values, before anything is
        asked.

        ``rows`` is the approximate number of rows.
        """
        check_whole(1, rows=rows)
        return forecast_answers(self.arrangement, rows)

    def to_json(self) -> Document:
        """Return the inquiry as JSON, as `from_json` reads it."""
        content: Document = {
            "questions": [question.to_json() for question in self.questions],
            "domain": write_schema(self.domain),
            "guarantee": cast("Document", terms(self.guarantee)),
            "neighbors": self.neighbors.value,
            "person": self.unit.person,
            "max_rows": self.unit.max_rows,
            "way": self.way and self.way.value,
            "dataset": self.dataset,
        }
        # The usual reading is left out.
        if self.reading is not RowReading.LINES:
            content["reading"] = self.reading.value
        if self.asker:
            content["asker"] = self.asker
        return content

    @classmethod
    def from_json(cls, content: Document) -> Self:
        """Return the inquiry from JSON as `to_json` writes it, checked like a new one.

        Raises:
            SynthError: It is no inquiry, or an impossible one, or it has a part that a newer
                version may have written.
        """
        if content.keys() - _NAMES:
            raise ArgumentError(
                "The inquiry has a part that this version of Synth does not know: a newer "
                "version wrote it, or it was edited by hand."
            )
        try:
            inquiry = cls.read(
                [
                    Question.from_json(question)
                    for question in cast("list[Document]", content["questions"])
                ],
                read_schema(cast("Document", content["domain"])),
                _read_guarantee(cast("dict[str, str]", content["guarantee"])),
                neighbors=Neighbors(cast("str", content["neighbors"])),
                unit=Unit(_read_text(content["person"]), cast("int", content["max_rows"])),
                way=cast("str | None", content["way"]),
                dataset=_read_text(content["dataset"]),
            )
            reading = RowReading(cast("str", content.get("reading", RowReading.LINES)))
            asker = _read_text(content.get("asker", ""))
            return inquiry._change(reading=reading, asker=asker)
        # Anything that is missing or of another type makes it no inquiry.
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ArgumentError(
                "This is no inquiry of Synth, or one of another version."
            ) from None


def _read_guarantee(content: dict[str, str]) -> Guarantee:
    """Return the guarantee of an inquiry from JSON as `terms` writes it.

    Raises:
        ValueError: It is spelled otherwise, or no number above 0.
    """
    guarantee = from_terms(content)
    costs = [cost for cost in (guarantee.epsilon, guarantee.rho) if cost is not None]
    is_positive = bool(costs) and min(costs) > 0 and guarantee.delta >= 0
    if guarantee.is_gaussian or not is_positive or terms(guarantee) != content:
        raise ValueError
    return guarantee


def _read_text(content: Json) -> str:
    """Return a text from JSON; raise TypeError if it is something else."""
    if not isinstance(content, str):
        raise TypeError
    return content


def way_named(name: WayName | str | None) -> WayName | None:
    """Return the way to answer of this name; None for "auto" or None, which means the best
    one.

    Raises:
        QuestionError: There is no such way.
    """
    if name is None or name == "auto":
        return None
    if name not in ASKED_WAYS:
        names = ", ".join(ASKED_WAYS)
        raise QuestionError(f"There is no way '{name}'; choose auto or one of {names}.")
    return WayName(name)
