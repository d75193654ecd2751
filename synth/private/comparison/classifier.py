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

# Number of steps by which a classifier is fitted.
TRAINING_STEPS = 60
# Weight of the squared size of the weights, in rows.
RIDGE = 1.0


@dataclass(frozen=True)
class Accuracy:
    """Share of rows that are predicted right.

    Attributes:
        plain: Of all rows.
        balanced: Mean over the true cells, each weighted equally.
    """

    plain: float
    balanced: float


@dataclass(frozen=True, kw_only=True)
class Training:
    """Scores on the same real rows. PRIVATE.

    Attributes:
        target: The predicted column.
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
    """Return the names of the columns that may be predicted: those of few cells.

    There are none if the table has no other column to learn from.
    """
    if len(domain.columns) < 2:
        return []
    return [c.name for c in domain.columns if 2 <= c.size <= limits.TRAINED_CLASSES]


def train(compared: Compared, target: str) -> Training:
    """Train on synthetic and on real rows, and test on the same other real rows. PRIVATE.

    Args:
        compared: The real and the synthetic rows.
        target: The name of the predicted column.

    Raises:
        TableError: There are too few rows.
    """
    place = compared.domain.names.index(target)
    features, left_out = _features(compared.domain, place)
    real = np.column_stack(compared.real)
    synthetic = np.column_stack(compared.synthetic)
    if min(len(real) // 2, len(synthetic)) < limits.TRAINED_ROWS_MIN:
        raise TableError(
            f"Training needs at least {2 * limits.TRAINED_ROWS_MIN} rows of either table."
        )
    # Real rows in random order: the first half trains, and the next half tests.
    rng = np.random.default_rng()
    order = rng.permutation(len(real))
    half = min(len(real) // 2, limits.TRAINED_ROWS)
    training_rows = real[order[:half]]
    test_rows = real[order[half : 2 * half]]
    synthetic_rows = synthetic[rng.permutation(len(synthetic))[:half]]
    shape = compared.domain.shape
    truth = test_rows[:, place]
    classifiers = [
        Classifier.fit(rows, shape, features, target=place)
        for rows in (synthetic_rows, training_rows)
    ]
    by_synthetic, by_real = (
        _accuracy(classifier.predict(test_rows), truth) for classifier in classifiers
    )
    most_frequent = np.full(len(truth), np.bincount(training_rows[:, place]).argmax())
    return Training(
        target=target,
        synthetic=by_synthetic,
        real=by_real,
        majority=_accuracy(most_frequent, truth),
        tested=len(truth),
        left_out=left_out,
    )


def _features(domain: Domain, target: int) -> tuple[list[int], tuple[str, ...]]:
    """Return the columns to learn from, and the names of those left out.

    Columns of few cells come first, until all together have `TRAINED_CELLS` cells.

    Args:
        domain: The columns.
        target: The place of the predicted column.

    Columns to learn from are given by their places in the domain.
    """
    ranked = sorted(
        (i for i in range(len(domain.columns)) if i != target), key=domain.shape.__getitem__
    )
    widths = np.cumsum([domain.shape[i] for i in ranked])  # all cells up to each column
    features = [
        i for i, width in zip(ranked, widths, strict=True) if width <= limits.TRAINED_CELLS
    ]
    return features, tuple(domain.names[i] for i in ranked if i not in features)


def _accuracy(predicted: npt.NDArray[np.integer], truth: npt.NDArray[np.integer]) -> Accuracy:
    """Return how often predicted codes are the true ones, both of shape (rows,).

    The balanced accuracy is the mean over the cells that some row has.
    """
    right = predicted == truth
    # For each true cell, the share of its rows that are predicted right; 0 without rows.
    shares_by_cell = np.bincount(truth, right) / np.maximum(np.bincount(truth), 1)
    return Accuracy(float(right.mean()), float(shares_by_cell[np.unique(truth)].mean()))


@dataclass(frozen=True, eq=False)
class Classifier:
    """A multinomial logistic regression on the cells of some columns.

    Attributes:
        shape: Number of cells of each column of the domain.
        features: Places of the columns that it learns from.
        weights: Shape (cells of the features + 1, cells of the target); the last is constant.
    """

    shape: tuple[int, ...]
    features: list[int]
    weights: Floats

    @classmethod
    def fit(
        cls, rows: Codes, shape: tuple[int, ...], features: list[int], *, target: int
    ) -> "Classifier":
        """Learn a softmax regression with a ridge penalty.

        Each step solves with the same bound on the curvature (Boehning 1992), so no step
        size is needed.

        Args:
            rows: Codes of all columns of the domain, shape (rows, columns).
            shape: The number of cells of each column of the domain.
            features: The places of the columns to learn from.
            target: The place of the predicted column.
        """
        inputs = _one_hot(rows, shape, features)
        truth = np.eye(shape[target])[rows[:, target]]  # 1 in the true cell of each row
        ridge = RIDGE * np.eye(inputs.shape[1])
        # The log-likelihood curves by at most half of the features' second moments, and the
        # penalty by the ridge.
        inverse_curvature = np.linalg.inv((inputs.T @ inputs + 2 * ridge) / 2)
        weights = np.zeros((inputs.shape[1], shape[target]))
        for _ in range(TRAINING_STEPS):
            gradient = inputs.T @ (truth - softmax(inputs @ weights)) - RIDGE * weights
            weights += inverse_curvature @ gradient
        return cls(shape, features, weights)

    def predict(self, rows: Codes) -> npt.NDArray[np.int64]:
        """Return the likeliest cell of the target, shape (rows,).

        Args:
            rows: Codes of all columns of the domain, shape (rows, columns).
        """
        scores = _one_hot(rows, self.shape, self.features) @ self.weights
        return np.asarray(scores.argmax(axis=1))


def _one_hot(rows: Codes, shape: tuple[int, ...], features: list[int]) -> Floats:
    """Return rows as zeros and ones, shape (rows, cells of the features + 1).

    A row has 1 in the cell of each feature, and in the last column, which is the constant.

    Args:
        rows: Codes of all columns of the domain, shape (rows, columns).
        shape: The number of cells of each column of the domain.
        features: The places of the columns to learn from.
    """
    starts = np.cumsum([0, *(shape[i] for i in features)])  # the last one is the end
    inputs = np.zeros((len(rows), int(starts[-1]) + 1))
    inputs[:, -1] = 1
    for start, column in zip(starts, features, strict=False):
        inputs[np.arange(len(rows)), start + rows[:, column]] = 1
    return inputs
