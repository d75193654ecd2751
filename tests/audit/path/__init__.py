"""Layers for the whole private path: each function says what of the promise it saw broken, or
''.

6 `counting`    counts of all neighbours of small tables: they move by no more than is
declared,
                share what is called public, and are those of a plain reader of the
                declaration
7 `asking`      queries of all neighbours, in three norms
7 `choosing`    the law of a choice on neighbours, enumerated
7 `guarding`    what a door lets out, and `resuming`, what it lets out under an earlier spend
7 `pricing`     every order of calls in which noise is reduced, against a list of true costs;
                `coupling`, that the newer noise follows the older; `filling_gaps`, stored
                answers
5 `replaying`   a release of neighbours with its noise frozen: the same bytes, questions and
noise,
                and inputs that move by no more than was paid for
8 `accounting`  what is paid for against Renyi divergences and deltas of the laws themselves 9
`spending`    what a ledger lets be spent, by several processes and after edits of its file 10
`moving`     exact totals of random questions, for rows at every end of every cell and persons
10 `multiplying` the same of sums of products, for all rows of a small domain, and their
losses 10 `charging`   what their ways cost against what is charged, and `losing`, against
real moves 10 `inquiring`  an inquiry of neighbours with its noise frozen; `recording`, its
spend and repeats 11 `marking`    marks of tables that differ in anything; `requesting`,
requests and ledgers' spends;
                `placing`, columns by their names
12 `covering`   what a charge allows, `meeting`, what noise may claim, `checking`, checks and
drafts

They go through public functions only, and look them up where they are used, so that a mutant
in one place is in the whole path."""

from tests.audit.path.beginnings import recalling
from tests.audit.path.divergences import accounting_holds
from tests.audit.path.inquiries import charging, inquiring, losing, moving, recording
from tests.audit.path.ledgers import ordering, repeating, spending
from tests.audit.path.marks import marking, placing, requesting
from tests.audit.path.neighbours import counting, reading
from tests.audit.path.prices import checking, covering, meeting
from tests.audit.path.products import multiplying
from tests.audit.path.questions import asking, choosing, guarding, resuming
from tests.audit.path.reductions import coupling, filling_gaps, pricing
from tests.audit.path.replay import freshness, replaying

__all__ = [
    "accounting_holds",
    "asking",
    "charging",
    "checking",
    "choosing",
    "counting",
    "coupling",
    "covering",
    "filling_gaps",
    "freshness",
    "guarding",
    "inquiring",
    "losing",
    "marking",
    "meeting",
    "moving",
    "multiplying",
    "ordering",
    "placing",
    "pricing",
    "reading",
    "recalling",
    "recording",
    "repeating",
    "replaying",
    "requesting",
    "resuming",
    "spending",
]
