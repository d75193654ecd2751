"""The names that `import synth` gives: all there, all typed, and what one would guess."""

import pytest

import synth
from tests.processes import run


def test_names_come_when_they_are_used() -> None:
    """`import synth` imports no heavy library, and yet every public name is there when used.

    An unknown name raises an AttributeError.
    """
    code = (
        "import sys, synth; before = set(sys.modules); assert {*synth.__all__} <= "
        "{*dir(synth)}\n"
        "print(sorted({'pandas', 'numpy', 'duckdb', 'pyarrow'} & before), "
        "synth.Ledger.__name__)"
    )
    assert run(code).stdout == "[] Ledger\n"
    with pytest.raises(
        AttributeError, match=r"^module 'synth' has no attribute 'anonymise'$"
    ):
        synth.anonymise  # type: ignore[attr-defined]  # noqa: B018


def test_a_stranger_guesses_right(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Names that a newcomer would guess work in one program, from a frame to a verified
    bundle.

    Half of the people are of 58 or more; errors of columns are shares below 1. The release
    and the answers together cost 2 of the budget of 3.
    """
    import pandas as pd

    folder = tmp_path_factory.mktemp("stranger")
    df = pd.DataFrame({"age": [25, 45, 65, 85] * 100, "sex": ["f", "m"] * 200})
    domain = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])
    assert domain.names == ("age", "sex")

    # What to hope for, and a release that a ledger records.
    hope = synth.forecast(domain, epsilon=1, rows=400)
    assert 0 < hope.columns < 1
    ledger = synth.Ledger(folder / "ledger.db")
    release = synth.release(df, domain, epsilon=1, ledger=ledger, dataset="people", budget=3)
    assert list(release.table.columns) == list(df.columns)
    assert release.table["age"].mean() > 18
    assert release.certificate.guarantee.epsilon == 1

    # Its bundle is verified, opened, compared and analysed.
    path = release.save(folder / "release.zip")
    assert synth.verify(path, ledger).checks
    assert synth.open_bundle(path).table.equals(release.table)
    assert synth.compare(df, release).columns < 1
    assert len(synth.analyse(path).ask("share where age >= 58").table) == 1

    # Answers about the table, and a model that draws as many rows as wanted.
    answers = synth.ask(
        df, domain, ["mean age by sex"], epsilon=1, ledger=ledger, dataset="people"
    )
    assert len(answers.table) == 2
    model = synth.Synthesizer(domain, epsilon=1).fit(df)
    assert len(model.sample(50)) == 50
    ledger.close()
