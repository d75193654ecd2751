"""More than 250 wrong command lines: each is refused in one sentence, and changes nothing.

`wrong_lines.txt` has the lines, each with the beginning of its sentence, or with the word
that it proposes, below it.
"""

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from synth.cli.main import main
from synth.door import Ledger
from tests.cli.conftest import Line
from tests.workplace import DOMAIN, snapshot

WORDS = {
    "RELEASE": "release t.csv --domain d.json --out n.zip",
    "PLAIN": "release t.csv --domain d.json --epsilon 1",
    "ASK": "ask t.csv --domain d.json --epsilon 1 --question",
    "LEDGER": "--ledger l.db --dataset people",
}
"""What many command lines begin or end with."""
PAIRS = re.findall(
    r"^(\S.*)\n    (.+)$", Path(__file__).with_name("wrong_lines.txt").read_text(), re.M
)
# Names of people in the table, which no message may hold.
SECRET = "Zsofia"
# What a command may say before the sentence that refuses it.
REMARKS = ("Note: ", "Private, for you alone: ")


def words_of(line: str) -> list[str]:
    """The words of a command line, with the names of `WORDS` replaced."""
    for name, words in WORDS.items():
        line = line.replace(name, words)
    return shlex.split(line)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a table, a release in a ledger, a form, and files that are in the way."""
    folder = tmp_path_factory.mktemp("wrong")
    rows = "".join(f"{'FM'[n % 2]},{20 + n % 50},{SECRET} {7391 + n}\n" for n in range(400))
    contents = {
        "t.csv": f"sex,age,city\n{rows}",
        "s.csv": "sex,age\nF,20\nM,30\n",
        "rows.jsonl": f'{{"city": "{SECRET}"}}\n' * 2,
        "d.json": json.dumps(DOMAIN),
        "broken.json": "{",
        "empty.json": "",
        "empty.csv": "",
        "book.csv": "name,value,label\nsex,F,female\nsex,M,male\n",
        "there.zip": "mine",
        "full/certificate.json": "mine",
        "taken.certificate.json": "mine",
        "f.py": "",
    }
    (folder / "full").mkdir()
    for name, content in contents.items():
        (folder / name).write_text(content)
    (folder / "link.zip").symlink_to("r.zip")
    with chdir(folder):
        assert main(words_of("PLAIN --out r.zip --anyway LEDGER")) == 0
        form = "collect form --question 'Do you smoke?' --epsilon 1 --out f.html"
        assert main(words_of(form)) == 0
        yield folder


@pytest.fixture(scope="module")
def before(place: Path) -> dict[str, tuple[int, str | bytes]]:
    """All files of the folder, with their modes and contents."""
    return snapshot(place)


@pytest.mark.parametrize(("line", "part"), PAIRS, ids=[line for line, _ in PAIRS])
def test_a_wrong_line_is_one_sentence_and_spends_nothing(
    place: Path, before: object, cli: Line, line: str, part: str
) -> None:
    """A wrong line ends with status 2 and one sentence, which holds no cell of the table.

    No file changes, and so nothing is spent. Only a ledger of this machine may be made, which
    is not in the folder.
    """
    status, out, err = cli(*words_of(line))
    assert (status, out) == (2, ""), err
    assert "Traceback" not in err
    assert "did not expect" not in err
    assert SECRET not in err
    sentences = [text for text in err.splitlines() if not text.startswith(REMARKS)]
    assert len(sentences) == 1
    assert part in sentences[0]
    assert sentences[0].endswith((".", "?"))
    assert snapshot(place) == before


def test_so_many_lines_are_wrong() -> None:
    assert len({line for line, _ in PAIRS}) == len(PAIRS) > 250


def test_no_wrong_line_was_recorded(place: Path) -> None:
    """The ledger has the one spend with which the folder was made."""
    with Ledger(place / "l.db", readonly=True) as book:
        assert len(book.entries()) == 1
