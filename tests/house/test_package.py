"""The package: its metadata, its wheel, and what is installed of it."""

import ast
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import synth
from tests import patience
from tests.e2e.browser import await_server

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
OLD = "import sys; sys.version_info = (3, 9, 1, 'final', 0); sys.argv = {}; import synth"


def run_python(
    *words: str, cwd: Path = ROOT, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """Run this Python with some words, and keep what it prints."""
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, capture_output=True, text=True, **options
    )


def list_ranges(name: str) -> list[str]:
    """The lines of a file of requirements, without comments."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_metadata_is_said_once() -> None:
    """pyproject.toml names all dependencies, requirements.txt repeats those of the program,
    and there is one command, synth.
    """
    project = PROJECT["project"]
    assert project["dynamic"] == ["version"]
    assert project["dependencies"] == list_ranges("requirements.txt")
    assert project["scripts"] == {"synth": "synth.cli.main:run"}
    assert PROJECT["build-system"]["requires"] == PROJECT["dependency-groups"]["build"]


def test_hooks_before_a_commit_are_those_of_make_test_and_leave_slow_tests_out() -> None:
    """The hooks before a commit run the same tools, with the same words, as `make test`;
    pytest leaves slow tests out.

    A hook that takes minutes is one that is skipped.
    """
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = [shlex.split(entry) for entry in re.findall(r"^ +entry: (.*)$", hooks, re.M)]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^test:.*\n((?:\t.*\n)+)", makefile, re.M)
    assert {Path(program).name for program, *_ in entries} == {
        "ruff",
        "mypy",
        "lint-imports",
        "python",
    }
    for program, *words in entries:
        if "pytest" in words:
            assert words[-2:] == ["-m", "not slow"]
        else:  # in the recipe a tool may have --quiet among its words
            tool = Path(program).name
            assert re.search(
                rf"/{tool} {' (--quiet )?'.join(words)}".rstrip() + r"\b", recipe
            )


def test_an_old_python_gets_one_sentence() -> None:
    """Python 3.9 gets one sentence, as an error of the command or of the import, and no
    traceback of new syntax.

    `OLD` is code that pretends to be Python 3.9 and imports synth. The files that check the
    version must themselves be readable by Python 3.6.
    """
    sentence = "Synth needs Python 3.11 or newer; this one is 3.9."
    # While Python starts `python -m synth`, sys.argv is ["-m"].
    started = run_python("-c", OLD.format(["-m"]))
    assert (started.returncode, started.stderr) == (1, f"{sentence}\n")
    imported = run_python("-c", OLD.format([""]))
    assert imported.stderr.splitlines()[-1] == f"ImportError: {sentence}"

    for path in ("synth/__init__.py", ".ci/install.py"):
        ast.parse((ROOT / path).read_text(encoding="utf-8"), feature_version=(3, 6))
        assert re.search(r"OLDEST = \(3, 11\)", (ROOT / path).read_text(encoding="utf-8"))
    assert PROJECT["project"]["requires-python"] == ">=3.11"


def test_the_bill_of_materials_is_the_locks(tmp_path: Path) -> None:
    """The bill of materials lists exactly the packages, versions and hashes of the lock
    file.
    """
    process = run_python(".ci/sbom.py", "requirements.lock", synth.__version__, str(tmp_path))
    assert process.returncode == 0, process.stderr
    (path,) = tmp_path.glob("*.cdx.json")
    bill = json.loads(path.read_text(encoding="utf-8"))

    pinned = re.findall(r"^([a-z0-9-]+)==([^\s;]+) ", LOCK, re.M)
    parts = bill["components"]
    assert [(part["name"], part["version"]) for part in parts] == pinned
    assert sum(len(part["hashes"]) for part in parts) == LOCK.count("--hash=sha256:")
    assert bill["dependencies"][0]["dependsOn"] == [part["bom-ref"] for part in parts]
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")


def test_an_offline_folder_says_where_it_fits(tmp_path: Path) -> None:
    """The script for offline installs names the Python version that it fits; the installer
    refuses a folder without the wheels.
    """
    printed = run_python(".ci/offline.py").stdout
    assert "with Python {}.{}.".format(*sys.version_info) in printed

    shutil.copy(ROOT / ".ci" / "install.py", tmp_path)
    shutil.copy(ROOT / "requirements.lock", tmp_path)
    refused = run_python("install.py", cwd=tmp_path)
    assert refused.returncode == 1
    assert refused.stderr.startswith("This script belongs beside synth_dp-*.whl and wheels")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git holds of this tree, or would, without its history."""
    folder = tmp_path_factory.mktemp("clone")
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(
        os.path.exists, map(str, map(ROOT.joinpath, listing.stdout.splitlines()))
    ):
        target = folder / Path(name).relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(name, target)
    return folder


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what builds; it needs a package index."""
    folder = tmp_path_factory.mktemp("builder")
    lock = ("--require-hashes", "-r", ".ci/locks/build.lock")
    if run_python(
        "-m", "pip", "install", "-q", "--retries", "1", *lock, "-t", str(folder)
    ).returncode:
        pytest.skip("No package index is reachable that has what builds the wheel.")
    return folder


def build_wheel(builder: Path, clone: Path, target: Path) -> Path:
    """Build the wheel of a clone into a folder, and return its path."""
    build = ("-m", "hatchling", "build", "-t", "wheel", "-d", str(target))
    process = run_python(*build, cwd=clone, env={**os.environ, "PYTHONPATH": str(builder)})
    assert process.returncode == 0, process.stderr
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(builder: Path, clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(builder, clone, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel; what it needs is this
    one's.
    """
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    install = ("install", "-q", "--no-index", "--no-deps", str(wheel))
    done = run_python("-m", "pip", "--python", str(programs / "python"), *install)
    assert done.returncode == 0, done.stderr
    (site,) = folder.rglob("site-packages")
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (site / "shared.pth").write_text("\n".join(shared), encoding="utf-8")
    return programs


@pytest.mark.slow
def test_two_builds_are_the_same_bytes(
    builder: Path, clone: Path, wheel: Path, tmp_path: Path
) -> None:
    """Two builds of the same tree are the same wheel, byte for byte, though a file has
    another date.
    """
    os.utime(clone / "app.py", (1, 1))
    second_wheel = build_wheel(builder, clone, tmp_path)
    assert second_wheel.name == wheel.name == f"synth_dp-{synth.__version__}-py3-none-any.whl"
    digests = {
        hashlib.sha256(path.read_bytes()).hexdigest() for path in (wheel, second_wheel)
    }
    assert len(digests) == 1


@pytest.mark.slow
def test_the_wheel_holds_app_pages_settings_and_schemas(wheel: Path, clone: Path) -> None:
    """The wheel holds the files of the package, the app with its pages and settings, and no
    others; its metadata name the requirements and five extras.
    """
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if ".dist-info/" not in name}
        (metadata,) = (n for n in packed.namelist() if n.endswith("METADATA"))
        metadata_text = packed.read(metadata).decode()

    package_files = {
        str(p.relative_to(clone)) for p in (clone / "synth").rglob("*") if p.is_file()
    }
    served = [clone / "app.py", clone / ".streamlit" / "config.toml"]
    served += [path for path in (clone / "pages").rglob("*") if path.is_file()]
    assert names == package_files | {
        f"synth/served/{path.relative_to(clone)}" for path in served
    }
    assert {"synth/py.typed", "synth/bundle/schemas/certificate.schema.json"} <= names

    needed = re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", metadata_text, re.M)
    assert {line.split()[0] for line in PROJECT["project"]["dependencies"]} == set(needed)
    assert re.findall(r"^Provides-Extra: (.+)$", metadata_text, re.M) == [
        "auth",
        "databases",
        "desktop",
        "spark",
        "statistics",
    ]


@pytest.mark.slow
def test_an_installed_app_answers_from_any_folder(installed: Path, tmp_path: Path) -> None:
    """`synth app` of an installed wheel starts in any folder, answers at its address and
    prints it.
    """
    with patience.port() as port, (tmp_path / "log").open("wb") as log:
        command = [installed / "synth", "app", "--headless", "--port", str(port)]
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            await_server(f"http://127.0.0.1:{port}", process)
        finally:
            process.terminate()
            process.wait(patience.SECONDS)
    log_text = (tmp_path / "log").read_text(encoding="utf-8")
    assert f"Synth is at http://127.0.0.1:{port}" in log_text
    assert "Traceback" not in log_text


@pytest.mark.slow
def test_an_installed_command_line_is_the_repositorys(
    installed: Path, tmp_path: Path
) -> None:
    """The installed commands work in a folder without the repository: an example, a release,
    and its check.
    """

    def run(*words: str) -> str:
        command = [installed / "synth", *words]
        process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert process.returncode == 0, process.stderr
        return process.stdout

    run("example", "--out", "demo")
    declared = ("--domain", "demo/survey.schema.json", "--columns", "sex,smoker")
    run("release", "demo/survey.csv", *declared, "--epsilon", "1", "--out", "survey.zip")
    assert run("verify", "survey.zip").startswith("Confirmed.")
    assert run("--help").startswith("usage: synth COMMAND")


def test_citation_changelog_and_tag_name_this_version() -> None:
    """The newest released entry of the changelog has the version and day of the citation.

    An entry above it is of a version to come, and says that it is not released.
    A commit with a tag of a version is of this version.
    """
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {synth.__version__}\n" in citation
    changelog = (ROOT / "docs" / "changelog.md").read_text(encoding="utf-8")
    headings = [line for line in changelog.splitlines() if line.startswith("## ")]
    newest = next(line for line in headings if not line.endswith(" (unreleased)"))
    assert headings.index(newest) <= 1
    day = re.search(r"^date-released: (\S+)$", citation, re.MULTILINE)
    assert day is not None
    assert newest == f"## {synth.__version__} ({day[1]})"
    tags = subprocess.run(
        ["git", "tag", "--points-at", "HEAD", "v*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(tags.stdout.split()) <= {f"v{synth.__version__}"}


def test_the_citation_names_the_license() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nlicense: {PROJECT['project']['license']}\n" in citation


def test_few_entries_stand_at_the_top() -> None:
    """Whoever opens the repository sees at most 14 files and folders, besides dot-files."""
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = {line.split("/")[0] for line in listing.stdout.splitlines()}
    entries = {name for name in names if not name.startswith(".") and (ROOT / name).exists()}
    assert len(entries) <= 14, sorted(entries)
