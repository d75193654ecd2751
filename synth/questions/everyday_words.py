"""Everyday words, read one after another into the parts of a question. PUBLIC.

A number or a value that stands beside no column goes to none by itself: its reader has to say
which column is meant.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from synth import limits
from synth.domain import Binned, Domain
from synth.questions.checking import MAX_COMPARED_NAMES, check_question
from synth.questions.wording.condition import And, Compare, Condition, Sign
from synth.questions.wording.language import parse
from synth.questions.wording.spelling import name_text

_PIECE = re.compile(r"\"[^\"]*\"|'[^']*'|[<>=!]+|-?\d+(?:\.\d+)?|[^\W\d][\w-]*")
_KINDS = {
    "count": "count number many",
    "share": "share percentage percent proportion fraction part",
    "mean": "mean average avg",
    "total": "total sum",
    "median": "median",
    "top": "common frequent top popular",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_GROUPING = frozenset("by per each across split grouped".split())
_FILLERS = frozenset(
    "a an the of in is are was were what which how who that with whose having where and for "
    "among me show give find tell there do does did have has all people persons person "
    "patients rows records years year old aged most table".split()
)
_SIGNS: Mapping[str, tuple[str, ...]] = {
    ">=": (
        ">=",
        "at least",
        "or older",
        "and older",
        "or more",
        "and over",
        "or over",
        "from",
    ),
    "<=": ("<=", "at most", "or younger", "and younger", "or less", "and under", "up to"),
    ">": (">", "over", "above", "older than", "more than", "greater than", "higher than"),
    "<": ("<", "under", "below", "younger than", "less than", "fewer than", "lower than"),
    "!=": ("!=", "<>", "unequal to"),
    "=": ("=", "==", "equals", "equal to", "exactly"),
}
_SIGN_OF = {tuple(phrase.split()): sign for sign, all_ in _SIGNS.items() for phrase in all_}
# Words in the names of columns of ages, and the signs that speak of an age.
_AGES = frozenset(("age", "ages", "alter"))
_OF_AGES = frozenset(("older", "younger"))
_SEXES = {"women": "female", "woman": "female", "men": "male", "man": "male"}


class UnclearColumnError(Exception):
    """Words of a question that could be about one of several columns, or about another one.

    Attributes:
        words: The words, such as "over 65".
        columns: The columns that can have such a value, those of ages first.
    """

    def __init__(self, words: str, columns: Sequence[str]) -> None:
        """Keep the words and the columns."""
        super().__init__(words)
        self.words = words
        self.columns = tuple(columns)


class EverydayWords:
    """Reads everyday words one after another, and collects the parts of a question."""

    def __init__(self, text: str, domain: Domain, columns: Sequence[str] = ()) -> None:
        """Split a text into words, and list the names and values that they may mean.

        Args:
            text: The question in everyday words.
            domain: The declared columns.
            columns: The columns of words that name none, in the order of these words.
        """
        self.domain = domain
        self.chosen_columns = iter(columns)
        self.words = _PIECE.findall(text.casefold())[: limits.QUOTED]
        self.columns = {_key(name): name for name in domain.names[:MAX_COMPARED_NAMES]}
        # A category or its meaning, simplified: the category as declared, by its column.
        self.values: dict[str, dict[str, str]] = {}
        for column in domain.columns[:MAX_COMPARED_NAMES]:
            for label in (
                () if isinstance(column, Binned) else column.labels[:MAX_COMPARED_NAMES]
            ):
                for text_of_value in {label, column.meanings.get(label, label)}:
                    labels_by_column = self.values.setdefault(_key(text_of_value), {})
                    labels_by_column[column.name] = label
        # The next word, the kind of question, and how many most frequent values it asks for.
        self.place = 0
        self.kind = ""
        self.number = ""
        # Whether "by" or the like came before, and whether a column was just named.
        self.is_grouping = self.is_near = False
        # Columns that it asks about, columns of groups, and conditions.
        self.named: list[str] = []
        self.groups: list[str] = []
        self.where: list[Condition] = []

    def question(self) -> str:
        """Return the words as a question in the language of questions.

        Raises:
            ValueError: A word is unknown.
            UnclearColumnError: Some words name no column, and none was chosen for them.
            SynthError: The question can't be asked.
        """
        while self.place < len(self.words):
            self._read()
        # Only "top" takes a number that is in no comparison.
        if self.number and self.kind != "top":
            raise ValueError
        return str(check_question(parse(self._text()), self.domain))

    def _read(self) -> None:
        """Read the next words into the question, and go on behind them.

        Raises:
            ValueError: The words mean nothing here.
        """
        word = self.words[self.place]
        if word in _GROUPING:
            self.is_grouping = True
            self.place = self.place + 1
        # Each of these reads what it can, and goes on behind it.
        elif self._take_comparison() or self._take_column() or self._take_value():
            pass
        elif word in _KIND_OF and not self.kind:
            self.kind = _KIND_OF[word]
            self.is_near = False
            self.place = self.place + 1
            # After "how many" or "number of" any unknown noun is skipped, such as "people".
            if word in ("many", "number"):
                if self.words[self.place : self.place + 1] == ["of"]:
                    self.place += 1
                if not self._is_known(self.place):
                    self.place += 1
        elif word in _FILLERS or word in _KIND_OF:
            # A condition ends the list of groups.
            begins_condition = word in ("where", "with", "whose", "of")
            self.is_grouping = self.is_grouping and not begins_condition
            # In "age is over 65" the column still stands beside its number.
            self.is_near = self.is_near and word in ("is", "are")
            self.place += 1
        elif _is_number(word) and self._is_near_number():  # as in "age is 65"
            self.where.append(_compare(self._take_near(), "=", word))
            self.place += 1
        elif re.fullmatch(r"\d+", word) and not self.number:
            self.number = word
            self.place = self.place + 1
        else:
            raise ValueError

    def _is_known(self, place: int) -> bool:
        """Return whether the word at a place means something here, or the words are at an
        end.

        It may be a filler, a column, a value, or the first word of a comparison.
        """
        if place >= len(self.words):
            return True
        word = self.words[place]
        is_word = (
            word in _GROUPING or word in _FILLERS or any(word == key[0] for key in _SIGN_OF)
        )
        return (
            is_word
            or bool(self._column_at(place)[0])
            or _singular(word, self.values) is not None
        )

    def _take_comparison(self) -> bool:
        """Read "between a and b", or a comparison with a number; return whether there is one.

        It adds conditions and goes on behind the words. A sign may stand before its number,
        as in "over 65", or behind it, as in "65 or older".
        """
        words = self.words
        start = self.place
        if words[start] == "between" and len(words) > start + 3 and words[start + 2] == "and":
            low = words[start + 1]
            high = words[start + 3]
            if not (_is_number(low) and _is_number(high)):
                return False
            self.place += 4
            column = self._number_column(start, [(">=", low), ("<=", high)])
            self.where += [_compare(column, ">=", low), _compare(column, "<=", high)]
            return True
        number_first = _is_number(words[start])
        sign, size = self._sign_at(start + number_first)
        # Behind a number only "or more" and the like make sense.
        if not sign or (number_first and sign not in (">=", "<=")):
            return False
        value = ""
        if number_first:
            value = words[start]
        elif start + size < len(words):
            value = words[start + size]
        if not _is_number(value):
            return False
        self.place += size + 1
        self.where.append(_compare(self._number_column(start, [(sign, value)]), sign, value))
        return True

    def _sign_at(self, place: int) -> tuple[str, int]:
        """Return the sign that the words at a place mean, and how many words these are.

        Empty and 0 if they mean none.
        """
        # Signs in words have one word or two.
        for size in (2, 1):
            if sign := _SIGN_OF.get(tuple(self.words[place : place + size])):
                return sign, size
        return "", 0

    def _number_column(self, start: int, comparisons: Sequence[tuple[str, str]]) -> str:
        """Return the column that some comparisons with numbers, such as "over 65", are about.

        It is the first of these that there is: the column named just before the words; the
        one that "of" names behind them; for "older" and "younger" the only column of ages;
        or the one that the user chose among the ones that can have such numbers.

        Args:
            start: The place of the first of these words.
            comparisons: Each as a sign and a number.

        Raises:
            UnclearColumnError: There is none of these.
            ValueError: No column can have such a number.
        """
        words = self.words[start : self.place]
        if self._is_near_number():
            return self._take_near()
        if column := self._take_behind():
            return column
        numbers = [c for c in self.domain.columns if isinstance(c, Binned) and c.adds_up]
        ages = [c.name for c in numbers if _AGES & {*re.split(r"[\W_]+", c.name.casefold())}]
        if len(ages) == 1 and _OF_AGES & {*words}:
            return ages[0]
        possible = [
            c.name
            for c in numbers[:MAX_COMPARED_NAMES]
            if all(_can_hold(c, sign, value) for sign, value in comparisons)
        ]
        possible.sort(key=lambda name: name not in ages)  # a stable sort: ages come first
        return self._choose(words, possible)

    def _is_near_number(self) -> bool:
        """Return whether a column of numbers was just named."""
        return self.is_near and isinstance(self.domain[self.named[-1]], Binned)

    def _take_near(self) -> str:
        """Return the column that was just named, which now belongs to a condition."""
        self.is_near = False
        return self.named.pop()

    def _take_behind(self) -> str:
        """Read the column behind a comparison, as in "over 65 years of age".

        Returns its name; empty if there is none.
        """
        place = self.place
        if self.words[place : place + 1] in (["year"], ["years"]):
            place += 1
        if self.words[place : place + 1] != ["of"] or place + 1 >= len(self.words):
            return ""
        name, size = self._column_at(place + 1)
        if not name or not isinstance(self.domain[name], Binned):
            return ""
        self.place = place + 1 + size
        return name

    def _choose(self, words: Sequence[str], columns: Sequence[str]) -> str:
        """Return the column that was chosen for words which name none.

        Args:
            words: The words.
            columns: The columns that can have such a value.

        Raises:
            UnclearColumnError: None was chosen.
            ValueError: There are no such columns.
        """
        if not columns:
            raise ValueError
        chosen = next(self.chosen_columns, None)
        if chosen is None:
            raise UnclearColumnError(" ".join(words), columns)
        return chosen

    def _column_at(self, place: int) -> tuple[str, int]:
        """Return the column that the words at a place name, and how many words these are.

        A single word may be misspelled. Empty and 0 if the words name no column.
        """
        # Names of up to four words, the longest first.
        for size in (4, 3, 2, 1):
            span = self.words[place : place + size]
            key = _singular("".join(map(_key, span)), self.columns)
            # A word of signs alone has an empty key, and is no part of a name.
            if len(span) == size and all(map(_key, span)) and key is not None:
                return self.columns[key], size
        word = self.words[place]
        has_meaning = word in _FILLERS or word in _KIND_OF or word in _GROUPING
        if has_meaning:
            return "", 0
        # Only very similar names count, such as one wrong letter in a word of seven.
        similar = get_close_matches(_key(word), self.columns, n=1, cutoff=0.85)
        return (self.columns[similar[0]], 1) if similar else ("", 0)

    def _take_column(self) -> bool:
        """Read a column's name, if one is next; return whether there was one.

        After "by" or the like it is a group. Before "=" or "equal to" it begins a condition.
        Otherwise it is what the question asks about.
        """
        # Empty and 0 if no column is named here.
        name, size = self._column_at(self.place)
        self.place += size
        sign, sign_size = self._sign_at(self.place)
        has_value = self.place + sign_size < len(self.words)
        if name and sign in ("=", "!=") and has_value:
            self._take_equal(name, sign_size)
        elif name:
            (self.groups if self.is_grouping else self.named).append(name)
            self.is_near = not self.is_grouping
        return bool(name)

    def _take_equal(self, name: str, size: int) -> None:
        """Read a sign such as "equal to" and the value behind it into a condition.

        Args:
            name: The column before the sign.
            size: How many words the sign has.

        Raises:
            ValueError: The word behind it is neither a number nor a value of this column.
        """
        sign = self._sign_at(self.place)[0]
        word = self.words[self.place + size]
        labels = self.values.get(_singular(word, self.values) or "", {})
        if name not in labels and not _is_number(word):
            raise ValueError
        self.where.append(_compare(name, sign, labels.get(name, word)))
        self.place += size + 1

    def _take_value(self) -> bool:
        """Read a category into the condition that its column has it; return whether there is
        one.

        A category of the column that was just named is one of this column. So is one that
        only one column declares.

        Raises:
            UnclearColumnError: Several columns declare it.
        """
        word = self.words[self.place]
        key = _singular(_SEXES.get(word, word), self.values)
        if key is None:
            return False
        self.place += 1
        labels = self.values[key]
        if self.is_near and self.named[-1] in labels:
            column = self._take_near()
        elif len(labels) == 1:
            (column,) = labels
        else:
            column = self._choose([word], tuple(labels))
        self.is_near = False
        self.where.append(_compare(column, "=", labels[column]))
        return True

    def _text(self) -> str:
        """Return the words that were read, in the language of questions.

        Raises:
            ValueError: They make no question.
        """
        kind = self.kind
        columns = self.named
        groups = self.groups
        where = self.where
        # Counts by cells of columns are a table, and several means are "means". A share takes
        # no groups.
        if kind in ("", "count") and (columns or groups):
            kind = "table"
            columns = [*groups, *columns]
            groups = []
        elif kind == "share" and groups:
            raise ValueError
        elif kind == "mean" and len(columns) > 1 and not groups:
            kind = "means"
        if not (self.kind or columns or groups or where):
            raise ValueError
        words = [kind or "count"]
        if kind == "top":
            words.append(self.number or "1")
        if columns:
            words.append(", ".join(map(name_text, columns)))
        if groups:
            words.append(f"by {', '.join(map(name_text, groups))}")
        if where:
            condition = where[0] if len(where) == 1 else And(tuple(where))
            words.append(f"where {condition}")
        return " ".join(words)


def _key(word: str) -> str:
    return re.sub(r"[\W_]+", "", word.casefold())


def _singular(word: str, names: Mapping[str, object]) -> str | None:
    """Return the name that a word means, with or without a plural s; None if it is none.

    ``names`` has simplified names as its keys.
    """
    key = _key(word)
    return next(
        (form for form in (key, key.removesuffix("s"), f"{key}s") if form in names), None
    )


def _is_number(word: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", word) is not None


def _compare(column: str, sign: str, value: str) -> Compare:
    return Compare(column, Sign(sign), value)


def _can_hold(column: Binned, sign: str, value: str) -> bool:
    """Return whether a value of a column can meet a comparison with a number."""
    number = float(value)
    if sign.startswith(">"):
        return number <= float(column.maximum)
    if sign.startswith("<"):
        return number >= float(column.minimum)
    return float(column.minimum) <= number <= float(column.maximum)
