"""Paths that no file can have, through every command and function that takes a path."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth
from synth.cli.main import main
from synth.util import check_path

IMPOSSIBLE = {
    "a zero byte": "a\0b.csv",
    "half a character": "a\ud800b.json",  # half of a pair, which no file system encodes
    "a long name": "x" * 5_000,
    "a long path": "/".join(["y" * 200] * 30) + ".zip",
}
FRAME = pd.DataFrame({"sex": ["f", "m"] * 50})
DOMAIN = synth.Domain(sex=["f", "m"])
ASKED = ("--epsilon", "1")
# Each command that takes a path, with @ in its place.
COMMANDS = """
example --out @|domain check @|domain convert @ --to sdv2|domain convert d.json --to sdv2 --out @
domain draft @ --out q.json|domain draft t.csv --out @|domain template @ --out q.csv
check @ --domain d.json|check t.csv --domain @|check t.csv --domain d.json --ledger @
forecast --domain @ --epsilon 1 --rows 9|release @ --domain d.json --epsilon 1 --out n.zip
release t.csv --domain @ --epsilon 1 --out n.zip|release t.csv --domain d.json --epsilon 1 --out @
release t.csv --domain d.json --epsilon 1 --out @|release t.csv --domain d.json --epsilon 1 --in-parts --out @
release t.csv --domain d.json --epsilon 1 --out n.zip --ledger @
release t.csv --domain d.json --epsilon 1 --out n.zip --rules @|release t.csv --plan @ --out n.zip
release t.csv --domain d.json --epsilon 1 --out n.zip --public @
verify @|verify b.zip --ledger @|verify b.zip --release @|verify b.zip --public @
compare @ b.zip|compare t.csv @|compare t.csv b.zip --out @|compare t.csv b.zip --public @
analyse @ --question count|analyse b.zip --questions @
replicates @ --out r|replicates b.zip --out @|draw @ --rows 5 --out o.zip
draw b.zip --rows 5 --out @|export @ --out x.xlsx|export b.zip --out @
dummy @ --rows 5 --out u.zip|dummy d.json --rows 5 --out @
ask @ --domain d.json --epsilon 1 --question count|ask t.csv --domain @ --epsilon 1 --question count
ask t.csv --domain d.json --epsilon 1 --questions @|ask t.csv --domain d.json --question count --out @
ask t.csv --domain d.json --epsilon 1 --question count --ledger @
collect form --question Smoke? --epsilon 1 --out @|collect read @ --form f.html
collect read t.csv --form @|ledger show --ledger @|ledger verify --ledger @|ledger export --ledger @
ledger budget --ledger @ 5 --dataset s --reason x|desktop --install --out @
"""  # noqa: E501

PACKAGE: dict[str, Any] = {
    "resources": [
        {
            "name": "people",
            "path": "p.csv",
            "schema": {
                "primaryKey": "id",
                "fields": [
                    {"name": "id", "type": "string"},
                    {
                        "name": "sex",
                        "type": "string",
                        "constraints": {"enum": ["f", "m"], "required": True},
                    },
                ],
            },
        }
    ]
}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "release data": lambda path: synth.release(path, DOMAIN, epsilon=1),
    "release domain": lambda path: synth.release(FRAME, path, epsilon=1),
    "release ledger": lambda path: synth.release(FRAME, DOMAIN, epsilon=1, ledger=path),
    "release rules": lambda path: synth.release(FRAME, DOMAIN, epsilon=1, rules=path),
    "release public": lambda path: synth.release(
        FRAME, DOMAIN, epsilon=1, public=path, vouched_by="me"
    ),
    "ask": lambda path: synth.ask(path, DOMAIN, "count", epsilon=1),
    "check": lambda path: synth.check(path, DOMAIN),
    "draft": synth.draft,
    "forecast": lambda path: synth.forecast(path, epsilon=1, rows=9),
    "verify": synth.verify,
    "verify ledger": lambda path: synth.verify("b.zip", ledger=path),
    "verify release": lambda path: synth.verify("b.zip", release=path),
    "verify public": lambda path: synth.verify("b.zip", public=path),
    "open_bundle": synth.open_bundle,
    "open_table": synth.open_table,
    "analyse": synth.analyse,
    "replicates": synth.replicates,
    "draw": lambda path: synth.draw(path, 5),
    "dummy": lambda path: synth.dummy(path, 5),
    "compare": lambda path: synth.compare(path, synth.open_bundle("b.zip")),
    "release_linked": lambda path: synth.release_linked({}, path, epsilon=1),
    "linked table": lambda path: synth.release_linked({"people": path}, PACKAGE, epsilon=1),
    "Ledger": synth.Ledger,
    "Derived": lambda path: synth.Derived(lookup="sex", table=path),
    "from_schema": synth.Domain.from_schema,
    "save": lambda path: synth.open_bundle("b.zip").save(path),
    "save_table": lambda path: synth.open_bundle("b.zip").save_table(path),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a table t.csv, its domain d.json and a bundle b.zip."""
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("t.csv", index=False)
    constraints = {"enum": ["f", "m"], "required": True}
    field = {"name": "sex", "type": "string", "constraints": constraints}
    Path("d.json").write_text(json.dumps({"fields": [field]}))
    synth.release(FRAME, DOMAIN, epsilon=1).save("b.zip")
    return tmp_path


@pytest.mark.parametrize("path", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_commands_refuse_it_in_one_sentence(
    path: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command refuses a path that no file can have, in one short line, and writes
    nothing.

    In each command line of the list, "@" stands for the path.
    """
    before = sorted(place.iterdir())
    for line in COMMANDS.strip().replace("\n", "|").split("|"):
        assert main([path if word == "@" else word for word in line.split()]) == 2, line
        out, err = capsys.readouterr()
        assert out == "", line
        assert "cannot be the name of a file" in err, line
        assert err.count("\n") == 1, line
        assert len(err) < 500, line
    assert sorted(place.iterdir()) == before


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize("path", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
@pytest.mark.first_case
def test_functions_refuse_it_in_one_sentence(path: str, kind: type) -> None:
    """Every public function refuses a path that no file can have, in one short sentence.

    The path is given as a text and as a Path.
    """
    for name, function in FUNCTIONS.items():
        with pytest.raises(synth.SynthError) as refused:
            function(kind(path))
        assert "cannot be the name of a file" in str(refused.value), name
        assert len(str(refused.value)) < 500, name


def test_an_empty_path_of_an_option_is_not_left_out(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty path is refused, and not taken for an option that was left out.

    Mostly it is a variable of a shell that has no value.
    """
    assert place.is_dir()
    assert main(["compare", "t.csv", "b.zip", "--public", ""]) == 2
    assert capsys.readouterr().err == (
        "No path is given for --public; name a file or a folder.\n"
    )


def test_odd_names_of_files_are_names(tmp_path: Path) -> None:
    """Names with a line break, a quotation mark, other letters or 255 characters are
    accepted.
    """
    for name in ("a\nb.csv", "it's.csv", "größe ö.csv", "\u202e.csv", "-", "x" * 255):
        check_path(tmp_path / name)
        check_path(name)
