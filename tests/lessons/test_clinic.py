"""The simulated clinic: always the same, always inside its description, every visit with its
patient.
"""

from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.cli.main import main
from synth.domain import read_package
from synth.lessons import PATIENTS, clinic_package, simulate_clinic, write_linked_example
from synth.lessons.clinic import MAX_VISITS


def test_clinic_is_the_same_every_time() -> None:
    for first, second in zip(simulate_clinic(300), simulate_clinic(300), strict=True):
        assert first.equals(second)


def test_written_clinic_fits_its_description(tmp_path: Path) -> None:
    """The columns of both tables are the described ones, every row lies within what the
    description allows, and every visit has its patient.
    """
    patients_file, visits_file, package_file = write_linked_example(tmp_path / "new")
    described = read_package(package_file)
    assert [table.domain.names for table in described.tables] == [
        ("age", "sex", "chronic"),
        ("month", "department", "emergency"),
    ]

    patients, visits = pd.read_csv(patients_file), pd.read_csv(visits_file)
    assert len(patients) == PATIENTS
    assert patients["patient"].is_unique
    assert set(visits["patient"]) < set(patients["patient"])
    for resource, table in zip(
        clinic_package()["resources"], (patients, visits), strict=True
    ):
        for field in resource["schema"]["fields"]:
            limits, column = field.get("constraints", {}), table[field["name"]]
            if "enum" in limits:
                assert set(column) == set(limits["enum"])
            if "minimum" in limits:
                assert column.between(limits["minimum"], limits["maximum"]).all()
    assert set(patients["chronic"]) == set(visits["emergency"]) == {"no", "yes"}


def test_visits_depend_on_patients_and_some_patients_have_more_than_count() -> None:
    """The clinic has what linked tables are for: visits that depend on the patient, patients
    without a visit, and a few with more visits than a release keeps.
    """
    patients, visits = simulate_clinic()
    joined = visits.merge(patients, on="patient")
    assert set(joined.loc[joined["age"] < 16, "department"]) == {"children"}
    assert set(joined.loc[joined["department"] == "maternity", "sex"]) == {"female"}

    number = visits.groupby("patient").size().reindex(patients["patient"], fill_value=0)
    is_ill = (patients["chronic"] == "yes").to_numpy()
    assert number[is_ill].mean() > 1.5 * number[~is_ill].mean()
    assert (number == 0).any()
    assert 0 < (number > MAX_VISITS).mean() < 0.05


@pytest.mark.slow
def test_the_command_writes_it_beside_the_survey_and_it_can_be_released(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`example --linked` writes three files into the folder of the survey, and a release of
    them has both tables.
    """
    folder = tmp_path / "demo"
    assert main(["example", "--out", str(folder)]) == 0
    assert main(["example", "--linked", "--out", str(folder)]) == 0
    printed = capsys.readouterr().out.split()
    assert sorted(Path(path).name for path in printed) == [
        "datapackage.json",
        "patients.csv",
        "survey.csv",
        "survey.schema.json",
        "visits.csv",
    ]
    tables = {name: folder / f"{name}.csv" for name in ("patients", "visits")}
    made = synth.release_linked(tables, folder / "datapackage.json", epsilon=1, ledger=False)
    assert list(made.tables) == ["patients", "visits"]


def test_other_files_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of one of the names stays, unless it may be replaced."""
    (tmp_path / "visits.csv").write_text("mine")
    command = ["example", "--linked", "--out", str(tmp_path)]
    assert main(command) == 2
    assert "visits.csv' is there already" in capsys.readouterr().err
    assert (tmp_path / "visits.csv").read_text() == "mine"
    assert main([*command, "--overwrite"]) == 0
