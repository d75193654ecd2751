"""The walls of the house: who may import whom, where randomness lives, what a page may
touch.
"""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from synth import limits
from synth.util import plots
from tests.house.rules import PAGES, ROOT, SYNTH, find_breach, holds_of_all, nodes_of
from tests.tables import MIXED, ROWS, write

# After the door: rows are drawn, released numbers drawn again, samples of private rows are
# compared. Lessons make up a survey and pictures.
MAY_USE_NUMPY_RANDOM = set(
    "rows models recipes methods linked analysis classifier.py lessons".split()
)


def _config() -> dict[str, Any]:
    return tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def _imports(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _dotted(node: ast.AST) -> str:
    """``np.random.default_rng`` of an attribute chain, or an empty text."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return ""


def test_a_rule_names_everything_that_breaks_it() -> None:
    """`holds_of_all` makes a rule about one thing a test of many, which names all that break
    it and fails if there are none.
    """

    def is_small(number: int) -> None:
        assert number < 3

    assert find_breach(is_small, 2) == ""

    with pytest.raises(
        pytest.fail.Exception, match=r"^is_small\n4: assert 4 < 3\n5: assert 5 < 3"
    ):
        holds_of_all([1, 4, 5])(is_small)()
    with pytest.raises(AssertionError, match="the rule is about nothing"):
        holds_of_all([])(is_small)()


@holds_of_all(SYNTH)
def test_the_package_knows_no_screen(path: Path) -> None:
    assert not [name for name in _imports(path) if name.split(".")[0] == "streamlit"]


@holds_of_all(SYNTH)
def test_no_float_noise_before_the_door(path: Path) -> None:
    """Only the listed folders use NumPy's random numbers or `random`: noise that protects
    rows is drawn exactly, from the system's randomness.
    """
    if MAY_USE_NUMPY_RANDOM & set(path.relative_to(ROOT).parts):
        return
    names = {_dotted(node) for node in nodes_of(path) if isinstance(node, ast.Attribute)}
    used = {name for name in names if re.match(r"(np|numpy)\.random\b", name)}
    imported = {
        n for n in _imports(path) if n.split(".")[0] == "random" or "numpy.random" in n
    }
    assert not used | imported


@holds_of_all(SYNTH)
def test_duckdb_is_opened_in_one_place(path: Path) -> None:
    """No file of the package but one opens DuckDB, as its optimizer would believe the
    statistics of a file elsewhere.
    """
    if path.relative_to(ROOT / "synth") == Path("private/table/duckdb_session.py"):
        return
    names = {_dotted(node) for node in nodes_of(path) if isinstance(node, ast.Attribute)}
    opening = {"duckdb.connect", "duckdb.sql", "duckdb.query", "duckdb.execute"}
    assert not names & opening
    assert not set(_imports(path)) & opening


@holds_of_all(SYNTH)
def test_parquet_is_written_in_two_places(path: Path) -> None:
    """Only two files write Parquet: one for private copies, without statistics, and one for
    synthetic rows.
    """
    places = {Path("foreign/cells.py"), Path("rows/write.py")}
    if path.relative_to(ROOT / "synth") in places:
        return
    names = {_dotted(node) for node in nodes_of(path) if isinstance(node, ast.Attribute)}
    assert not {name.split(".")[-1] for name in names} & {"ParquetWriter", "to_parquet"}


@holds_of_all(SYNTH)
def test_one_seam_to_the_systems_randomness(path: Path) -> None:
    """Only `synth/noise/bits.py` reads the system's randomness, so that it can be replaced in
    one place.
    """
    if path.relative_to(ROOT / "synth") == Path("noise/bits.py"):
        return
    sources = {"os.urandom", "ssl.RAND_bytes", "ssl.RAND_priv_bytes", "os.getrandom"}
    names = {_dotted(node) for node in nodes_of(path) if isinstance(node, ast.Attribute)}
    assert not names & sources
    assert "secrets" not in set(_imports(path))


ENGINES = sorted((ROOT / "synth" / "private" / "counting").glob("*.py"))


@holds_of_all(ENGINES)
def test_engines_bind_texts_and_quote_none(path: Path) -> None:
    """No counting engine builds SQL from texts: it has no function that quotes, and puts only
    numbers into a query by their `repr`.
    """
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef):
            assert not re.search("literal|quote|escape", node.name), node.name
        # An f-string with !r, as in f"{float(value)!r}".
        if isinstance(node, ast.FormattedValue) and node.conversion == ord("r"):
            assert ast.unparse(node.value).startswith("float("), ast.unparse(node)


@holds_of_all(SYNTH + PAGES)
def test_no_function_is_over_50_lines(path: Path) -> None:
    """The body of no function has more than 50 lines, without its signature and docstring."""
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    for node in nodes_of(path):
        if isinstance(node, functions) and node.end_lineno is not None:
            has_docstring = ast.get_docstring(node) is not None
            statements = node.body[has_docstring:] or node.body
            length = node.end_lineno - statements[0].lineno + 1
            assert length <= 50, f"{node.name} is too long"


@holds_of_all(PAGES)
def test_pages_cache_nothing_and_put_nothing_in_the_address(path: Path) -> None:
    """Pages use neither the cache of Streamlit nor the address, which others could read; only
    `state.py` touches the session.
    """
    text = path.read_text(encoding="utf-8")
    assert "st.cache" not in text
    assert "query_params" not in text
    assert "bind=" not in text
    if path.name != "state.py":
        assert "session_state" not in text


@holds_of_all(PAGES)
def test_tables_of_pages_have_a_name(path: Path) -> None:
    """Each table says what it shows, as a screen reader tells tables apart by that."""
    calls = (node for node in nodes_of(path) if isinstance(node, ast.Call))
    nameless = [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "dataframe"
        and "alt" not in [keyword.arg for keyword in call.keywords]
    ]
    assert nameless == []


@holds_of_all(PAGES)
def test_pages_end_without_forgetting_a_request(path: Path) -> None:
    """Pages end early by `end_page` only, as Streamlit's own way loses a click."""
    if path.name != "ending.py":
        assert "st.stop" not in path.read_text(encoding="utf-8")


@holds_of_all(SYNTH + PAGES)
def test_private_copies_have_one_place(path: Path) -> None:
    """Temporary files are made in one module; elsewhere only in a folder that is named."""
    if path.relative_to(ROOT) == Path("synth/foreign/folders.py"):
        return
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and re.match(
            r"tempfile\.(?!gettempdir)", _dotted(node.func)
        ):
            assert _dotted(node.func) in ("tempfile.mkdtemp", "tempfile.mkstemp")
            assert "dir" in {keyword.arg for keyword in node.keywords}, "name the folder"
    assert not {name for name in _imports(path) if name.startswith("tempfile.")}


MAY_MOVE_FILES = {
    "bundle/parted.py",  # parts of a folder that has no name yet
    "bundle/writer.py",  # whole folders
    "util/outputs.py",  # all other files
}


@holds_of_all(SYNTH)
def test_files_take_their_places_where_outputs_are_protected(path: Path) -> None:
    """Only the listed modules move a file to its final name, as they never leave half a
    file.
    """
    if str(path.relative_to(ROOT / "synth")) in MAY_MOVE_FILES:
        return
    names = {_dotted(node) for node in nodes_of(path) if isinstance(node, ast.Attribute)}
    assert not names & {"os.replace", "os.rename", "os.link", "shutil.move"}


def test_steps_are_thin() -> None:
    for path in (ROOT / "pages" / "steps").glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 120, path.name


def test_settings_keep_the_table_on_this_machine() -> None:
    """Streamlit's settings send nothing away: no statistics, no details or links of errors,
    no export of data, no address but this machine, and nothing from the web in the theme.
    """
    config = _config()
    assert config["browser"]["gatherUsageStats"] is False
    assert config["client"]["showErrorDetails"] == "none"
    assert config["client"]["showErrorLinks"] is False
    assert config["client"]["disableDataExport"] is True
    assert config["server"]["address"] == "127.0.0.1"
    assert config["server"]["enableXsrfProtection"] is True
    assert config["server"]["enableCORS"] is True
    assert "http" not in repr(config["theme"])


def test_the_upload_limit_is_the_packages() -> None:
    assert _config()["server"]["maxUploadSize"] == limits.UPLOAD_MB


def _luminance(color: str) -> float:
    """The relative luminance of a colour such as #1f77b4, by WCAG."""
    shares = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.03928 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(color: str, other_color: str) -> float:
    """The contrast ratio of two colours, by WCAG: from 1 to 21."""
    low, high = sorted((_luminance(color), _luminance(other_color)))
    return (high + 0.05) / (low + 0.05)


def test_charts_can_be_read_on_both_themes() -> None:
    """Every line colour has a contrast of at least 3 with the background, as WCAG demands of
    graphics, on the light and the dark theme.
    """
    theme = _config()["theme"]
    assert tuple(theme["chartCategoricalColors"]) == plots.LINES
    for color in plots.LINES:
        for mode in ("light", "dark"):
            assert _contrast(color, theme[mode]["backgroundColor"]) >= 3


def test_text_has_contrast_on_both_themes() -> None:
    """Text has a contrast of at least 7 with both backgrounds, WCAG's level AAA, on both
    themes.
    """
    theme = _config()["theme"]
    for mode in ("light", "dark"):
        for ground in ("backgroundColor", "secondaryBackgroundColor"):
            assert _contrast(theme[mode]["textColor"], theme[mode][ground]) >= 7


def test_continuous_integration_runs_make_test() -> None:
    """The script of continuous integration can be run, and calls these targets of make in
    order.
    """
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    called = re.findall("^make ([a-z]+)$", script.read_text(encoding="utf-8"), re.M)
    assert called == ["test", "slow", "spark", "databases", "advisories"]


RELEASE = """
import sys
from pathlib import Path
import synth.__main__
from synth.spending.pipeline import Plan, synthesize
from tests.tables import MIXED, write_plain
write_plain(synthesize(Plan(domain=MIXED, epsilon=1), sys.argv[1]), Path(sys.argv[2]))
print({"pandas", "plotly"} & set(sys.modules))
"""


def test_a_release_does_without_the_charts_and_pandas(tmp_path: Path) -> None:
    """A release loads neither pandas nor plotly: only its report needs them, once rows
    are drawn.

    `RELEASE` makes a release in a fresh process and prints which of both it loaded.
    """
    table = write(tmp_path / "t.csv", list(MIXED.names), ROWS)
    process = subprocess.run(
        [sys.executable, "-c", RELEASE, str(table), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert process.stdout.strip() == "set()"
