"""The topics of the Learn page: two sentences, formula, note, controls and pictures."""

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import streamlit as st

from pages.ui.ask.inquiring import examples, find_fault
from pages.ui.frame.frame import ASK
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, show
from synth.foreign import in_markdown
from synth.lessons import losses, noises, releases
from synth.util import Picture

_NOTES = {
    "000": "Sarwate, Generating vector-valued noise for differential privacy",
    "001": "Cook, Adding Laplace or Gaussian noise to database for privacy",
    "002": "Nikolov, Laplace noise mechanism (slides)",
    "003": "Poulsen, Elliptical Gaussian noise for multivariate normal data",
    "004": "CS 208, Section 5: Gaussian mechanism, synthetic data, exponential mechanism",
}


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One topic.

    Attributes:
        title: Its name in the list of topics.
        words: The topic in two sentences.
        formula: The formula, in LaTeX.
        notes: Keys of the source notes.
        draw: Draws the controls, and returns the pictures.
        question: A question to ask one's own table.
    """

    title: str
    words: str
    formula: str
    notes: Sequence[str]
    draw: Callable[[], Iterable[Picture]]
    question: str


def teach(lesson: Lesson) -> None:
    """Show a topic: its words, formula and controls on the left, its pictures right."""
    text_column, picture_column = st.columns([4, 7], gap="large")
    with text_column:
        st.subheader(lesson.title)
        st.markdown(lesson.words)
        st.latex(lesson.formula)
        pictures = lesson.draw()  # shows the controls here, and computes the pictures
        try_it(lesson.question)
        notes = "; ".join(_NOTES[note] for note in lesson.notes)
        st.caption(f"From the source notes: {notes}.")
    with picture_column:
        for number, picture in enumerate(pictures):
            show(picture, Lane.PUBLIC, f"lesson {lesson.title} {number}")


def try_it(question: str) -> None:
    """Show a question about the topic, and a button that opens it on the page Ask.

    If the current table cannot answer it, another question of its kind is shown.
    """
    st.markdown("**Try it on your table:**")
    question = _fitting_question(question)
    st.code(question, language=None, wrap_lines=True)
    if st.button(
        "Ask this question", key=f"try {question}", icon=":material/question_answer:"
    ):
        state.choose(line=question)
        st.switch_page(ASK.file)


def _fitting_question(question: str) -> str:
    """Return the question, or an example of the table if the table cannot answer it.

    It is an example of the same kind, if there is one: the kind is the first word, such as
    ``count``. Without a described table the question stays.
    """
    draft = state.draft()
    if draft.domain is None or not find_fault(draft, question):
        return question
    kind = question.partition(" ")[0]
    table_examples = examples(draft)
    same_kind = [example for example in table_examples if example.partition(" ")[0] == kind]
    return next(iter([*same_kind, *table_examples]), question)


def _epsilon(value: float = 1.0) -> float:
    return float(
        st.select_slider("Epsilon", [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0], value=value)
    )


def _noises() -> Iterable[Picture]:
    """Show controls for epsilon and delta; return pictures of noise densities and losses."""
    steps = ["1e-9", "1e-7", "1e-6", "1e-5", "1e-3"]
    epsilon = _epsilon()
    delta = float(st.select_slider("Delta", steps, value="1e-5"))
    return noises.noise_densities(epsilon, delta), noises.privacy_loss(epsilon, delta)


def _definitions() -> Iterable[Picture]:
    """Return three pictures of the privacy loss, of a release or of chosen parameters.

    With a release the user chooses one of its noisy histograms, or all of them together.
    Otherwise controls for epsilon and delta are shown.
    """
    release = state.draft().release
    measured_parts = []  # of the release: all noisy histograms together, then each
    if release is not None:
        measured_parts = losses.noisy_parts(release.result.record, release.plan.unit)
    part: losses.Noisy
    if release is None or not measured_parts:
        epsilon = _epsilon()
        steps = ["0", "1e-9", "1e-7", "1e-6", "1e-5", "1e-3"]
        delta = st.select_slider("Delta; 0 is pure, by Laplace noise", steps, value="1e-5")
        part = losses.example(Fraction(str(epsilon)), Fraction(str(delta)))
    else:
        st.caption(f"Of your release {in_markdown(release.title)}, whose epsilon is marked.")
        number = st.selectbox(
            "Noise on",
            range(len(measured_parts)),
            format_func=lambda number: measured_parts[number].label,
        )
        part = measured_parts[number or 0]
        epsilon = float(release.plan.epsilon)
    return (
        losses.loss_law(part, epsilon),
        losses.delta_curve(part, epsilon),
        losses.renyi_curve(part),
    )


def _radii() -> Iterable[Picture]:
    dimension = st.slider("Dimensions", 2, 50, 3)
    epsilon = _epsilon()
    return noises.radii(dimension), noises.ball_ratios(dimension, epsilon)


def _k_norms() -> Iterable[Picture]:
    return (noises.k_norms(50, st.slider("Dimensions", 1, 50, 10)),)


def _responses() -> Iterable[Picture]:
    epsilon = _epsilon()
    alpha = st.select_slider("Error allowed", [0.01, 0.02, 0.05, 0.1], value=0.05)
    return (noises.responses(epsilon, float(alpha), 100),)


def _ellipses() -> Iterable[Picture]:
    width = st.slider("How much wider the first column is", 1, 50, 10)
    return (noises.ellipses(width, st.slider("Other columns", 1, 20, 3)),)


def _composition() -> Iterable[Picture]:
    """Show controls for the releases and their epsilon; return the picture of composition."""
    epsilon = st.select_slider(
        "Epsilon of each release", [0.01, 0.05, 0.1, 0.5, 1.0], value=0.1
    )
    number = st.select_slider("Releases", [10, 20, 50, 100, 200, 500, 1_000], value=100)
    delta = 1e-6  # of all releases together
    return (releases.composition(float(epsilon), delta, int(number)),)


def _selections() -> Iterable[Picture]:
    epsilon = _epsilon(value=0.1)
    rows = st.select_slider("Rows", [20, 50, 100, 200, 500, 1_000], value=100)
    return (releases.selections(epsilon, int(rows)),)


def _corner_bins() -> Iterable[Picture]:
    bins = st.select_slider("Bins on [-1, 1]", [11, 21, 51, 101, 201, 501, 1_001])
    rows = st.select_slider("Rows", [100, 200, 500, 1_000, 2_000, 5_000, 10_000])
    return (releases.corner_bins(int(bins), int(rows), _epsilon()),)


def _universes() -> Iterable[Picture]:
    epsilon = _epsilon()
    rows = st.select_slider("Real rows", [1_000, 10_000, 100_000, 1_000_000], value=10_000)
    return (releases.universes(epsilon, int(rows)),)


def _theorem() -> Iterable[Picture]:
    epsilon = _epsilon()
    queries = st.select_slider("Queries, k", [10, 20, 50, 100, 200, 500], value=200)
    return (releases.theorem(epsilon, int(queries)),)


def _means() -> Iterable[Picture]:
    rho = float(st.select_slider("Rho of zCDP", [0.01, 0.05, 0.1, 0.5, 1.0], value=0.1))
    bound = st.slider("Bound b on each value", 1, 100, 1)
    return releases.means(bound, rho), releases.lost_definiteness(rho)


DRAWING = {
    "noises": _noises,
    "definitions": _definitions,
    "radii": _radii,
    "k_norms": _k_norms,
    "responses": _responses,
    "ellipses": _ellipses,
    "means": _means,
    "composition": _composition,
    "selections": _selections,
    "corner_bins": _corner_bins,
    "universes": _universes,
    "theorem": _theorem,
}
_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
LESSONS = tuple(
    Lesson(**{**lesson, "draw": DRAWING[lesson["draw"]]}) for lesson in _TEXTS["lesson"]
)
