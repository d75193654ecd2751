"""What others make of our files: Frictionless, mlcroissant, DDI's schema, csvw-eo, the newest
SDV.

    PYTHONPATH=. python tests/evidence/validators.py

Each gets an environment of its own in a temporary folder, with its newest version, and is
handed what the tests make: fifty bundles and more, of every kind, and declarations both ways.
An environment that is there already is named by SYNTH_VALIDATORS, SYNTH_CSVW_EO or SYNTH_SDV.
SYNTH_DDI_XSD names codebook.xsd of DDI Codebook 2.5, which the DDI Alliance publishes under
the LGPL; where it is not set, codebooks are not looked at, and the run says so and fails."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
TOOLS = {
    "SYNTH_VALIDATORS": (
        ("frictionless", "mlcroissant", "lxml"),
        "tests/bundle/test_data_package.py::test_fifty_bundles_are_made_and_verified",
    ),
    "SYNTH_CSVW_EO": (
        ("csvw-eo",),
        "tests/codebooks/test_csvw_eo.py::test_their_package_takes_twenty_declarations",
    ),
    "SYNTH_SDV": (
        ("sdv",),
        "tests/codebooks/test_sdv_newest.py::test_the_newest_takes_what_is_written",
    ),
}
"""The variable that names its Python, what is installed there, and the test that hands
over.
"""


def python_with(packages: tuple[str, ...], folder: Path) -> str:
    """A Python that has these packages, as new as they are."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    inside = str(folder / "bin" / "python")
    subprocess.run([inside, "-m", "pip", "install", "-qq", *packages], check=True)
    return inside


def versions_in(python: str, packages: tuple[str, ...]) -> str:
    """What is installed there, in words."""
    code = (
        "import sys; from importlib.metadata import version as v; print([*map(v, "
        "sys.argv[1:])])"
    )
    command = [python, "-c", code, *packages]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    return f"{', '.join(packages)}: {printed.stdout.strip()}"


def main() -> int:
    bad = 0
    if not os.environ.get("SYNTH_DDI_XSD"):
        print(
            "SYNTH_DDI_XSD names no codebook.xsd of DDI Codebook 2.5: codebooks are not "
            "checked."
        )
        bad = 1
    for variable, (packages, test) in TOOLS.items():
        with TemporaryDirectory() as place:
            python = os.environ.get(variable) or python_with(packages, Path(place) / "venv")
            print(versions_in(python, packages), flush=True)
            command = [sys.executable, "-m", "pytest", "-q", "-s", "-m", "slow", test]
            bad += subprocess.run(
                command, cwd=ROOT, env={**os.environ, variable: python}
            ).returncode
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
