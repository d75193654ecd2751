"""A simulated clinic of 4,000 patients and their visits, so that you can try linked tables.

No one in it exists. Every row is drawn from a model with a fixed, published seed, as in the
simulated survey, and no noise of any release ever comes from this generator.

>>> from synth.lessons.clinic import clinic_package
>>> [resource["name"] for resource in clinic_package()["resources"]]
['patients', 'visits']
"""
# The model, each column given those before it:
# patients: age 0 to 94, more of the old; sex; a chronic illness, more often from 50 on
# visits: none for one patient in eight; else Poisson, more with age and a chronic illness
# department: by the patient's age, sex and illness
# emergency: more often in surgery; month: 1 to 12, more in winter

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synth.lessons.survey import draw_yes
from synth.util import FolderOutput, Protection

PATIENTS = 4_000
SEED = 20_250_401
MAX_VISITS = 6
"""The most visits of one patient that a release keeps."""
CLINIC_FILES = ("patients.csv", "visits.csv", "datapackage.json")
DEPARTMENTS = ("children", "internal", "maternity", "surgery")


def clinic_package() -> dict[str, Any]:
    """Return the public description of both tables and their link, as a data package."""
    patient = {"name": "patient", "type": "integer"}
    age = {
        "name": "age",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 94, "required": True},
        "synth:edges": [*range(0, 91, 10), 94],
    }
    month = {
        "name": "month",
        "type": "integer",
        "constraints": {"minimum": 1, "maximum": 12, "required": True},
        "synth:bins": 12,
    }
    patients = {
        "primaryKey": "patient",
        "fields": [patient, age, _listed("sex", "female", "male"), _yes_or_no("chronic")],
    }
    visits = {
        "fields": [
            patient,
            month,
            _listed("department", *DEPARTMENTS),
            _yes_or_no("emergency"),
        ],
        "foreignKeys": [
            {
                "fields": "patient",
                "reference": {"resource": "patients", "fields": "patient"},
            }
        ],
    }
    return {
        "name": "clinic",
        "title": "Simulated clinic: nobody in it exists",
        "resources": [
            {"name": "patients", "path": "patients.csv", "schema": patients},
            {
                "name": "visits",
                "path": "visits.csv",
                "schema": visits,
                "synth:maxRows": MAX_VISITS,
            },
        ],
    }


def simulate_clinic(patients: int = PATIENTS) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the patients and their visits, the same ones every time.

    Each column is drawn given those before it, as the comment at the module's top says. The
    coefficients make a plausible clinic.

    Args:
        patients: Number of patients.
    """
    rng = np.random.default_rng(SEED)
    age = np.floor(95 * rng.beta(1.4, 1.1, patients)).astype(np.int64)
    female = rng.random(patients) < 0.53
    chronic = draw_yes(rng, (age - 62) / 14)

    mean_visits = 0.9 + age / 60 + 1.3 * chronic
    visits = np.where(rng.random(patients) < 0.125, 0, rng.poisson(mean_visits))
    of = np.repeat(np.arange(patients), visits)
    rows = len(of)

    may_give_birth = female[of] & (age[of] >= 20) & (age[of] < 45)
    department = np.where(draw_yes(rng, 1.2 * chronic[of] - 0.2), 1, 3)
    department = np.where(may_give_birth & (rng.random(rows) < 0.5), 2, department)
    department = np.where(age[of] < 16, 0, department)
    emergency = draw_yes(rng, -1.1 + 0.9 * (department == 3))
    by_month = np.array([10, 10, 9, 8, 8, 7, 7, 6, 7, 8, 9, 11]) / 100
    month = rng.choice(np.arange(1, 13), rows, p=by_month)

    number = np.arange(1, patients + 1)
    yes_or_no = np.array(("no", "yes"))
    people = pd.DataFrame(
        {
            "patient": number,
            "age": age,
            "sex": np.where(female, "female", "male"),
            "chronic": yes_or_no[chronic.astype(np.int64)],
        }
    )
    stays = pd.DataFrame(
        {
            "patient": number[of],
            "month": month,
            "department": np.array(DEPARTMENTS)[department],
            "emergency": yes_or_no[emergency.astype(np.int64)],
        }
    )
    return people, stays


def write_linked_example(directory: str | Path, *, overwrite: bool = False) -> list[Path]:
    """Write ``patients.csv``, ``visits.csv`` and ``datapackage.json``; create the directory
    if needed.

    Args:
        directory: The folder for the files.
        overwrite: Whether files of these names may be replaced.

    Returns:
        The paths of both tables and of their description.

    Raises:
        ReleaseError: They cannot be written, or other files of these names are there.
    """
    folder = Path(directory)
    protection = Protection(overwrite=overwrite)
    protection.check(FolderOutput(folder, CLINIC_FILES))
    patients, visits, package = CLINIC_FILES
    with protection.fill_folder(folder) as part:
        for name, table in zip((patients, visits), simulate_clinic(), strict=True):
            table.to_csv(part / name, index=False, lineterminator="\n")
        document = json.dumps(clinic_package(), indent=1) + "\n"
        (part / package).write_text(document, encoding="utf-8")
    return [folder / name for name in CLINIC_FILES]


def _listed(name: str, *categories: str) -> dict[str, Any]:
    """Describe a column of categories without missing values."""
    constraints = {"enum": [*categories], "required": True}
    return {"name": name, "type": "string", "constraints": constraints}


def _yes_or_no(name: str) -> dict[str, Any]:
    """Describe a column of yes and no without missing values."""
    return {
        "name": name,
        "type": "boolean",
        "trueValues": ["yes"],
        "falseValues": ["no"],
        "constraints": {"required": True},
    }
