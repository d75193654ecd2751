"""The sentence that ends every error after a spend: what was spent, and what to do. PUBLIC.

>>> with note_standing("the same call") as spends:
...     spends.note(kept=False)
...     spends.sentence
'The spend stands, but no ledger keeps what it bought: the same call spends once more.'
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from synth.errors import SynthError


class Standing:
    """The spends of a block.

    Args:
        again: How to get again what they paid for.
    """

    def __init__(self, again: str) -> None:
        self.again = again
        self._kept: list[bool] = []

    def note(self, *, kept: bool) -> None:
        """Record a spend, and whether the ledger stores what it pays for."""
        self._kept.append(kept)

    def drop(self) -> None:
        """Forget the spends."""
        self._kept.clear()

    @property
    def sentence(self) -> str:
        """The sentence; empty if nothing was spent."""
        if not self._kept:
            return ""
        if not all(self._kept):
            what = f"but no ledger keeps what it bought: {self.again} spends once more"
        else:
            what = (
                f"and the ledger keeps what it bought: {self.again} gives it again and spends "
                "nothing more"
            )
        return f"The spend stands, {what}."


_CURRENT_SPENDS: ContextVar[Standing | None] = ContextVar("standing", default=None)


@contextmanager
def note_standing(again: str) -> Iterator[Standing]:
    """End every error of this block with what was spent; the outermost block does it.

    Args:
        again: How to get again what was paid for, such as "the same call".
    """
    outer = _CURRENT_SPENDS.get()
    if outer is not None:
        yield outer
        return
    spends = Standing(again)
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
    """Record a spend in the current block, if there is one."""
    if (spends := _CURRENT_SPENDS.get()) is not None:
        spends.note(kept=kept)


def drop_spends() -> None:
    """Leave it to the next error to say what was spent and what can be done."""
    if (spends := _CURRENT_SPENDS.get()) is not None:
        spends.drop()


def add_note(sentence: str, error: BaseException) -> str:
    """Return a sentence in place of an error's own, with the note that `note_standing` added."""
    return " ".join([sentence, *getattr(error, "__notes__", ())])
