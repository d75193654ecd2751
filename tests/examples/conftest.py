"""The built-in survey as a reader has it: a file, its declaration, a frame, and one
release.
"""

from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.lessons import write_example


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``synth example`` writes; the schema is beside it."""
    return write_example(tmp_path_factory.mktemp("demo"))[0]


@pytest.fixture(scope="session")
def frame(survey: Path) -> pd.DataFrame:
    """The survey in memory."""
    return pd.read_csv(survey)


@pytest.fixture(scope="session")
def domain() -> synth.Domain:
    """Three columns of the survey, declared from its code book."""
    return synth.Domain(
        age=synth.Integer(18, 97, bins=16),
        sex=["female", "male"],
        smoker=synth.Categorical(["no", "yes"], missing=True),
    )


@pytest.fixture(scope="session")
def bundle(
    frame: pd.DataFrame, domain: synth.Domain, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A release of the three columns, saved."""
    release = synth.release(frame, domain, epsilon=1)
    return release.save(tmp_path_factory.mktemp("release") / "release.zip")
