"""Questions of the source notes, asked of small tables by `synth.ask`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import synth
from synth.noise import KNorm
from synth.questions import Answer
from synth.util import Floats

Bounds = tuple[Any, Any]


@dataclass(frozen=True)
class NoisyAnswer:
    """An answer, and the noise on its sums as the certificate has it.

    Attributes:
        answer: The answer itself.
        noise: On every sum, in steps of its grid.
        grids: Size of a step of each sum, in units of its column.
        moves: How far one row moves all sums together, in steps of L1.
    """

    answer: Answer
    noise: Any
    grids: Floats
    moves: int

    @property
    def variances(self) -> Floats:
        """Of the noise on each sum, in units of its column."""
        shared = self.noise.dimension if isinstance(self.noise, KNorm) else 1
        return np.asarray(self.noise.variance / shared * self.grids**2)

    def draw(self, runs: int) -> Floats:
        """Fresh noise on all sums, shape (runs, sums), in units of their columns."""
        size = runs if isinstance(self.noise, KNorm) else runs * len(self.grids)
        return np.asarray(self.noise.draw(size).reshape(runs, -1) * self.grids)


def ask_about(
    columns: Mapping[str, Sequence[float] | Floats],
    bounds: Sequence[Bounds],
    question: str,
    **budget: Any,
) -> NoisyAnswer:
    """Ask one question about numbers in declared bounds; return the answer with its noise."""
    numbers = {
        name: synth.Number(*ends, bins=2) for name, ends in zip(columns, bounds, strict=True)
    }
    answers = synth.ask(pd.DataFrame(columns), synth.Domain(**numbers), question, **budget)
    (portion,) = answers.certificate.portions
    grids = np.array([float(grain.grid) for grain in portion.grains])
    return NoisyAnswer(answers[0], portion.noise, grids, portion.sensitivity.l1)
