"""The form as one HTML file that needs no network and opens from a disk. PUBLIC.

Texts of questions are escaped. The page may run only its own script, by its digest; it may
load nothing and send nothing.

>>> from fractions import Fraction
>>> design = FormDesign((ClosedQuestion("Do you smoke?"),), Fraction(1))
>>> read_design(form_html(design).encode(), "form.html") == design
True
"""

import base64
import hashlib
import html
import json
import math
import re
from pathlib import Path

from synth import limits
from synth.collecting.design import ClosedQuestion, FormDesign
from synth.collecting.probabilities import ResponseWeights
from synth.errors import ArgumentError, CollectError, SynthError
from synth.foreign import line as on_one_line
from synth.privacy import plain
from synth.util import read_json

_HERE = Path(__file__).parent
_DESIGN = re.compile(r'<script type="application/json" id="design">(.*?)</script>', re.DOTALL)


def form_html(design: FormDesign) -> str:
    """Return the HTML page that asks the questions, randomises the answers and saves them.

    The page is a template with names in double braces, such as ``{{title}}``. The style and
    the script are allowed by their digests, so that no other code can run in the page.
    """
    style = read_part("page.css")
    script = read_part("page.js")
    # No text in this JSON can end the script: without <, and in ASCII.
    design_json = json.dumps(design.to_json())
    design_json = design_json.replace("<", "\\u003c").replace(">", "\\u003e")
    parts = {
        "title": html.escape(design.title),
        "style": style,
        "style_digest": _digest(style),
        "script": script,
        "script_digest": _digest(script),
        "questions": "\n".join(
            _fieldset(number, question) for number, question in enumerate(design.questions)
        ),
        # A row for each question, with the chance that the true answer is sent.
        "odds": "\n".join(map(_odds, design.questions, design.weights)),
        "epsilon": html.escape(plain(design.epsilon)),
        # The largest factor by which one answer can change the odds of any guess.
        "factor": f"{math.exp(design.epsilon):,.3g}",
        "loss": str(design.loss),
        "identifier": design.identifier,
        "design": design_json,
    }
    return re.sub(r"{{(\w+)}}", lambda match: parts[match[1]], read_part("page.html"))


def read_design(content: bytes, name: str) -> FormDesign:
    """Read the design from the HTML page of a form, or from a JSON file of the design alone.

    ``name`` is the file's name, for messages.

    Raises:
        CollectError: There is no design, it was changed, or the file is too large.
    """
    quoted_name = f"'{on_one_line(name, 120)}'"
    if len(content) > limits.FORM_MB * 2**20:
        raise CollectError(f"{quoted_name} is larger than {limits.FORM_MB} MB, and no form.")
    text = content.decode("utf-8-sig", "replace")
    match = _DESIGN.search(text)
    try:
        document = read_json(match[1] if match else text, quoted_name)
    except ArgumentError:
        raise CollectError(
            f"{quoted_name} is neither a form nor the design of one."
        ) from None
    try:
        return FormDesign.from_json(document)
    except SynthError as error:
        raise CollectError(f"{quoted_name}: {error}") from None


def design_text(design: FormDesign) -> str:
    """Return the design as the text of a JSON file."""
    return json.dumps(design.to_json(), indent=1, ensure_ascii=False) + "\n"


def _fieldset(number: int, question: ClosedQuestion) -> str:
    """Return a question as HTML, with a radio button for each option.

    ``number`` is the question's position from 0; the buttons of a question share its name.
    """
    inputs = "\n".join(
        f'<label><input type="radio" name="question{number}" value="{place}" required '
        f'autocomplete="off"><span>{html.escape(option)}</span></label>'
        for place, option in enumerate(question.options)
    )
    return f"<fieldset><legend>{html.escape(question.text)}</legend>\n{inputs}\n</fieldset>"


def _odds(question: ClosedQuestion, weights: ResponseWeights) -> str:
    percent = f"{100 * float(weights.truth):.2f} %"
    return f"<tr><td>{html.escape(question.text)}</td><td>{percent}</td></tr>"


def read_part(name: str) -> str:
    """Return a part of the page: its style, its script or its frame."""
    return "\n" + (_HERE / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
