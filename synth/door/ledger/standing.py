"""The sentence that ends every error after a spend: the cost, and what to do. PUBLIC.

>>> with note_standing("the same call") as spends:
...     spends.note(kept=False)
...     spends.sentence
'The spend counts, but no ledger stores the result: the same call spends again.'
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from synth.errors import SynthError


class Standing:
    """The spends of a block.

    ``again`` says how to get again what they paid for; ``tell`` is called with each new
    sentence."""

    def __init__(self, again: str, tell: Callable[[str], None] | None = None) -> None:
        self.again = again
        self._kept: list[bool] = []
        self._tell = tell

    def note(self, *, kept: bool) -> None:
        self._kept.append(kept)
        self._tell_sentence()

    def drop(self) -> None:
        self._kept.clear()
        self._tell_sentence()

    def _tell_sentence(self) -> None:
        if self._tell is not None:
            self._tell(self.sentence)

    @property
    def sentence(self) -> str:
        if not self._kept:
            return ""
        if not all(self._kept):
            what = f"but no ledger stores the result: {self.again} spends again"
        else:
            what = (
                f"and the ledger stores the result: {self.again} returns it at no further "
                "cost"
            )
        return f"The spend counts, {what}."


_CURRENT_SPENDS: ContextVar[Standing | None] = ContextVar("standing", default=None)


@contextmanager
def note_standing(
    again: str, tell: Callable[[str], None] | None = None
) -> Iterator[Standing]:
    """End every error of this block with the amount spent; the outermost block does it.

    ``again`` says how to get it again, such as "the same call"; ``tell`` is called with what
    was spent, whenever that changes."""
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
    except BaseException as error:  # Ctrl-C and the end of memory are no less
        if spends.sentence:
            error.add_note(spends.sentence)
        raise
    finally:
        _CURRENT_SPENDS.reset(token)


def note_spend(*, kept: bool) -> None:
    if (spends := _CURRENT_SPENDS.get()) is not None:
        spends.note(kept=kept)


def drop_spends() -> None:
    if (spends := _CURRENT_SPENDS.get()) is not None:
        spends.drop()


def add_note(sentence: str, error: BaseException) -> str:
    return " ".join([sentence, *getattr(error, "__notes__", ())])
