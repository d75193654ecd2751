"""Regressions of rows in pandas and NumPy, apart from the package: slopes and naive
errors.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from tests.analysis.asked import Asked
from tests.analysis.cases import Measure

Design = Callable[[pd.DataFrame], np.ndarray]

ASKED: dict[str, tuple[str, ...]] = {
    "survey": (
        "regression household_size on age, sex",
        "logistic sex = male on age, household_size",
    ),
    "adult5": (
        'regression "education-num" on age, sex',
        "logistic income = '>50K' on age, sex, \"education-num\"",
        'correlation age, "education-num"',
    ),
    "adult14": (
        'regression "hours-per-week" on age, sex, "education-num"',
        "logistic income = '>50K' on age, sex, \"education-num\"",
        'correlation age, "hours-per-week"',
    ),
}
"""By table: what newcomers ask, of numbers and of two sexes."""
MEN = {
    "survey": ("male", "female"),
    "adult5": ("Male", "Female"),
    "adult14": ("Male", "Female"),
}


def regressions(table: str) -> list[Asked]:
    """Of a table, with the same of rows."""
    questions = []
    for text in ASKED[table]:
        word, columns = text.split(" ", 1)
        if word == "correlation":
            questions.append(
                Asked(
                    text,
                    _correlation(
                        [_name(text_of_name) for text_of_name in columns.split(", ")]
                    ),
                )
            )
            continue
        outcome, regressors = columns.split(" on ")
        names = [_name(text_of_name) for text_of_name in regressors.split(", ")]
        design, (man, woman) = _design(names, MEN[table][0]), MEN[table]
        question_text = text + f" reference '{woman}'" * (names[-1] == "sex")
        question_text = question_text.replace("sex,", f"sex reference '{woman}',")
        question_text = question_text.replace("= male", f"= '{man}'")
        if word == "logistic":
            name, value = (_name(text_of_name) for text_of_name in outcome.split(" = "))
            questions.append(Asked(question_text, _logistic(name, value, design), first=1))
        else:
            questions.append(Asked(question_text, _linear(_name(outcome), design), first=1))
    return questions


def _name(text: str) -> str:
    return text.strip("\"'")


def _design(names: Sequence[str], man: str) -> Design:
    def design(frame: pd.DataFrame) -> np.ndarray:
        columns = [
            (frame[name] == man).to_numpy(float)
            if name == "sex"
            else frame[name].to_numpy(float)
            for name in names
        ]
        return np.stack([np.ones(len(frame)), *columns], axis=1)

    return design


def _linear(outcome: str, design: Design) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        x, y = design(frame), frame[outcome].to_numpy(float)
        inverse = np.linalg.inv(x.T @ x)
        slopes = inverse @ (x.T @ y)
        errors = np.sqrt(np.diag(inverse) * float(((y - x @ slopes) ** 2).mean()))
        return slopes[1:], errors[1:]

    return measure


def _logistic(outcome: str, value: str, design: Design) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        x, y = design(frame), (frame[outcome] == value).to_numpy(float)
        slopes = np.zeros(x.shape[1])
        for _ in range(25):
            p = 1 / (1 + np.exp(-x @ slopes))
            inverse = np.linalg.inv((x.T * (p * (1 - p))) @ x)
            slopes = slopes + (step := inverse @ (x.T @ (y - p)))
            if np.abs(step).max() < 1e-9:
                break
        return slopes[1:], np.sqrt(np.diag(inverse))[1:]

    return measure


def _correlation(names: Sequence[str]) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        r = float(np.corrcoef(*(frame[name].to_numpy(float) for name in names))[0, 1])
        return np.array([r]), np.array([(1 - r**2) / np.sqrt(len(frame))])

    return measure
