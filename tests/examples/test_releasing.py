"""Examples: a confidential table in, a synthetic one out."""

from fractions import Fraction
from pathlib import Path

import pandas as pd
import polars

import synth


def test_a_release_has_as_many_rows_as_the_table(
    frame: pd.DataFrame, domain: synth.Domain
) -> None:
    """Unless told otherwise, a release has as many rows as the table, whose
    number is public.
    """
    assert len(synth.release(frame, domain, epsilon=1).table) == len(frame)


def test_synthetic_columns_have_the_types_that_are_declared(
    frame: pd.DataFrame, domain: synth.Domain
) -> None:
    """Synthetic columns keep the declared range of numbers and the declared categories."""
    release = synth.release(frame, domain, epsilon=1)
    assert release.table["age"].between(18, 97).all()
    assert release.table["sex"].cat.categories.tolist() == ["female", "male"]


def test_the_certificate_states_the_guarantee(
    frame: pd.DataFrame, domain: synth.Domain
) -> None:
    """The certificate has the epsilon as an exact fraction, and delta 0 unless
    one was given.
    """
    guarantee = synth.release(frame, domain, epsilon="1/3").certificate.guarantee
    assert guarantee.epsilon == Fraction(1, 3)
    assert guarantee.delta == 0


def test_the_number_of_rows_may_be_private(frame: pd.DataFrame, domain: synth.Domain) -> None:
    """Under add-remove the number of rows is private, and a release has a noisy one, near
    20,000.
    """
    release = synth.release(frame, domain, epsilon=1, neighbors="add-remove")
    assert release.certificate.released.rows is None
    assert 19_000 < len(release.table) < 21_000


def test_all_rows_of_a_person_can_be_protected_together(
    frame: pd.DataFrame, domain: synth.Domain
) -> None:
    """With person= and max_rows= the guarantee is for all rows of a person; here each has
    two.
    """
    visits = frame.assign(patient=frame.index // 2)
    release = synth.release(visits, domain, epsilon=1, person="patient", max_rows=2)
    assert release.certificate.privacy_unit.startswith("one person by the column 'patient'")


def test_you_say_how_many_rows_you_want(frame: pd.DataFrame, domain: synth.Domain) -> None:
    assert len(synth.release(frame, domain, epsilon=1, rows=100).table) == 100


def test_a_path_and_a_frame_of_polars_are_tables_too(
    survey: Path, domain: synth.Domain
) -> None:
    """The path of a file and a frame of Polars are released like a frame of pandas: 20,000
    rows.
    """
    for table in (survey, polars.read_csv(survey)):
        assert len(synth.release(table, domain, epsilon=1).table) == 20_000


def test_a_derived_column_holds_in_every_row(frame: pd.DataFrame) -> None:
    """A derived column follows its formula in every synthetic row, here a group of ages."""
    age = synth.Integer(18, 97, bins=16)
    group = synth.Derived(formula="bins(age, 30, 65)")
    table = synth.release(frame, synth.Domain(age=age, age_group=group), epsilon=1).table
    assert (table["age"] < 30).equals(table["age_group"] == "under 30")


def test_rules_keep_out_what_cannot_be(frame: pd.DataFrame, domain: synth.Domain) -> None:
    """A combination that the rules call impossible is in no synthetic row."""
    rules = {"impossible": [{"sex": ["male"], "smoker": ["yes"]}]}
    table = synth.release(frame, domain, epsilon=1, method="tree", rules=rules).table
    assert not ((table["sex"] == "male") & (table["smoker"] == "yes")).any()


def test_a_bundle_keeps_the_release(
    frame: pd.DataFrame, domain: synth.Domain, tmp_path: Path
) -> None:
    """A saved bundle opens with the rows of the release."""
    release = synth.release(frame, domain, epsilon=1)
    opened = synth.open_bundle(release.save(tmp_path / "release.zip"))
    assert opened.table.equals(release.table)


def test_rows_are_written_for_other_programs(bundle: Path, tmp_path: Path) -> None:
    """The rows of a bundle can be written in other formats, here Parquet with the
    same shape.
    """
    opened = synth.open_bundle(bundle)
    opened.save_table(tmp_path / "rows.parquet")
    assert pd.read_parquet(tmp_path / "rows.parquet").shape == opened.table.shape


def test_fit_spends_and_sample_is_free(frame: pd.DataFrame, domain: synth.Domain) -> None:
    model = synth.Synthesizer(domain, epsilon="1/2").fit(frame)
    assert [len(model.sample(rows)) for rows in (5, 50)] == [5, 50]
    assert model.spent == Fraction(1, 2)
