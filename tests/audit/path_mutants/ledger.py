"""Slips in accounts and ledgers."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from synth.door import Balance, Ledger, door
from synth.door.ledger import chain, sqlite_store
from synth.door.ledger.sqlite_store import Store
from synth.errors import LedgerError
from synth.estimate import Account
from synth.privacy import Budget, accounting, budget, gaussian_dp, guarantee
from tests.audit.path_mutants.told import both, drawn_again, edit, put


def own_alone(right: Any, ledger: Any, dataset: str) -> Balance:
    """The balance after the spends of this process."""
    balance = right(ledger, dataset)
    own_numbers = ledger.__dict__.setdefault("_own", [])
    own_spends = tuple(e for e in balance.spends if e.number <= 2 or e.number in own_numbers)
    return replace(balance, spends=own_spends)


def noted(right: Any, ledger: Any, **content: Any) -> Any:
    entry = right(ledger, **content)
    ledger.__dict__.setdefault("_own", []).append(entry.number)
    return entry


def lost_as_absent(right: Any, store: Store, spend: int, part: str) -> Any:
    with suppress(LedgerError):
        return right(store, spend, part)
    return None


OF_ACCOUNTS = {
    "a pure epsilon counted as an eighth of its square": edit(
        guarantee, "in_rho", "**2 / 2", "**2 / 8"
    ),
    "the same in a budget": edit(budget, "_count_in_unit", "**2 / 2", "**2 / 8"),
    "twice the rho for epsilon and delta": edit(
        accounting, "zcdp_rho", "certain_rho * 2**64", "certain_rho * 2**65"
    ),
    "mu for twice the delta": edit(
        gaussian_dp, "gaussian_rho", "delta * (1 - SPARE)", "delta * 2"
    ),
    "discrete noise taken for Gaussian noise": put(
        gaussian_dp, "find_sigma2", lambda _, rho, squared: squared / (2 * rho)
    ),
    "the same where it is priced": put(gaussian_dp, "noise_margin", lambda *_: 0),
    "a pure epsilon counted in mu as in rho": edit(
        guarantee, "in_rho", "4 * OF_RANGE", "1 / Fraction(2)"
    ),
    "a choice at twice its rate": put(
        door, "_round_root_down", lambda right, value: 2 * right(value)
    ),
    "Gaussian noise by L1": edit(
        Account,
        "noise",
        "self.unit.square(self.neighbors)",
        "self.unit.sensitivity(self.neighbors)",
    ),
    "Laplace noise without a person's rows": edit(
        Account,
        "laplace",
        "sensitivity = self.unit.sensitivity(self.neighbors)",
        "sensitivity = self.neighbors.sensitivity",
    ),
    "distances not in 64ths": put(
        Account,
        "distance_noise",
        lambda right, account, cost, count: right(account, cost * 64, count),
    ),
    "distances paid as one": put(
        Account, "distance_noise", lambda right, account, cost, _: right(account, cost, 1)
    ),
    "parts of a budget that are more than it": edit(
        Account, "split", "Fraction(part, total)", "Fraction(part + 1, total)"
    ),
}


OF_LEDGERS = {
    "the budget checked before the spend": edit(
        Budget, "admits", "spends = list(spends)", "spends = list(spends)[:-1]"
    ),
    "the last part of a budget refused": edit(
        Budget,
        "admits",
        "self.sum_spends(spends) <= self.amount",
        "self.sum_spends(spends) < self.amount",
    ),
    "budgets added up in floats": edit(
        Budget,
        "admits",
        "self.sum_spends(spends) <= self.amount",
        "float(self.sum_spends(spends)) <= float(self.amount)",
    ),
    "deltas not added up": edit(Budget, "admits", " and self.delta_left(spends) >= 0", ""),
    "a budget raised in silence": edit(
        Ledger, "set_budget", "if balance.budgets:", "if False:"
    ),
    "relations and units of cost mixed": put(Budget, "check", lambda *_: None),
    "rows and persons mixed": put(Balance, "check", lambda *_: None),
    "spends of other processes unseen": both(
        put(Ledger, "balance", own_alone), put(Ledger, "spend", noted)
    ),
    "a spend not written": put(
        Ledger, "spend", lambda right, _, **content: right(Ledger(), **content)
    ),
    "edits of entries not seen": put(chain, "is_linked", lambda *_: True),
    "the end of the ledger not looked at": put(Store, "_check_ending", lambda *_: None),
    "a kept value replaced": put(sqlite_store, "is_kept", lambda *_: True),
    "a lost value taken for one never kept": put(Store, "payload", lost_as_absent),
    "what others wrote not read": edit(
        Store,
        "_check_chain",
        'self._pragma("data_version") != self._version',
        "self._version < 0",
    ),
}

OF_REPEATS = {
    "a repeated request drawn afresh": drawn_again,
    "another table taken for the same": put(Ledger, "fingerprint", lambda *_: "0" * 32),
}
