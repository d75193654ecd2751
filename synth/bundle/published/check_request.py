"""The schema of a request to compare a claimed figure with the real one. PUBLIC."""

from synth.bundle.published.forms import constant, digest, document, record, text
from synth.util import Document

REQUEST_FORMAT = "synth-request-1"


def check_request_schema() -> Document:
    """Return the schema of a request. The reader checks more: that the question is one."""
    content = record(
        "The request.",
        {
            "format": constant("The form of the request.", REQUEST_FORMAT),
            "question": text(
                "The question of the figure, such as 'share where age >= 65'.", minLength=1
            ),
            "figure": text("The claimed figure, a decimal; a share is from 0 to 1."),
            "within": text("The tolerance: how far from it the real figure may be."),
            "asker": text("The name of the person who asks.", minLength=1),
            "release": digest("The SHA-256 of the certificate of the release."),
        },
    )
    return document(
        title="Request of a comparison",
        about=(
            "A figure that somebody found on synthetic rows, to be compared with the real "
            "one. It is no part of a bundle."
        ),
        content=content,
        definitions={},
    )
