"""Debiased shares as pictures. PUBLIC."""

from collections.abc import Sequence

from synth.collecting.design import ClosedQuestion
from synth.collecting.shares import DebiasedShare
from synth.util import DrawnNumbers, NumberAxis, Picture, intervals


def shares_picture(question: ClosedQuestion, shares: Sequence[DebiasedShare]) -> Picture:
    """Draw the shares of a question's options, each as a dot in its interval, in percent.

    A debiased share below 0 or above 1 is drawn at that end.
    """
    return intervals(
        question.text,
        [share.option for share in shares],
        DrawnNumbers(
            value=[min(max(share.share, 0.0), 1.0) for share in shares],
            low=[share.low for share in shares],
            high=[share.high for share in shares],
        ),
        axis=NumberAxis(unit="share of people", is_share=True),
    )
