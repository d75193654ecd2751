"""The files of a release that show it: the page ``open.html`` and the notebook. PUBLIC."""

from synth.bundle.certificate import ReleaseCertificate
from synth.bundle.examples import examples_of
from synth.bundle.figures import figures_of
from synth.bundle.file_names import OPEN_PAGE
from synth.bundle.notebook import NOTEBOOK, notebook
from synth.bundle.open_html import write_page
from synth.bundle.texts import statement
from synth.estimate import Record
from synth.rows import SyntheticTable
from synth.util import say_how_to_install


def write_pages(
    certificate: ReleaseCertificate, record: Record, synthetic: SyntheticTable | None
) -> dict[str, bytes]:
    """Return the bytes of the page and of the notebook, by the names of the files.

    Args:
        certificate: The certificate of the release.
        record: The noisy counts, which also answer the examples.
        synthetic: The synthetic rows; None if they are in parts.
    """
    worked = examples_of(record)
    installing = say_how_to_install(certificate.versions["synth"])
    figures = {
        "method": certificate.mechanism.method_name,
        "installing": installing,
        **figures_of(record, worked, synthetic),
    }
    examples = [(question, pandas) for question, pandas, _ in worked]
    statement_text = statement(certificate, record.domain)
    return {
        OPEN_PAGE: write_page(certificate, statement_text, figures),
        NOTEBOOK: notebook(examples, installing),
    }
