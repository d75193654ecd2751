"""``synth.write_dossier``: sheets for the people who must sign."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from synth.api.spending import LedgerChoice
from synth.door import Ledger
from synth.foreign import Folder
from synth.util import FolderOutput, Protection, check_types, is_same_file

if TYPE_CHECKING:
    from synth.dossier import TypedAnswers

# What an organisation typed: a file, or texts by the key of their question.
AnswersLike = str | Path | Mapping[str, str] | None


class Saved(Protocol):
    """A release or answers that can write their bundle."""

    @property
    def ledger(self) -> Ledger | None:
        """The ledger that records it; None for memory only."""

    def save(self, path: str | Path, /) -> Path:
        """Write the bundle as one zip."""


@check_types
def write_dossier(  # noqa: PLR0913 - public: each option by name
    bundle: str | Path,
    folder: str | Path,
    *,
    answers: AnswersLike = None,
    ledger: LedgerChoice = None,
    quick: bool = False,
    overwrite: bool = False,
) -> list[Path]:
    """Check a bundle, and write its dossier: sheets for the people who must sign.

    Args:
        bundle: The zip file, or the folder of a release, of answers or of parts.
        folder: The folder of the dossier, which is made if it is not there.
        answers: Answers of your organisation: the file answers.json of a dossier, or texts by
            the keys of that file.
        ledger: The ledger that should record the spend, as in `synth.verify`.
        quick: Whether rows of a model are not drawn again; the sheets say so.
        overwrite: Whether to replace files of an earlier dossier. An input is never replaced.

    Returns:
        The paths of the files.

    Raises:
        SynthError: A claim of the bundle does not hold, an answer is not valid, or a file
            cannot be written.

    >>> import pandas as pd, synth, tempfile
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bundle = made.save(f"{folder}/r.zip")
    ...     files = synth.write_dossier(
    ...         bundle, f"{folder}/dossier", answers={"purpose": "teaching"}
    ...     )
    >>> files[0].name, len(files)
    ('data_protection.html', 12)
    """
    from synth.dossier import ANSWERS_FILE, DOSSIER_FILES, make_dossier
    from synth.verification import verify

    source = Path(answers) if isinstance(answers, str | Path) else None
    # The file of answers that is read is not written over.
    is_typed_here = source is not None and is_same_file(source, Path(folder) / ANSWERS_FILE)
    names = tuple(n for n in DOSSIER_FILES if not (is_typed_here and n == ANSWERS_FILE))
    inputs = [Path(bundle)]
    if source is not None:
        inputs.append(source)
    protection = Protection(tuple(inputs), overwrite)
    protection.check(FolderOutput(folder, names))
    typed = None if answers is None else _read_answers(answers)
    book = Ledger(ledger, readonly=True) if isinstance(ledger, str | Path) else ledger
    verified = verify(bundle, book or None, redraw=not quick, or_own=ledger is None)
    dossier = make_dossier(verified, typed)
    return dossier.write(folder, protection, typed=ANSWERS_FILE in names)


def _read_answers(answers: str | Path | Mapping[str, str]) -> TypedAnswers:
    """Return typed answers of a file, or of texts by key."""
    from synth.dossier import TypedAnswers, check_answers, load_typed_answers

    if isinstance(answers, Mapping):
        return TypedAnswers(check_answers(answers))
    return load_typed_answers(answers)


def write_dossier_of(
    made: Saved, folder: str | Path, *, answers: AnswersLike, overwrite: bool
) -> list[Path]:
    """Write the dossier of a release or of answers, by a bundle that is then removed.

    Args:
        made: The release or the answers.
        folder: The folder of the dossier.
        answers: The typed answers, as in `write_dossier`.
        overwrite: Whether to replace files of an earlier dossier.

    Raises:
        SynthError: As `write_dossier`.
    """
    with Folder() as place:
        bundle = made.save(place / "bundle.zip")
        return write_dossier(
            bundle,
            folder,
            answers=answers,
            ledger=made.ledger or False,
            overwrite=overwrite,
        )
