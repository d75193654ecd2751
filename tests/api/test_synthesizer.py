"""``fit`` spends, ``sample`` does not."""

import pandas as pd
import polars
import pytest

import synth

FRAME = pd.DataFrame({"a": ["x", "y", "y", "z"] * 250, "b": ["u", "v"] * 500})
DOMAIN = synth.Domain(a=["x", "y", "z"], b=["u", "v"])


@pytest.mark.parametrize("method", ["dense", "independent"])
def test_sampling_is_free(method: str) -> None:
    """From one fit any number of rows is drawn, and nothing more is spent than its epsilon
    1/2.
    """
    model = synth.Synthesizer(DOMAIN, "1/2", method=method).fit(FRAME)
    assert [len(model.sample(n)) for n in (7, 1000, 1500)] == [7, 1000, 1500]
    assert model.sample().equals(model.release.table)  # without a number: the release's rows
    assert repr(model) == "Synthesizer(epsilon 0.5, spent epsilon 0.5)"


def test_a_second_fit_spends_again_and_says_so() -> None:
    """Fitting a model a second time spends its epsilon again, and warns of the total of 2."""
    model = synth.Synthesizer(DOMAIN, 1).fit(FRAME)
    sentence = (
        r"^This fit spent epsilon 1 again: epsilon 2 in total, if these are the same people\."
    )
    with pytest.warns(UserWarning, match=sentence):
        model.fit(FRAME)
    assert model.spent == 2


def test_what_is_not_fitted_cannot_be_sampled() -> None:
    """A model without a fit has no rows to draw, and 0 rows cannot be drawn from any.

    A seed is refused, as noise of a known seed would protect nobody.
    """
    model = synth.Synthesizer(DOMAIN, epsilon=1)
    with pytest.raises(synth.SynthError, match=r"^There is no release to draw from yet"):
        model.sample(5)
    with pytest.raises(
        synth.SynthError, match=r"^n must be a whole number of at least 1, but"
    ):
        model.fit(FRAME).sample(0)
    with pytest.raises(TypeError, match="random_state"):
        synth.Synthesizer(DOMAIN, epsilon=1, random_state=0).fit(FRAME)


def test_arguments_are_read_and_changed_as_in_scikit_learn() -> None:
    """A model made of another one's arguments is the same model, and a wrong change of an
    argument changes nothing.
    """
    model = synth.Synthesizer(DOMAIN, "1/2", method="independent", rows=20)
    arguments = model.get_params()
    assert (arguments["epsilon"], arguments["method"]) == ("1/2", "independent")
    assert synth.Synthesizer(**arguments).get_params() == arguments
    assert model.set_params(epsilon=1).epsilon == 1
    for wrong in ({"method": "gan"}, {"colour": 1}, {"epsilon": 2, "delta": 5}):
        with pytest.raises(synth.SynthError):
            model.set_params(**wrong)
        assert model.get_params() == {**arguments, "epsilon": 1}


def test_samples_are_of_the_library_of_the_fitted_frame() -> None:
    """A frame of Polars gives samples of Polars, with its types."""
    frame = polars.from_pandas(FRAME).with_columns(polars.col("a").cast(polars.Categorical))
    model = synth.Synthesizer(DOMAIN, 1).fit(frame)
    for sample in (model.sample(), model.sample(7)):
        assert sample.schema == frame.schema
