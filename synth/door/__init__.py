"""The one door: a ledger line first, then exact noise. DOOR.

``door``          the only way from exact counts to noisy ones
``query``         the question that a door accepts, with its sensitivity
``measured``      the noisy answers that leave a door
``preparations``  paid drafts and checks before a release
``parts``         noisy values that the ledger stores, to repeat or resume a release
``ledger``        budgets and spends of each table
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.door.door import Door, price
    from synth.door.ledger.budgets import BudgetEntry
    from synth.door.ledger.chain import WHOLE_LEDGER, digest
    from synth.door.ledger.checks import Allowance, Asker, allowance_for, check_asker
    from synth.door.ledger.entries import ALGORITHM, Balance, Entry, MOVED, Subtotal
    from synth.door.ledger.home import home_ledger, known_home_ledger
    from synth.door.ledger.ledger import BUNDLED, Ledger, MADE
    from synth.door.ledger.names import check_name, list_datasets, standard
    from synth.door.ledger.prepared import keep_preparation, preparations_of, tables_looked_at
    from synth.door.ledger.persons import PersonsSetting
    from synth.door.ledger.request_words import describe_request, dossier_lines
    from synth.door.ledger.requests import Request
    from synth.door.ledger.reservations import Reservation
    from synth.door.ledger.standing import add_note, drop_spends, note_standing
    from synth.door.ledger.two_persons import describe_persons
    from synth.door.measured import Chosen, Measured, least_listed
    from synth.door.preparations import Preparation, drafts_of, read_check, sum_preparations
    from synth.door.query import Query, Support, digest_subject

__getattr__ = offer(__name__)
