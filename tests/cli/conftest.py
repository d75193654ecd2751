"""The command line as tests type it."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from synth.cli.main import main
from synth.domain import write_schema
from tests.bundle.bundles import make_bundle
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

    def beginning_with(self, *first: object) -> "Line":
        """Return a command line of which every line begins with these words."""
        return replace(self, first=first)

    def __call__(self, *words: object) -> tuple[int, str, str]:
        """Run the words; return the exit status, stdout and stderr."""
        status = main([str(word) for word in (*self.first, *words)])
        captured = self.capsys.readouterr()
        return status, captured.out, captured.err

    def output(self, *words: object, status: int = 0) -> str:
        """Run the words, check the exit status, and return stdout."""
        exit_status, out, err = self(*words)
        assert exit_status == status, err
        return out

    def report(self, *words: object, status: int = 0) -> Any:
        """Run the words with --json, check the exit status, and return what stdout says."""
        return json.loads(self.output(*words, "--json", status=status))

    def refusal(self, *words: object) -> str:
        """Check that the words are refused with status 2 and print no answer or traceback.

        Return the last line of stderr, which is the sentence that says why.
        """
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
    return make_bundle(tmp_path_factory.mktemp("bundle"))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Line:
    return Line(capsys)
