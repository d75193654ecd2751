"""A classifier trained on synthetic rows and tested on real ones. PRIVATE.

A random half of the real rows is the test set. One classifier learns from the other half, one
from as many synthetic rows; a third always predicts the most frequent value."""
# Multinomial logistic regression on the codes of the other columns, one weight a cell. Each
# step solves with the same bound on the curvature, half of the features' second moments
# (Boehning 1992, "Multinomial logistic regression algorithm"), so it can't overshoot.

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from synth import limits
from synth.domain import Domain
from synth.errors import TableError
from synth.private.comparison.tables import Compared
from synth.util import Codes, Floats, softmax

TRAINING_STEPS = 60
# Weight of the squared size of the weights, in rows.
RIDGE = 1.0


@dataclass(frozen=True)
class Accuracy:
    """Share of rows that are predicted right: of all, and as the mean over the true cells."""

    plain: float
    balanced: float


@dataclass(frozen=True, kw_only=True)
class Training:
    """Scores on the same real rows. PRIVATE.

    Attributes:
        synthetic, real: Trained on synthetic rows, and on as many real rows.
        majority: Always the most frequent cell.
        tested: Number of test rows.
        left_out: Columns that are too wide to learn from.
    """

    target: str
    synthetic: Accuracy
    real: Accuracy
    majority: Accuracy
    tested: int
    left_out: tuple[str, ...]


def targets(domain: Domain) -> list[str]:
    """Return the columns of few cells, if there are others to learn from."""
    if len(domain.columns) < 2:
        return []
    return [c.name for c in domain.columns if 2 <= c.size <= limits.TRAINED_CLASSES]


def train(seen: Compared, target: str) -> Training:
    # TableError if there are too few rows.
    place = seen.domain.names.index(target)
    features, left_out = _features(seen.domain, place)
    real, synthetic = (np.column_stack(rows) for rows in (seen.real, seen.synthetic))
    if min(len(real) // 2, len(synthetic)) < limits.TRAINED_ROWS_MIN:
        raise TableError(
            f"Training needs at least {2 * limits.TRAINED_ROWS_MIN} rows of either table."
        )
    rng = np.random.default_rng()
    order = rng.permutation(len(real))
    half = min(len(real) // 2, limits.TRAINED_ROWS)
    known, tested = real[order[:half]], real[order[half : 2 * half]]
    made = synthetic[rng.permutation(len(synthetic))[:half]]
    shape, truth = seen.domain.shape, tested[:, place]
    by_synthetic, by_real = (
        _accuracy(Classifier.fit(rows, shape, features, place).predict(tested), truth)
        for rows in (made, known)
    )
    often = np.full(len(truth), np.bincount(known[:, place]).argmax())
    return Training(
        target=target,
        synthetic=by_synthetic,
        real=by_real,
        majority=_accuracy(often, truth),
        tested=len(truth),
        left_out=left_out,
    )


def _features(domain: Domain, target: int) -> tuple[list[int], tuple[str, ...]]:
    ranked = sorted(
        (i for i in range(len(domain.columns)) if i != target), key=domain.shape.__getitem__
    )
    widths = np.cumsum([domain.shape[i] for i in ranked])
    kept = [
        i for i, width in zip(ranked, widths, strict=True) if width <= limits.TRAINED_CELLS
    ]
    return kept, tuple(domain.names[i] for i in ranked if i not in kept)


def _accuracy(said: npt.NDArray[np.integer], truth: npt.NDArray[np.integer]) -> Accuracy:
    right = said == truth
    each = np.bincount(truth, right) / np.maximum(np.bincount(truth), 1)
    return Accuracy(float(right.mean()), float(each[np.unique(truth)].mean()))


@dataclass(frozen=True, eq=False)
class Classifier:
    """Weights, shape (feature cells + 1, cells of the target); ``shape`` is that of the
    domain.
    """

    shape: tuple[int, ...]
    features: list[int]
    weights: Floats

    @classmethod
    def fit(
        cls, rows: Codes, shape: tuple[int, ...], features: list[int], target: int
    ) -> "Classifier":
        """Learn from rows of codes, shape (rows, columns); ``shape`` is the domain's."""
        x, wanted = _one_hot(rows, shape, features), np.eye(shape[target])[rows[:, target]]
        bound = np.linalg.inv((x.T @ x + 2 * RIDGE * np.eye(x.shape[1])) / 2)
        weights = np.zeros((x.shape[1], shape[target]))
        for _ in range(TRAINING_STEPS):
            gradient = x.T @ (wanted - softmax(x @ weights)) - RIDGE * weights
            weights += bound @ gradient
        return cls(shape, features, weights)

    def predict(self, rows: Codes) -> npt.NDArray[np.int64]:
        """Return the likeliest cell of the target, shape (rows,), for codes of shape (rows,
        columns).
        """
        return np.asarray(
            (_one_hot(rows, self.shape, self.features) @ self.weights).argmax(axis=1)
        )


def _one_hot(rows: Codes, shape: tuple[int, ...], features: list[int]) -> Floats:
    starts = np.cumsum([0, *(shape[i] for i in features)])
    x = np.zeros((len(rows), int(starts[-1]) + 1))
    x[:, -1] = 1
    for start, column in zip(starts, features, strict=False):
        x[np.arange(len(rows)), start + rows[:, column]] = 1
    return x
