"""The dossier of a bundle: sheets for the people who must sign. PUBLIC.

Every figure of a sheet is a field of the certificate. What only the organisation can answer
is asked, and stays visibly open until somebody types the answer.

``pieces``           the parts of a sheet: sentences, figures, citations, questions
``facts``            figures of a certificate, by field
``guidance``         the guidance that sheets follow, and its state
``questions``        the questions that only the organisation can answer
``typed``            typed answers and their file
``opening``          the part that all sheets begin with
``data_protection``  the sheet for the data protection officer
``layers``           NIST SP 800-226, layer by layer
``health``           the sheet for a health data access body
``register``         the entry for the register of deployments
``register_file``    the entry as YAML
``readers``          the statement for readers
``html_pages``       sheets as HTML
``pdf_pages``        sheets as PDF
``writing``          all files of a dossier
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.dossier.pieces import Question
    from synth.dossier.questions import QUESTIONS, list_questions
    from synth.dossier.typed import (
        ANSWERS_FILE,
        TypedAnswers,
        check_answers,
        load_typed_answers,
        read_typed_answers,
    )
    from synth.dossier.writing import (
        DOSSIER_FILES,
        Dossier,
        find_questions,
        make_dossier,
        name_outputs,
        pack_dossier,
    )

__getattr__ = offer(__name__)
