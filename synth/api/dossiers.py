"""``synth.write_dossier``, and the method of every result that writes its dossier."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from synth.api.spending import LedgerChoice
from synth.door import Ledger
from synth.foreign import Folder
from synth.util import Protection, check_types

if TYPE_CHECKING:
    from synth.dossier import TypedAnswers

# What an organisation typed for a dossier: a file, or texts by the key of their question.
AnswersLike = str | Path | Mapping[str, str] | None


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
    from synth.api.forecasting import verify
    from synth.dossier import make_dossier, name_outputs

    source = Path(answers) if isinstance(answers, str | Path) else None
    output = name_outputs(folder, source)
    inputs = [Path(bundle)]
    if source is not None:
        inputs.append(source)
    protection = Protection(tuple(inputs), overwrite)
    protection.check(output)
    typed = None if answers is None else _read_answers(answers)
    dossier = make_dossier(verify(bundle, ledger, quick=quick), typed)
    return dossier.write(folder, protection, names=output.names)


class WithDossier:
    """What can write its bundle, and so the dossier of it.

    Attributes:
        ledger: The ledger that records it; None for memory only.

    >>> import pandas as pd, synth, tempfile
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
    >>> found = synth.ask(frame, {"sex": ["f", "m"]}, "count where sex = f", epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = made.dossier(f"{folder}/rows", answers={"purpose": "teaching"})
    ...     files[-1].name, found.dossier(f"{folder}/answers")[0].name
    ('answers.json', 'data_protection.html')
    """

    ledger: Ledger | None

    def save(self, path: str | Path) -> Path:
        """Write the bundle as one zip, and return its path."""
        raise NotImplementedError

    @check_types
    def dossier(
        self, folder: str | Path, *, answers: AnswersLike = None, overwrite: bool = False
    ) -> list[Path]:
        """Write the dossier: sheets for those who must sign, as `synth.write_dossier`.

        Args:
            folder: The folder of the dossier, which is made if it is not there.
            answers: What your organisation typed: a file of answers, or texts by key.
            overwrite: Whether to replace files of an earlier dossier.

        Returns:
            The paths of the files.

        Raises:
            SynthError: An answer is not valid, or a file cannot be written.
        """
        with Folder() as place:
            return write_dossier(
                self.save(place / "bundle.zip"),
                folder,
                answers=answers,
                ledger=self.ledger or False,
                overwrite=overwrite,
            )


def _read_answers(answers: str | Path | Mapping[str, str]) -> TypedAnswers:
    """Return typed answers of a file, or of texts by key."""
    from synth.dossier import TypedAnswers, check_answers, load_typed_answers

    if isinstance(answers, Mapping):
        return TypedAnswers(check_answers(answers))
    return load_typed_answers(answers)
