"""Questions to a release, and its conclusions."""

import streamlit as st

from pages.ui.ask.answers import effects
from pages.ui.ask.builder import build_question
from pages.ui.ask.words import as_table, examples, released_examples
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge, show
from pages.ui.use.choices import Using, change, open_choice
from synth.analysis import Conclusion
from synth.api.analysing import Conclusions
from synth.domain import Domain
from synth.errors import QuestionError, SynthError
from synth.foreign import in_markdown
from synth.questions import KINDS, parse

LINE = "used_question"
WHOM = {"rows": "these rows", "people": "the people they are a random sample of"}
OTHER = "used_other"
CONTRASTS = {"": "One question", "less": "Difference of two", "over": "Ratio of two"}
# Most answers on the screen.
KEPT = 20


def ask_release(now: Using) -> None:
    st.header("Ask")
    badge(Lane.DP)
    st.markdown("Answers are free. Each comes with an interval that counts the noise.")
    _choices(now)
    box, button = st.columns([6, 1], vertical_alignment="bottom")
    box.text_input(
        "A question",
        key=LINE,
        placeholder="share where age >= 65",
        help=", ".join(KINDS)
        + "; groups with 'by', rows with 'where', a reference level as in: "
        "regression hours on age, sex reference F.",
        on_change=_answer_text,
    )
    button.button(
        "Answer", icon=":material/arrow_forward:", on_click=_answer_text, width="stretch"
    )
    if now.contrast:
        st.text_input(
            "less the second question"
            if now.contrast == "less"
            else "over the second question",
            key=OTHER,
            placeholder="mean age where sex = M",
            help="Of the same kind as the first, such as two means, two shares or two "
            "counts.",
            on_change=_answer_text,
        )
    if now.refused:
        st.error(in_markdown(now.refused), icon=":material/block:")
    if not now.contrast:
        build_question(now.analysis.domain.columns, "used build", "Answer it", act=_answer)
    key = f"used_example_{state.number('used_example')}"
    columns = now.analysis.domain.columns
    st.pills(
        "Examples for this release",
        list(dict.fromkeys([*examples(columns), *released_examples(columns)])),
        format_func=in_markdown,
        key=key,
        on_change=_example,
        args=(key,),
    )
    for number, found in enumerate(one for several in now.answers for one in several):
        _show_answer(found, now.analysis.domain, number)
    if now.answers:
        st.button("Clear the answers", icon=":material/delete_sweep:", on_click=_clear)


def _choices(now: Using) -> None:
    tied = state.tie("used_about", now.about, lambda about: change(about=about))
    st.radio(
        "Answers are about", list(WHOM), format_func=WHOM.__getitem__, horizontal=True, **tied
    )
    tied = state.tie(
        "used_contrast", now.contrast, lambda chosen: change(contrast=chosen or "")
    )
    st.segmented_control(
        "Compare", list(CONTRASTS), format_func=CONTRASTS.__getitem__, required=True, **tied
    )


@state.guard
def _answer_text() -> None:
    _answer(state.said(LINE) or "")


@state.guard
def _example(key: str) -> None:
    state.advance("used_example")
    line = state.said(key) or ""
    state.write(LINE, line)
    _answer(line)


def _answer(line: str) -> None:
    now = open_choice()
    other = (state.said(OTHER) or "").strip() if now is not None and now.contrast else ""
    if now is None or not line.strip() or (now.contrast and not other):
        return
    try:
        if not other:
            found = now.analysis.ask(line, about=now.about)
        else:
            ratio = now.contrast == "over"
            found = Conclusions(
                (now.analysis.contrast(line, other, ratio=ratio, about=now.about),)
            )
    except SynthError as error:
        change(refused=str(error))
        return
    change(answers=(found, *now.answers)[:KEPT], refused="")
    state.write(LINE, "")
    state.write(OTHER, "")


def _show_answer(found: Conclusion, domain: Domain, number: int) -> None:
    st.subheader(in_markdown(found.question))
    try:
        question = parse(found.question)
    except QuestionError:  # two questions that are compared
        question = None
    if len(found.texts) == 1:
        st.markdown(
            f"**{in_markdown(found.text() if not found.chosen else found.chosen[0])}**"
        )
    else:
        table = as_table(question, found, domain)
        st.dataframe(
            table, hide_index=table.index.names == [None], key=f"used_answer_{number}"
        )
    if question is not None and question.kind.regresses:
        show(effects(question, found, domain), Lane.DP, f"used_effects_{number}")
    said = [found.sentence, f"About {WHOM[found.about]}.", *found.remarks]
    st.caption(
        in_markdown(" ".join(map(_end_sentence, said))),
        help=in_markdown(f"How: {_end_sentence(found.how)}"),
    )
    if found.stamp:
        st.error(in_markdown(f"UNVERIFIED: {found.stamp}"), icon=":material/gpp_bad:")


@state.guard
def _clear() -> None:
    change(answers=(), refused="")


def _end_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
