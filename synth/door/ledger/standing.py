"""The sentence that ends every error after a spend: the cost, and what to do. PUBLIC.

>>> with note_standing("the same call") as spends:
...     spends.note(is_stored=False)
...     spends.sentence
'The spend counts, but no ledger stores the result: the same call spends again.'
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from synth.errors import SynthError


class Standing:
    """The spends of a block of code, for the sentence at the end of its errors.

    Args:
        again: How to get again what the spends paid for, such as "the same call".
        tell: Called with the sentence whenever it changes; None to tell nobody.

    Attributes:
        again: How to get again what the spends paid for, such as "the same call".
    """

    def __init__(self, again: str, tell: Callable[[str], None] | None = None) -> None:
        self.again = again
        self._kept: list[bool] = []
        self._tell = tell

    def note(self, *, is_stored: bool) -> None:
        """Note a spend, and whether the ledger stores its result."""
        self._kept.append(is_stored)
        self._tell_sentence()

    def drop(self) -> None:
        """Forget the spends, as an error says by itself what becomes of them."""
        self._kept.clear()
        self._tell_sentence()

    def _tell_sentence(self) -> None:
        if self._tell is not None:
            self._tell(self.sentence)

    @property
    def sentence(self) -> str:
        """What became of the spends and how to get the result; empty before the first one.

        If the ledger does not store the results of all spends, the same call spends again.
        """
        # `_kept` has an entry for each spend: whether the ledger stores its result.
        if not self._kept:
            return ""
        if not all(self._kept):
            consequence = f"but no ledger stores the result: {self.again} spends again"
        else:
            consequence = (
                f"and the ledger stores the result: {self.again} returns it at no further "
                "cost"
            )
        return f"The spend counts, {consequence}."


_CURRENT_SPENDS: ContextVar[Standing | None] = ContextVar("standing", default=None)


@contextmanager
def note_standing(
    again: str, tell: Callable[[str], None] | None = None
) -> Iterator[Standing]:
    """End every error of this block of code with a sentence about its spends.

    Such blocks may be nested. Then the outermost one does it, and the others yield its
    spends.

    Args:
        again: How to get again what the spends paid for, such as "the same call".
        tell: Called with the sentence whenever it changes; None to tell nobody.
    """
    outer = _CURRENT_SPENDS.get()
    if outer is not None:
        yield outer
        return
    spends = Standing(again, tell)
    token = _CURRENT_SPENDS.set(spends)
    try:
        yield spends
    except SynthError as error:
        error.args = (f"{error} {spends.sentence}".rstrip(),)
        raise
    except BaseException as error:  # also for Ctrl-C and the end of memory, as a note
        if spends.sentence:
            error.add_note(spends.sentence)
        raise
    finally:
        _CURRENT_SPENDS.reset(token)


def note_spend(*, is_stored: bool) -> None:
    """Note a spend of the current block, and whether the ledger stores its result."""
    if (spends := _CURRENT_SPENDS.get()) is not None:
        spends.note(is_stored=is_stored)


def drop_spends() -> None:
    """Forget the spends of the current block."""
    if (spends := _CURRENT_SPENDS.get()) is not None:
        spends.drop()


def add_note(sentence: str, error: BaseException) -> str:
    """Return a sentence followed by the notes of an error."""
    return " ".join([sentence, *getattr(error, "__notes__", ())])
