"""The command line as tests type it."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from synth.cli.main import main
from synth.domain import write_schema
from tests.bundle.bundles import make
from tests.tables import MIXED, ROWS, write


@dataclass(frozen=True)
class Line:
    """The command line; words may be paths and numbers.

    Attributes:
        capsys: Where what is printed is read from.
        first: Words that every line begins with.
    """

    capsys: pytest.CaptureFixture[str]
    first: tuple[object, ...] = ()

    def of(self, *first: object) -> "Line":
        """The same for one command."""
        return replace(self, first=first)

    def __call__(self, *words: object) -> tuple[int, str, str]:
        """The status, and what came out and on the side."""
        status = main([str(word) for word in (*self.first, *words)])
        captured = self.capsys.readouterr()
        return status, captured.out, captured.err

    def out(self, *words: object, status: int = 0) -> str:
        """What comes out."""
        exit_status, out, err = self(*words)
        assert exit_status == status, err
        return out

    def found(self, *words: object, status: int = 0) -> Any:
        """What comes out as JSON."""
        return json.loads(self.out(*words, "--json", status=status))

    def refused(self, *words: object) -> str:
        """The last line of a refusal, which leaves nothing else."""
        status, out, err = self(*words)
        assert (status, out) == (2, "")
        assert "Traceback" not in err
        return err.splitlines()[-1]


Files = tuple[Path, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A table of all types, and the file of its domain."""
    domain = tmp_path / "domain.json"
    domain.write_text(json.dumps(write_schema(MIXED)))
    return write(tmp_path / "table.csv", list(MIXED.names), ROWS * 20), domain


@pytest.fixture(scope="session")
def bundle_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One bundle with its ledger and its table; who changes it works on a copy."""
    return make(tmp_path_factory.mktemp("bundle"))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Line:
    return Line(capsys)
