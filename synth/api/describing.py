"""The columns of `synth.release` without a domain: a draft describes them first."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from synth.api.spending import Amount, Spender, cost_of
from synth.domain import Domain
from synth.drafting import DraftRequest
from synth.errors import ArgumentError, clean_message
from synth.plans import OPTIONS
from synth.privacy import plain
from synth.spending import (
    NEED_DESCRIPTION,
    OFFERED_RELEASE_DELTA,
    DescribingWords,
    DraftSplit,
    SpendSetting,
    columns_to_draft,
    describe_from_rows,
    describe_privately,
    refuse_with_draft,
)

CALL_WORDS = DescribingWords(
    "give a domain, such as synth.Domain(sex=['f', 'm'])",
    f'add delta="{OFFERED_RELEASE_DELTA}"',
    "add look=True",
)
# Stack levels from a warning here up to the line that calls `synth.release`: this function,
# `release` and the look at its arguments around it.
WARNING_LEVELS = 4


class DraftWish(NamedTuple):
    """What a caller wants to be drafted.

    Attributes:
        columns: The columns to draft; None for all.
        look: Whether to draft from the rows, without a guarantee.
        progress: Called with the name of each stage; None for none.
    """

    columns: Sequence[str] | None
    look: bool
    progress: Callable[[str], None] | None


def check_described(domain: object, delta: Amount, *, look: bool) -> None:
    """Refuse a release of columns that nothing describes, or that two arguments describe.

    Args:
        domain: The declared columns; None to draft them.
        delta: The delta of the release; above 0 it pays for a private draft.
        look: Whether to draft them from the rows.

    Raises:
        ArgumentError: Nothing, or too much, describes the columns.
    """
    if domain is not None:
        if look:
            raise ArgumentError(
                "look=True drafts the domain from the rows, and there is one already: leave "
                "out one of the two."
            )
    elif not look and not OPTIONS["delta"].from_call(delta):
        raise ArgumentError(CALL_WORDS.sentence)


def describe_columns(
    spend: Spender,
    arguments: Mapping[str, Any],
    wish: DraftWish,
    *,
    public: Mapping[str, object],
    check: Callable[[Domain, Mapping[str, Any]], object],
) -> tuple[Domain, Mapping[str, Any]]:
    """Draft the columns of a table, and return them with the arguments of their release.

    After a private draft, the epsilon and the delta of the release are smaller. A warning
    names the columns that are left out.

    Args:
        spend: The confidential table, and the ledger that records the cost.
        arguments: The options of the plan by name.
        wish: Which columns to draft, and how.
        public: The arguments about a public table, by name.
        check: Refuses arguments that are wrong whatever the columns are.

    Raises:
        SynthError: With one sentence; before the noise of the draft nothing was spent.
    """
    if wish.look:
        domain = describe_from_rows(spend.table, wish.columns, person=spend.unit.person)
        remark = "The domain was drafted from the rows, which the guarantee does not cover."
    else:
        refuse_with_draft(
            NEED_DESCRIPTION,
            lambda name: not _is_default({**arguments, **public}[name]),
            lambda name: f"{name}=",
        )
        cost = cost_of(arguments["epsilon"], arguments["delta"])
        assert cost.epsilon is not None
        split = DraftSplit.of(cost.epsilon, cost.delta)
        epsilon = split.release.epsilon
        assert epsilon is not None
        arguments = {**arguments, "epsilon": plain(epsilon), "delta": 0}
        check(_STAND_IN, arguments)
        request = DraftRequest(
            columns=columns_to_draft(spend.table, wish.columns, person=spend.unit.person),
            guarantee=split.draft,
            neighbors=spend.neighbors,
            unit=spend.unit,
            dataset=spend.dataset,
        )
        domain = describe_privately(
            request,
            spend.table,
            split,
            words=CALL_WORDS,
            setting=SpendSetting(ledger=spend.ledger, progress=wish.progress),
        )
        remark = split.say(domain)
    remark = " ".join(filter(None, (remark, domain.decisions.left_out_sentence)))
    warnings.warn(clean_message(remark), UserWarning, stacklevel=WARNING_LEVELS)
    return domain, arguments


# A column that stands for all columns, as they are not known yet.
_STAND_IN = Domain({"any column": ["a", "b"]})


def _is_default(value: object) -> bool:
    """Return whether an argument of `release` is not given; ``value`` may be a table."""
    if value is None:
        return True
    return isinstance(value, str | bool | list | tuple) and value in (
        "",
        "auto",
        False,
        (),
        [],
    )
