"""Randomised response: a form that people answer in private, and its estimates. PUBLIC.

Each answer is protected before it leaves the person (the local model). Synth receives no
private numbers, so no door and no ledger are involved.

``probabilities``  exact probabilities, and their certified loss
``design``         questions, epsilon, and the identifier of a form
``wording``        questions on a line, in a text file, or in JSON
``form``           the form as one HTML file
``binomial``       tails of the binomial law, and exact intervals
``people``         the number of people you need
``answers``        the child's reader of collected files
``shares``         debiased shares with intervals
``joint``          the joint table, and synthetic rows
``pictures``       shares with their intervals, drawn
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.collecting.answers import RESPONSE_ENDINGS
    from synth.collecting.answers import Collected, read_collected
    from synth.collecting.design import FormDesign, TITLE
    from synth.collecting.form import design_text, form_html, read_design
    from synth.collecting.joint import Drawn, draw_people, joint_shares, write_people
    from synth.collecting.people import USUAL_MISS_CHANCE, expected_reach, people_needed
    from synth.collecting.pictures import shares_picture
    from synth.collecting.shares import debiased_shares
    from synth.collecting.wording import closed_text, parse_closed, read_closed

__getattr__ = offer(__name__)
