"""The topics of the Learn page: two sentences, formula, note, controls and pictures."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import streamlit as st

from pages.ui.ask.inquiring import find_fault
from pages.ui.ask.words import examples
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


@dataclass(frozen=True)
class Lesson:
    title: str
    words: str
    formula: str
    notes: tuple[str, ...]
    draw: Callable[[], Iterable[Picture]]
    question: str


def teach(lesson: Lesson) -> None:
    left, right = st.columns([4, 7], gap="large")
    with left:
        st.subheader(lesson.title)
        st.markdown(lesson.words)
        st.latex(lesson.formula)
        pictures = lesson.draw()
        try_it(lesson.question)
        notes = "; ".join(_NOTES[note] for note in lesson.notes)
        st.caption(f"From the source notes: {notes}.")
    with right:
        for number, picture in enumerate(pictures):
            show(picture, Lane.PUBLIC, f"lesson {lesson.title} {number}")


def try_it(question: str) -> None:
    st.markdown("**Try it on your table:**")
    question = _fitting_question(question)
    st.code(question, language=None, wrap_lines=True)
    if st.button("Ask it", key=f"try {question}", icon=":material/question_answer:"):
        state.choose(line=question)
        st.switch_page(ASK.file)


def _fitting_question(question: str) -> str:
    draft = state.draft()
    columns = draft.askable.columns if draft.domain is not None else ()
    if not columns or not find_fault(draft, question):
        return question
    kind = question.partition(" ")[0]
    return next((one for one in examples(columns) if one.partition(" ")[0] == kind), question)


def _epsilon(label: str = "Epsilon", value: float = 1.0) -> float:
    return float(st.select_slider(label, [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0], value=value))


def _noises() -> Iterable[Picture]:
    steps = ["1e-9", "1e-7", "1e-6", "1e-5", "1e-3"]
    epsilon, delta = _epsilon(), float(st.select_slider("Delta", steps, value="1e-5"))
    return noises.noise_densities(epsilon, delta), noises.privacy_loss(epsilon, delta)


def _definitions() -> Iterable[Picture]:
    made = state.draft().release
    found = losses.noisy_parts(made.result.record, made.plan.unit) if made else []
    one: losses.Noisy
    if made is None or not found:
        epsilon = _epsilon()
        steps = ["0", "1e-9", "1e-7", "1e-6", "1e-5", "1e-3"]
        delta = st.select_slider("Delta; 0 is pure, by Laplace noise", steps, value="1e-5")
        one = losses.example(Fraction(str(epsilon)), Fraction(str(delta)))
    else:
        st.caption(f"Of your release {in_markdown(made.title)}, whose epsilon is marked.")
        number = st.selectbox(
            "Noise on", range(len(found)), format_func=lambda number: found[number].what
        )
        one, epsilon = found[number or 0], float(made.plan.epsilon)
    return losses.loss_law(one, epsilon), losses.delta_curve(one, epsilon), losses.renyi_curve(one)


def _radii() -> Iterable[Picture]:
    dimension, epsilon = st.slider("Dimensions", 2, 50, 3), _epsilon()
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
    epsilon = st.select_slider("Epsilon of each release", [0.01, 0.05, 0.1, 0.5, 1.0], value=0.1)
    most = st.select_slider("Releases", [10, 20, 50, 100, 200, 500, 1_000], value=100)
    return (releases.composition(float(epsilon), 1e-6, int(most)),)


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


LESSONS = (
    Lesson(
        "Laplace and Gaussian noise",
        "Both hide one person behind random noise. Laplace always keeps the promise epsilon. "
        "The Gaussian breaks it with the tiny probability delta. In return, large errors are "
        "rarer, and many answers at once cost less.",
        r"\begin{aligned} p_{\text{Laplace}}(z) &= \tfrac{\varepsilon}{2}\, e^{-\varepsilon |z|} \\"
        r"\delta_{\text{Gauss}} &= \Phi\!\left(\tfrac{1}{2\sigma} - \varepsilon\sigma\right) \\"
        r"&\quad - e^{\varepsilon}\,\Phi\!\left(-\tfrac{1}{2\sigma} - \varepsilon\sigma\right)"
        r"\end{aligned}",
        ("001", "002", "004"),
        _noises,
        "count where age >= 65",
    ),
    Lesson(
        "Three definitions of privacy",
        "The privacy loss says how much likelier an answer was on this table than on its "
        "neighbour. Pure privacy keeps the loss below epsilon. Approximate privacy lets it be "
        "larger with a weight of delta. zCDP keeps it as small as a Gaussian does, and lies "
        "between the other two. For approximate privacy, a chance of at most delta to lose more "
        "than epsilon is enough, but not necessary.",
        r"\begin{aligned} L &= \ln \tfrac{P(y)}{Q(y)}, \quad y \sim P \\ "
        r"\text{pure: } & L \le \varepsilon \\ \text{approx.: } & "
        r"\mathbb{E}\,(1 - e^{\varepsilon - L})_+ \le \delta \\ "
        r"\text{zCDP: } & D_a(P \Vert Q) \le \rho\, a \end{aligned}",
        ("002", "004"),
        _definitions,
        "count where sex = female",
    ),
    Lesson(
        "The right and the wrong radius",
        "Noise for a vector has a direction and a length. In d dimensions the length is a sum of "
        "d exponential numbers, since far away there is more room. Drawing just one "
        "exponential length puts far too much noise near zero and breaks the promise.",
        r"p(z) \propto e^{-\lambda \lVert z \rVert_2} \;\Rightarrow\; "
        r"p(r) \propto r^{\,d-1} e^{-\lambda r}",
        ("000",),
        _radii,
        "means age, hours",
    ),
    Lesson(
        "The shape of the noise",
        "Noise is best shaped like the set of moves one person can make. For the mean of numbers "
        "between 0 and 1 that set is a cube, so cube-shaped noise errs least and separate "
        "Laplace noise most.",
        r"\begin{aligned} \ell_1 &: 2d^3 \\ \ell_2 &: d^2(d+1) \\ "
        r"\ell_\infty &: \tfrac{1}{3}\, d(d+1)(d+2) \end{aligned}",
        ("000", "002"),
        _k_norms,
        "means age, hours, household_size",
    ),
    Lesson(
        "Randomised response against Laplace",
        "If nobody is trusted with the true answers, every person lies now and then, and the lies "
        "of all add up. A trusted collector who adds noise once needs far fewer rows for the same "
        "accuracy.",
        r"\begin{aligned} n_{\text{response}} &= \frac{\ln(2k/\beta)}{2\alpha^2\tanh^2("
        r"\varepsilon/2k)} \\[4pt] n_{\text{Laplace}} &= \frac{k \ln(k/\beta)}{\alpha\,"
        r"\varepsilon} \end{aligned}",
        ("002",),
        _responses,
        "share where smoker = yes",
    ),
    Lesson(
        "A sphere or an ellipse",
        "If one column can vary much more than the others, the same noise everywhere drowns the "
        "narrow ones. Noise in proportion to the square root of each width has the least total "
        "squared error at the same privacy.",
        r"\begin{aligned} \textstyle\sum_j \Delta_j^2 / \sigma_j^2 &\le 1/\sigma^2 \\ "
        r"\text{least variance: } \sigma_j^2 &= \sigma^2\, \Delta_j \textstyle\sum_i \Delta_i"
        r"\end{aligned}",
        ("003",),
        _ellipses,
        "means age, income",
    ),
    Lesson(
        "A private mean and X'X",
        "Noise on the mean shrinks with the number of rows, noise on every point only with its "
        "square root. With few rows, a noisy X'X may get a negative eigenvalue, which no true one "
        "has. Raising it to zero repairs that for free.",
        r"\begin{aligned} \sigma^2_{\text{mean}} &= \frac{2b^2}{\rho\, n^2} \\[2pt] "
        r"\sigma^2_{\sum x^2} &= \frac{b^4}{2\rho} \end{aligned}",
        ("004",),
        _means,
        "mean income",
    ),
    Lesson(
        "Many releases together",
        "Every release spends budget, and in the worst case the epsilons add up. Better theorems "
        "show that many small losses partly cancel; each of them holds, so the least may be "
        "reported.",
        r"\begin{aligned} \text{basic: } & k\varepsilon \\ \text{advanced: } & "
        r"\varepsilon\sqrt{2k\ln\tfrac{1}{\delta}} + k\varepsilon(e^{\varepsilon}-1) \\ "
        r"\text{zCDP: } & \rho = \tfrac{1}{2}k\varepsilon^2 \to (\varepsilon', \delta)"
        r"\end{aligned}",
        ("004",),
        _composition,
        "table region",
    ),
    Lesson(
        "Choosing instead of counting",
        "To name the largest group rather than its size, draw a candidate with a chance that grows "
        "with its score. Permute and flip asks the candidates in random order, and never does "
        "worse at the same epsilon.",
        r"\Pr[r] \propto \exp\!\left(\frac{\varepsilon\, u(x, r)}{2\,\Delta u}\right)",
        ("004",),
        _selections,
        "top 3 employment",
    ),
    Lesson(
        "Exercise 5.2: many bins",
        "The noise of four bins is the same however many rows there are. With wide bins and many "
        "rows it disappears among them; with narrow bins it is all that is left.",
        r"\text{sd of 4 bins: } \sqrt{4 \cdot 2\,(2/\varepsilon)^2} = 5.66/\varepsilon",
        ("004",),
        _corner_bins,
        "table age",
    ),
    Lesson(
        "A growing universe",
        "Every cell gets noise, the empty ones too, or an empty cell would give itself away. "
        "Setting negative counts to zero keeps the positive noise and drops the negative, so rows "
        "are invented: half the noise scale for each empty cell.",
        r"\mathbb{E}\,\max(0, Z) = b/2, \qquad b = 2/\varepsilon",
        ("002", "004"),
        _universes,
        "table region by employment",
    ),
    Lesson(
        "Theorem 5.1: any question",
        "One noisy histogram answers any number of counting questions. The noise in their sums "
        "mostly cancels, so the error grows with the square root of the universe. After "
        "clamping, the noise no longer cancels, and the error grows with the universe itself.",
        r"\max_q |\text{error}| = O\!\left(\frac{\sqrt{|\mathcal{X}| \ln k}}{\varepsilon}\right)"
        r"\text{ rows}",
        ("004",),
        _theorem,
        "count where age >= 65 and sex = female and smoker = yes",
    ),
)
