"""Randomised answers of some people, which a child process reads. PUBLIC."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from synth import limits
from synth.collecting.answers import CODES_FILE
from synth.collecting.arriving import Content
from synth.collecting.design import FormDesign
from synth.errors import CollectError
from synth.foreign import Folder, read_apart
from synth.util import Codes, Ints


@dataclass(frozen=True, eq=False)
class Collected:
    """Randomised answers of some people.

    ``codes`` is the option that each person's file names, shape (people, questions).
    """

    design: FormDesign
    codes: Codes

    @property
    def people(self) -> int:
        """Number of people who answered, at least 1."""
        return len(self.codes)

    def counts(self, number: int) -> Ints:
        """Count how often each option of a question is named, shape (options,)."""
        return np.bincount(self.codes[:, number], minlength=self.design.shape[number])


def read_collected(files: Iterable[Path | Content], design: FormDesign) -> Collected:
    """Read answers from files, folders and zips; uploads are given by name and content.

    Raises:
        CollectError: An answer is damaged, belongs to another form or epsilon, or a person occurs
            twice. The message names the first place and the number of others.
        LimitError: There are too many people, a file is too large, or reading needs more memory or
            time than there is.
    """
    with Folder() as folder:
        sources = [_source(folder, number, one) for number, one in enumerate(files)]
        if not sources:
            raise CollectError("There are no answers.")
        read_apart(
            "answers", sources[0][0], folder, sources[0][1],
            sources=[(str(path.resolve()), name) for path, name in sources],
            design=design.to_json(), members=limits.COLLECTED_FILES,
            unpacked_mb=limits.COLLECTED_MB,
        )  # fmt: skip
        return Collected(design, np.load(folder / CODES_FILE).astype(np.int32))


def _source(folder: Path, number: int, one: Path | Content) -> tuple[Path, str]:
    if isinstance(one, Path):
        return one, one.name
    path = folder / str(number)
    path.write_bytes(one[1])
    return path, one[0]
