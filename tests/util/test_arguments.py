"""A table in any argument of any public function is refused, and not one of its cells is
quoted.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import synth
from synth.errors import ArgumentError, SynthError, describe_value

# What the cells of the secret table hold, and no sentence may.
MARK, NUMBER = "Zqx7", "987654321"
FRAME = pd.DataFrame({"sex": ["f", "m"] * 50, "age": ["20", "40"] * 50})
DOMAIN = synth.Domain(sex=["f", "m"], age=["20", "40"])
SECRET = pd.DataFrame({"sex": [f"{MARK}f", "m"] * 5, "age": [int(NUMBER), 40] * 5})
TABLES: Mapping[str, Any] = {
    "frame": SECRET,
    "series": SECRET["sex"],
    "numbers": SECRET["age"],
    "array": SECRET.to_numpy(),
    "arrow": pa.Table.from_pandas(SECRET),
    "records": SECRET.to_dict("records"),
    "columns": SECRET.to_dict("list"),
    "text": SECRET.to_csv(),
    "bytes": SECRET.to_csv().encode(),
}
# Arguments that take a table, and such as have no wrong value.
TAKEN = {"data", "path of open_table", "progress", "public", "package"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bundle b.zip."""
    folder = tmp_path_factory.mktemp("arguments")
    synth.release(FRAME, DOMAIN, epsilon=1).save(folder / "b.zip")
    return folder


def list_calls(folder: Path) -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    """Public functions and methods, each with arguments that are right."""
    bundle, release = str(folder / "b.zip"), synth.release(FRAME, DOMAIN, epsilon=1)
    analysis = synth.analyse(bundle)
    yield synth.release, {"data": FRAME, "domain": DOMAIN, "epsilon": 1}
    yield synth.ask, {"data": FRAME, "domain": DOMAIN, "questions": "count", "epsilon": 1}
    yield synth.check, {"data": FRAME, "domain": DOMAIN, "epsilon": 1}
    yield synth.draft, {"data": FRAME}
    yield synth.forecast, {"domain": DOMAIN, "epsilon": 1, "rows": 100}
    yield synth.verify, {"path": bundle}
    yield synth.open_bundle, {"path": bundle}
    yield synth.analyse, {"bundle": bundle}
    yield synth.replicates, {"bundle": bundle}
    yield synth.draw, {"bundle": bundle, "rows": 10}
    yield synth.dummy, {"domain": DOMAIN, "rows": 10}
    yield synth.compare, {"data": FRAME, "release": release}
    yield synth.Integer, {"minimum": 0, "maximum": 9}
    yield synth.Number, {"minimum": 0, "maximum": 9}
    yield synth.Date, {"minimum": "2020-01-01", "maximum": "2020-12-31"}
    yield synth.Categorical, {"categories": ["a"]}
    yield synth.Boolean, {}
    yield synth.Derived, {"formula": "age"}
    yield synth.Identifier, {"pattern": "P##"}
    yield synth.Ledger, {}
    yield synth.Synthesizer, {"domain": DOMAIN, "epsilon": 1}
    yield synth.Synthesizer(DOMAIN, epsilon=1).fit(FRAME).sample, {}
    for method in (release.save, release.save_table):
        yield method, {"path": folder / "new.zip"}
    yield analysis.ask, {"questions": "count"}
    with synth.Ledger() as ledger:
        yield ledger.balance, {"dataset": "people"}


def list_texts_of_chain(error: BaseException | None) -> Iterator[str]:
    """Texts of an error and of those that a traceback shows above it."""
    while error is not None:
        yield f"{error} {getattr(error, '__notes__', '')}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", TABLES)
def test_no_argument_of_a_public_function_quotes_a_table(kind: str, place: Path) -> None:
    """A table given for any other argument of a public function is refused without quoting a
    cell.

    The table comes as one of several types. Each function is called with right arguments but
    one. More than 60 of these calls must be refused, or the test would check too little.
    """
    refusals = 0
    for function, right in list_calls(place):
        for name in inspect.signature(function).parameters:
            if {name, f"{name} of {function.__name__}"} & TAKEN or name in (
                "options",
                "named",
            ):
                continue

            call = f"{function.__qualname__}({name}={kind})"
            try:
                function(**{**right, name: TABLES[kind]})
            except SynthError as error:
                refusals += 1
                sentences = " ".join(list_texts_of_chain(error))
                assert MARK not in sentences, call
                assert NUMBER not in sentences, call
            except Exception as error:
                raise AssertionError(f"{call}: {error!r}") from error
    assert refusals > 60


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"max_rows": SECRET}, "max_rows must be a number, but it is of the type DataFrame."),
        (
            {"columns": SECRET["sex"]},
            "columns must be a list of texts, but it is of the type Ser",
        ),
        (
            {"columns": [["sex"]]},
            "columns must be a list of texts, but it holds a value of the t",
        ),
        (
            {"ledger": {}},
            "ledger must be a Ledger or a text or a path or True or False, but it is of the",
        ),
        ({"anyway": "yes"}, "anyway must be True or False, but it is a text."),
        ({"epsilon": [1]}, "epsilon must be a text or a number, but it is of the type list."),
    ],
)
def test_the_sentence_names_the_type(arguments: dict[str, Any], sentence: str) -> None:
    """An argument of a wrong type is refused by a sentence that names the argument and both
    types.
    """
    with pytest.raises(synth.SynthError) as refused:
        synth.release(FRAME, DOMAIN, **{"epsilon": 1, **arguments})
    assert str(refused.value).startswith(sentence)


def test_names_of_columns_in_any_list_are_taken() -> None:
    """Names of columns may be in a list, a tuple, an index of pandas or an array of NumPy."""
    lists: Sequence[Any] = (["sex"], ("sex",), FRAME.columns[:1], np.array(["sex"]))
    for names in lists:
        assert synth.release(FRAME, DOMAIN, epsilon=1, columns=names).domain.names == ("sex",)


def test_a_wrong_call_is_explained_by_python() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        synth.release(FRAME, DOMAIN, epsilon=1, colour=1)  # type: ignore[call-arg]


def test_values_are_described_by_their_type() -> None:
    """In a refusal, a table or a very long number is described by its type, and a short value
    as it is.
    """
    assert describe_value(SECRET) == "of the type DataFrame"
    assert describe_value(10**10_000) == "a number of very many digits"
    assert describe_value(None) == "None"
    assert describe_value(np.int64(3)) == "3"


def test_rows_in_place_of_a_path_become_no_file_s_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table as text in the place of the ledger would leave its rows as a file's name."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=r"^A text of several lines is given for ledger;"):
        synth.release(FRAME, DOMAIN, epsilon=1, ledger=SECRET.to_csv(), dataset="a", budget=3)
    assert list(tmp_path.iterdir()) == []
