"""The verdict on a release, in words. PRIVATE.

**Single columns.** A column is close if its error by value is at most 5 %, because then no
share that anyone asks of it, of a value or of any set of values, is off by more than five
points: as in a poll of 400 people. It is close, too, if the error is at most twice what
chance alone makes, because then a second survey of the same people would hardly be closer.
Columns are good if nine of ten are close, fair if half are, and otherwise poor.

**Relations.** Two columns are related if their association (Cramer's V) is at least 0.1 in
the real rows, which textbooks call a small effect (Cohen 1988, "Statistical power analysis
for the behavioral sciences"). The relation is kept if at least half of this strength is left:
with less, most people who look for it would not find it. Relations are kept if nine of ten
are, partly kept if half are, and otherwise lost.

**New values.** A column has many new values if more than 5 % of its synthetic rows, beyond
what chance makes, have a value that no real row has.

>>> verdict = Verdict(
...     close_columns=15,
...     columns=15,
...     worst="age",
...     worst_error=0.04,
...     worst_by_chance=0.01,
...     kept_relations=2,
...     relations=40,
...     invented_relations=0,
...     new_value_columns=(),
... )
>>> verdict.sentence
'Single columns: good. Relations: lost.'
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from synth.estimate import Light
from synth.private.comparison.associations import WEAK, Association
from synth.private.comparison.by_value import ByValue, ValueComparison
from synth.util import Document, list_html, paragraph_html

RELATED = 0.1
"""The least real association of two related columns."""
KEPT_PART = 0.5
"""The part of a relation's strength that is left at least if it is kept."""

# Shares of columns or relations that make the best and the second word.
_BEST_WORD_SHARE = 0.9
_SECOND_WORD_SHARE = 0.5
# Most names in a sentence.
_MAX_NAMES = 4


@dataclass(frozen=True, repr=False, kw_only=True)
class Verdict:
    """How good a release is, in counts and in words. PRIVATE.

    Attributes:
        close_columns: Number of close columns.
        columns: Number of all columns.
        worst: The column with the largest error.
        worst_error: Its error by value.
        worst_by_chance: The error that chance alone makes in this column.
        kept_relations: Number of kept relations, among the compared pairs of columns.
        relations: Number of pairs that are related in the real rows.
        invented_relations: Number of pairs that are related in the synthetic rows alone.
        new_value_columns: Columns with many new values, the worst first.
    """

    close_columns: int
    columns: int
    worst: str
    worst_error: float
    worst_by_chance: float
    kept_relations: int
    relations: int
    invented_relations: int
    new_value_columns: tuple[str, ...]

    def __repr__(self) -> str:
        """Return the verdict in a few words, and that it is private."""
        return f"Verdict(PRIVATE - do not share: {self.sentence})"

    def _repr_html_(self) -> str:
        """Return the verdict and its reasons, for a notebook."""
        title = paragraph_html(self.sentence, title="PRIVATE - do not share")
        return title + list_html(self.reasons)

    @property
    def columns_word(self) -> str:
        """A word for the single columns: good, fair or poor."""
        return _choose_word(self.close_columns / self.columns, ("good", "fair", "poor"))

    @property
    def relations_word(self) -> str:
        """A word for the relations: kept, partly kept or lost; none if there are none."""
        if not self.relations:
            return "none in the real table"
        return _choose_word(
            self.kept_relations / self.relations, ("kept", "partly kept", "lost")
        )

    @property
    def is_good(self) -> bool:
        """Whether columns are good, relations are kept, and no column has new values."""
        is_kept = not self.relations or self.relations_word == "kept"
        return self.columns_word == "good" and is_kept and not self.new_value_columns

    @property
    def sentence(self) -> str:
        """The verdict in a few words."""
        parts = [f"Single columns: {self.columns_word}."]
        if self.columns > 1:
            parts.append(f"Relations: {self.relations_word}.")
        if self.new_value_columns:
            number = len(self.new_value_columns)
            noun = "column" if number == 1 else "columns"
            parts.append(f"New values: many, in {number:,} {noun}.")
        return " ".join(parts)

    @property
    def reasons(self) -> tuple[str, ...]:
        """One sentence each on columns, relations and new values, with their numbers."""
        lines = [self._say_columns()]
        if self.columns > 1:
            lines.append(self._say_relations())
        if self.new_value_columns:
            lines.append(self._say_new_values())
        return tuple(lines)

    @property
    def document(self) -> Document:
        """The verdict as a JSON object."""
        return {
            "sentence": self.sentence,
            "columns": self.columns_word,
            "relations": self.relations_word if self.columns > 1 else None,
            "close_columns": self.close_columns,
            "kept_relations": self.kept_relations,
            "related_pairs": self.relations,
            "invented_relations": self.invented_relations,
            "new_value_columns": list(self.new_value_columns),
        }

    def _say_columns(self) -> str:
        """Return the sentence on how many columns are close, and on the worst of them."""
        worst = (
            f"off by {100 * self.worst_error:.1f} % (chance alone "
            f"{100 * self.worst_by_chance:.1f} %)."
        )
        if self.columns == 1:
            return f"'{self.worst}' is {worst}"
        return (
            f"{self.close_columns:,} of {self.columns:,} columns are close; the worst, "
            f"'{self.worst}', is {worst}"
        )

    def _say_relations(self) -> str:
        """Return the sentences on how many relations are kept, and how many are invented."""
        if not self.relations:
            kept = "No two columns are related in the real table."
        else:
            kept = (
                f"{self.kept_relations:,} of {self.relations:,} relations keep at least half "
                "of their strength."
            )
        if not self.invented_relations:
            return kept
        pairs = "pair looks" if self.invented_relations == 1 else "pairs look"
        return f"{kept} {self.invented_relations:,} {pairs} related and should not."

    def _say_new_values(self) -> str:
        """Return the sentence on the columns that have values which no real row has."""
        named = ", ".join(f"'{name}'" for name in self.new_value_columns[:_MAX_NAMES])
        more = len(self.new_value_columns) - _MAX_NAMES
        others = f" and {more:,} more" if more > 0 else ""
        return f"Many rows have values that no real row has, in {named}{others}."


def judge(values: ValueComparison, associations: Iterable[Association]) -> Verdict:
    """Return the verdict on synthetic rows. PRIVATE.

    Args:
        values: The columns, compared by value.
        associations: The associations of the compared pairs of columns.
    """
    columns = values.by_column
    pairs = list(associations)
    related = [pair for pair in pairs if pair.real >= RELATED]
    kept = [pair for pair in related if pair.synthetic >= KEPT_PART * pair.real]
    invented = [pair for pair in pairs if pair.real < WEAK and pair.synthetic >= RELATED]
    worst = max(columns, key=lambda name: columns[name].error)
    return Verdict(
        close_columns=sum(is_close(column) for column in columns.values()),
        columns=len(columns),
        worst=worst,
        worst_error=columns[worst].error,
        worst_by_chance=columns[worst].chance,
        kept_relations=len(kept),
        relations=len(related),
        invented_relations=len(invented),
        new_value_columns=_find_new_values(values),
    )


def is_close(column: ByValue) -> bool:
    """Return whether a column is close to the real one, as the verdict counts it."""
    is_good = Light.from_error(column.error) is Light.GREEN
    return is_good or column.error <= 2 * column.chance


def has_many_new_values(column: ByValue) -> bool:
    """Return whether many synthetic rows have a value that no real row has."""
    return Light.from_error(column.new_beyond_chance) is not Light.GREEN


def _find_new_values(values: ValueComparison) -> tuple[str, ...]:
    columns: Mapping[str, ByValue] = values.by_column
    names = [name for name in columns if has_many_new_values(columns[name])]
    return tuple(sorted(names, key=lambda name: -columns[name].new_beyond_chance))


def _choose_word(share: float, words: tuple[str, str, str]) -> str:
    """Return the first word for nine of ten, the second for half, and else the third."""
    best, middle, worst = words
    if share >= _BEST_WORD_SHARE:
        return best
    return middle if share >= _SECOND_WORD_SHARE else worst
