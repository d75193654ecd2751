"""The one door from private to public.

Every number that depends on a person's row leaves through a `Door`. When you open it, it
charges the ledger for its whole guarantee, before any noise is drawn. After that it releases
no more than was charged. It accepts only a `Query` that `synth.private.queries` made, whose
cost follows from its sensitivity and the noise alone. You may show, repair, model and publish
what it returns.

>>> import numpy as np
>>> from synth.private import queries
>>> from synth.private.counting.counts import Counts
>>> from synth.domain import Categorical, Domain
>>> from synth.door.ledger.ledger import Ledger
>>> from synth.noise import DiscreteLaplace
>>> domain = Domain((Categorical(name="sex", categories=("F", "M")),))
>>> counts = Counts(
...     domain=domain, cells=np.array([0, 1]), counts=np.array([40, 60]), rows=100
... )
>>> door = Door(
...     ledger=Ledger(),
...     dataset="survey",
...     neighbors=Neighbors.REPLACE_ONE,
...     guarantee=Guarantee.pure(1),
...     purpose="histogram",
... )
>>> query = queries.histogram(counts, Neighbors.REPLACE_ONE)
>>> door.measure(query, DiscreteLaplace.for_epsilon(1, sensitivity=2)).values.shape
(3,)
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import compress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from synth.door.ledger.entries import ALGORITHM, Entry
from synth.door.ledger.ledger import Ledger
from synth.door.ledger.standing import note_spend
from synth.door.measured import Chosen, Measured, least_listed
from synth.door.parts import Arrays, Part, StoredParts, check_version, refuse, refuse_other
from synth.door.query import Query, Support
from synth.noise import (
    CHOICES,
    DiscreteLaplace,
    Mechanism,
    bits,
    describe,
    is_known,
)
from synth.privacy import OF_RANGE, ROW, Guarantee, Neighbors, Unit, covers, sum_up, terms
from synth.util import Cells, Document, Json, ascending, is_in, read_json

if TYPE_CHECKING:
    from synth.door.ledger.checks import Asker
    from synth.noise import PartitionSelection


class Door:
    """The passage of one release from private to public.

    Args:
        ledger: Records the spend at once.
        dataset: The steward's name for the table.
        neighbors: Which tables count as neighbours, for all queries.
        guarantee: The most that may be spent through this door.
        purpose: The purchase, in words.
        unit: What all queries protect.
        table: The table's `fingerprint` in the ledger.
        request: Together with the table, determines everything measured through this
            door. If you give both, the ledger stores the results, and the same request
            returns the same values at no cost.
        costs: The cost of each answer, if known beforehand.
        dossier: A second person's view of the request, if the spend needs one.
        asker: Who has claimed figures compared, if that is known.

    Attributes:
        neighbors: The relation of all queries.
        unit: What all queries protect.
        guarantee: The most that may be spent through this door.
        entry: The spend.
        spent: The cost of everything released so far; None before the first answer.
        repeated: Whether the release was made before.

    Raises:
        LedgerError: The spend could not be written; nothing was drawn.
        ReleaseError: The guarantee does not cover all costs, or another version of Synth
            made the release; nothing was charged.
    """

    def __init__(  # noqa: PLR0913 - what the ledger's line says, each by name
        self,
        *,
        ledger: Ledger,
        dataset: str,
        neighbors: Neighbors,
        guarantee: Guarantee,
        purpose: str,
        unit: Unit = ROW,
        table: str = "",
        request: str = "",
        costs: Sequence[Guarantee] = (),
        dossier: Document | None = None,
        asker: "Asker | None" = None,
    ) -> None:
        """Charge the ledger for the whole guarantee; see the class for the arguments.

        Nothing is charged if the costs exceed the guarantee, or if another version of Synth
        made the release of the same table and request.
        """
        check_costs(guarantee, costs)
        check_version(ledger, dataset=dataset, table=table, request=request)
        self.neighbors = neighbors
        self.unit = unit
        self.guarantee = guarantee
        self.spent: Guarantee | None = None
        self.entry: Entry = ledger.spend(
            dataset=dataset,
            guarantee=guarantee,
            neighbors=neighbors,
            purpose=purpose,
            person=unit.person,
            table=table,
            request=request,
            dossier=dossier,
            asker=asker,
        )
        # Noted at once, so that the message of any later failure says that the spend counts.
        # With repeats only, nothing is spent.
        if not ledger.has_repeats_only:
            note_spend(is_stored=bool(ledger.path and table and request))
        self._number_of_answers = 0
        # Of all answers; an answer whose noise was reduced counts with its newer epsilon.
        self._sum_of_squared_epsilons = Fraction(0)
        self._answers: WeakKeyDictionary[Query, Measured] = WeakKeyDictionary()
        # Without a table or a request nobody could ask for the same release again, so that
        # nothing is stored.
        self._stored_parts = StoredParts(ledger if table and request else None, self.entry)
        self.repeated = bool(self._stored_parts.costs)

    @property
    def head(self) -> str:
        """The hash of the newest event of this release in the ledger."""
        return self._stored_parts.head

    def measure(
        self, query: Query, mechanism: Mechanism, claim: Guarantee | None = None
    ) -> Measured:
        """Release the answer to a query, with noise on every number.

        Args:
            query: The question, made by `synth.private.queries`.
            mechanism: The noise on every number.
            claim: How Gaussian noise is charged: an (epsilon, delta) that it meets on a
                single number by its exact delta, or Gaussian DP. By default zCDP.

        Returns:
            The noisy numbers with the noise and the cost. Of a universe too large to list,
            they are those of the cells whose noisy counts reach a public threshold.

        Raises:
            ReleaseError: The query or the noise does not fit this door, or costs more
                than is left of its guarantee.
        """
        self._check_query(query)
        if query.texts is not None:
            refuse("Values that are private are selected, and not measured.")
        threshold = None
        if query.support is not None:
            scale = mechanism.laplace_scale
            if scale is None:
                refuse("A histogram that is listed from a threshold up needs Laplace noise.")
            # A small universe has no threshold of its own: noisy counts from 1 up are listed.
            threshold = least_listed(query.size, scale) or 1
        part = self._find_or_draw(
            query,
            {"mechanism": describe(mechanism), "threshold": threshold},
            price(query, mechanism, claim),
            draw=lambda room: _draw_answer(query, mechanism, threshold, room=room),
            numbers=query.size if query.support is None else 1,
        )
        # A stored answer keeps its own noise, which another version may have chosen.
        mechanism = part.mechanism
        cost = price(query, mechanism, claim)
        cells = part.arrays.get("cells")
        size = query.size if cells is None else len(cells)
        if len(part.values) != size or part.cost != cost:
            refuse_other()
        measured = Measured(
            values=part.values,
            mechanism=mechanism,
            guarantee=cost,
            neighbors=self.neighbors,
            rows=query.rows,
            cells=cells,
            threshold=part.threshold,
        )
        self._answers[query] = measured
        return measured

    def reduce_noise(self, query: Query, mechanism: DiscreteLaplace) -> Measured:
        """Release an answer of this door again, with less Laplace noise.

        The older answer has Laplace noise of scale a, the newer one of scale b < a. The newer
        noise is drawn given the older one. Both have the law of a newer noise drawn first,
        and an older one that adds further noise to it. So the older answer tells nothing
        more, and both together cost l1 / b, where l1 is the query's sensitivity. As l1 / a
        was paid, l1 / b - l1 / a is charged now: docs/proofs/noise-reduction.md. That holds
        in epsilon alone, so a door refuses after anything was paid as a rho.

        Args:
            query: The very query that was measured; another of the same rows will not do.
            mechanism: The noise of the newer answer, of a smaller scale.

        Returns:
            The newer answer, with the cost of both answers together.

        Raises:
            ReleaseError: This door has not measured the query with more Laplace noise,
                something was paid as a rho, or the difference costs more than is left.
        """
        self._check_query(query)
        if type(mechanism) is not DiscreteLaplace:
            refuse("A door reduces Laplace noise only, and only to a smaller scale.")
        before = self._answers.get(query)
        if before is None or query.support is not None:
            refuse("A door reduces the noise only of a histogram that it has measured.")
        scale = before.mechanism.laplace_scale
        if scale is None or mechanism.scale >= scale:
            refuse("A door reduces Laplace noise only, and only to a smaller scale.")
        if self.spent is not None and self.spent.rho is not None:
            refuse(
                "A door reduces noise only while all is paid in epsilon. Measure the "
                "histogram again with noise of its own, or reduce its noise before anything "
                "is paid as a rho."
            )
        l1 = query.sensitivity.l1
        part = self._find_or_draw(
            query,
            {"mechanism": describe(mechanism), "before": str(scale), "threshold": None},
            Guarantee.pure(l1 / mechanism.scale - l1 / scale),
            draw=lambda _: {
                "values": mechanism.reduce_noise(query.values(), before.values, scale)
            },
            numbers=query.size,
            before=before.guarantee,
        )
        cost = price(query, part.mechanism)
        # A stored answer must be of this query, and its price must make up the whole cost.
        if len(part.values) != query.size or part.cost + before.guarantee != cost:
            refuse_other()
        measured = replace(
            before, values=part.values, mechanism=part.mechanism, guarantee=cost
        )
        self._answers[query] = measured
        return measured

    def choose(self, query: Query, cost: Guarantee) -> Chosen:
        """Release the index of a candidate whose score is the largest, or nearly.

        A pure guarantee uses permute-and-flip. Others use the exponential mechanism. Its
        epsilon costs epsilon^2 / 8 of zCDP (Cesar, Rogers 2021, Lemma 3.2), or pi epsilon^2 /
        16 of Gaussian DP (docs/proofs/gaussian-dp.md). The l-infinity sensitivity counts
        twice, as one score may rise while another falls.

        Args:
            query: The exact scores of public candidates, higher is better.
            cost: What the choice costs, an epsilon or a rho.

        Raises:
            ReleaseError: The query does not fit this door, or costs more than is left.
        """
        self._check_query(query)
        if cost.delta or query.support is not None or query.texts is not None:
            refuse("A choice is among listed candidates, and costs an epsilon or a rho.")
        noise = {"mechanism": _describe_choice(cost), "threshold": None}
        part = self._find_or_draw(
            query, noise, cost, draw=lambda _: _draw_choice(query, cost)
        )
        # A stored answer must be the index of a candidate, drawn by the same mechanism and
        # epsilon as its cost says.
        is_index = len(part.values) == 1 and 0 <= part.values[0] < query.size
        if not is_index or part.about["mechanism"] != _describe_choice(part.cost):
            refuse_other()
        return Chosen(int(part.values[0]), part.cost)

    def select(self, query: Query, cost: Guarantee) -> tuple[str, ...]:
        """Release which values of a column have enough rows, and none of their counts.

        Each value is kept or dropped independently: see `PartitionSelection`.

        Args:
            query: The number of rows of each value; the values are private too.
            cost: What may be spent, an epsilon and a delta.

        Returns:
            The selected values, in alphabetical order.

        Raises:
            ReleaseError: The query does not fit this door, or costs more than is left.
        """
        self._check_query(query)
        if query.texts is None:
            refuse("Synth selects values only if they are as private as their counts.")
        from synth.noise import PartitionSelection  # which most requests do not need

        texts = query.texts
        selection = PartitionSelection.for_guarantee(cost, query.sensitivity)
        noise = {"mechanism": selection.describe(), "threshold": None}
        selection_cost = selection.price(query.sensitivity)
        part = self._find_or_draw(
            query,
            noise,
            selection_cost,
            draw=lambda room: _draw_selection(texts, selection, query, room=room),
        )
        # The ledger stores whole numbers, so the selected texts are stored as bytes of JSON.
        content = part.values.astype(np.uint8).tobytes()
        return tuple(read_json(content, "A stored value"))

    def seed(self) -> int:
        """Return a random 128-bit seed for drawing synthetic rows.

        It is stored like an answer, so that the same request gets the same seed again.
        """
        return int.from_bytes(
            self._stored_parts.store_once("seed", lambda: bits.bits(16)), "big"
        )

    def _check_turn_to_rho(self, cost: Guarantee) -> None:
        """Refuse a cost in rho where the epsilons paid so far cannot be counted as a rho.

        The sum of epsilons is counted as epsilon^2 / 2 of rho. That covers all answers only
        if the squares of their own epsilons do not sum to more than epsilon^2.

        Raises:
            ReleaseError: They do.
        """
        # A reduction costs a difference of epsilons, but as a rho all of the newer one:
        # docs/proofs/noise-reduction.md.
        epsilon = None if self.spent is None else self.spent.epsilon
        if (
            cost.rho is not None
            and epsilon is not None
            and self._sum_of_squared_epsilons > epsilon**2
        ):
            refuse(
                "Noise was reduced in this release, so that its epsilon cannot be counted as "
                "a rho yet. Pay for the rest in epsilon, or measure again instead of "
                "reducing noise."
            )

    def _check_query(self, query: Query) -> None:
        """Refuse what is no query, or is about other neighbours or units than this release.

        Raises:
            ReleaseError: The query does not fit.
        """
        if type(query) is not Query:
            refuse("A door takes a query made by synth.private.queries, and nothing else.")
        if query.neighbors is not self.neighbors:
            refuse(
                f"The query is about {query.neighbors}, this release about {self.neighbors}."
            )
        if query.unit != self.unit:
            refuse(f"The query protects {query.unit}, this release {self.unit}.")

    def _find_or_draw(  # noqa: PLR0913 - what the ledger stores of a part, each by name
        self,
        query: Query,
        noise: Mapping[str, Json],
        cost: Guarantee,
        *,
        draw: Callable[[int], Arrays],
        numbers: int = 1,
        before: Guarantee | None = None,
    ) -> Part:
        """Return the answer that the ledger stores, at its original cost, or draw a new one.

        An answer with its description is called a part of the release. Parts are numbered
        from 1 up, in the order in which the queries come.

        Args:
            query: The question.
            noise: The law of the noise and its parameters, as JSON.
            cost: What the answer costs.
            draw: Draws the answer. Its argument is how many bytes the ledger has room for.
            numbers: How many numbers the answer has, if that is public; else 1.
            before: The cost of the older answer, if this one reduces its noise.

        Raises:
            ReleaseError: The answer costs more than is left, does not fit into the ledger,
                or is not the one that is stored.
        """
        # Only what the ledger stores leaves, so a release killed halfway may go on with fresh
        # noise. What is drawn always fits into the ledger. An answer of ``numbers`` numbers
        # fits or is refused before; one of private length is cut to the room that is left. A
        # refused answer takes no number. Stored parts have no gaps, so whoever goes on with
        # the release counts them all.
        number = self._number_of_answers + 1
        about = {"algorithm": ALGORITHM, **query.describe(), **noise, "cost": terms(cost)}
        part = self._stored_parts.find(number, about)
        if part is None:
            self._check_turn_to_rho(cost)
            room = self._stored_parts.room(about)
            if room < numbers * np.int64().itemsize:
                refuse("The release is too large to be kept in a ledger; coarsen the domain.")
            part = self._stored_parts.draw(number, about, lambda: draw(room))
        self._number_of_answers = number
        # The whole epsilon of the newer answer, also if only a difference is charged for it.
        whole_cost = part.cost if before is None else part.cost + before
        self._sum_of_squared_epsilons += (whole_cost.epsilon or 0) ** 2
        self.spent = part.cost if self.spent is None else self.spent + part.cost
        return part


def check_costs(charged: Guarantee, costs: Sequence[Guarantee]) -> None:
    """Refuse answers whose total cost exceeds the guarantee, before anything is spent.

    Args:
        charged: The guarantee that is going to be charged.
        costs: The cost of each answer; empty if the costs are not known yet.

    Raises:
        ReleaseError: They cost more, or this guarantee can't count their unit.
    """
    total = sum_up(costs)  # None if an (epsilon, delta) and a rho are among them
    if costs and (total is None or not covers(charged, total)):
        total_in_words = total or "an epsilon with a delta and a rho"
        unit = "an epsilon" if charged.rho is None else "a rho"
        refuse(
            f"The request costs {total_in_words}, which this budget cannot pay as {unit}. "
            "Choose a guarantee in its unit."
        )


def price(query: Query, mechanism: Mechanism, claim: Guarantee | None = None) -> Guarantee:
    """Return what the answer to a query costs with this noise.

    The cost follows from the query's sensitivity in the norm of the noise. ``claim`` says how
    Gaussian noise is charged. If it is an (epsilon, delta) that the noise meets on a single
    number, the cost is the claim. If it is Gaussian DP, so is the cost.

    Raises:
        ReleaseError: The mechanism is not registered.
    """
    if not is_known(mechanism) or not mechanism.fits(query.size):
        refuse(
            "A door draws exact Laplace, Gaussian or K-norm noise of the query's dimension."
        )
    is_single_number = query.support is None and query.size == 1
    if claim is not None and is_single_number and mechanism.meets(claim, query.sensitivity):
        return claim
    return mechanism.price(query.sensitivity, claim)


def _draw_answer(
    query: Query, mechanism: Mechanism, threshold: int | None, *, room: int
) -> Arrays:
    """Draw the noisy answer to a query, as arrays by name.

    Most answers have "values" alone, one for each number. A histogram that is too large to
    list also has the "cells" whose noisy counts reach the threshold.

    Args:
        query: The question.
        mechanism: The noise on every number.
        threshold: The least noisy count that is listed; None if all are.
        room: How many bytes the ledger has room for. If the listed counts need more, the
            threshold is raised until they fit, and the answer has the new "threshold".
    """
    if query.support is None:
        return {"values": mechanism.release(query.values())}
    assert threshold is not None
    cells, values = _draw_large_counts(
        query.support, query.values(), mechanism, threshold=threshold
    )
    max_listed = room // (cells.itemsize + values.itemsize)
    if len(values) <= max_listed:
        return {"cells": cells, "values": values}
    # One more than the largest count that does not fit. It follows from noisy counts alone.
    raised_threshold = np.sort(values)[-max_listed - 1] + 1
    is_listed = values >= raised_threshold
    return {
        "cells": cells[is_listed],
        "values": values[is_listed],
        "threshold": raised_threshold,
    }


def _draw_large_counts(
    support: Support, counts: npt.NDArray[np.int64], mechanism: Mechanism, *, threshold: int
) -> tuple[Cells, npt.NDArray[np.int64]]:
    """Return the cells whose noisy counts reach the threshold, and those noisy counts.

    Every cell of the universe gets independent noise, also the empty ones. Which cells have a
    noise that reaches the threshold is drawn for the whole universe at once. Those among them
    that hold rows are dropped, as occupied cells get noise of their own.

    Args:
        support: The occupied cells.
        counts: The exact count of each occupied cell, same order.
        mechanism: Discrete Laplace noise.
        threshold: The least noisy count that is listed, at least 1.

    Returns:
        Cells in ascending order, and their noisy counts, both of shape (k,).
    """
    from synth.noise import draw_exceedances  # which most requests do not need

    assert mechanism.laplace_scale is not None
    noisy = mechanism.release(counts)
    is_large = noisy >= threshold
    noise_cells, noise = draw_exceedances(
        support.shape, 1 / mechanism.laplace_scale, threshold
    )
    is_empty = ~is_in(noise_cells, support.cells)
    cells = np.concatenate((support.cells[is_large], noise_cells[is_empty]))
    values = np.concatenate((noisy[is_large], noise[is_empty]))
    order = ascending(cells)
    return cells[order], values[order]


def _draw_selection(
    texts: Sequence[str], selection: "PartitionSelection", query: Query, *, room: int
) -> Arrays:
    """Draw which texts are released, and return them as the bytes of a JSON list.

    The bytes are the array "values", as the ledger stores whole numbers. The texts are in
    alphabetical order, and as many of the first ones as fit into ``room`` bytes.

    Args:
        texts: The private values, in the order of the query's numbers.
        selection: Draws which of them are kept.
        query: The exact number of rows of each text.
        room: How many bytes the ledger has room for.
    """
    selected = sorted(compress(texts, selection.release(query.values()).tolist()))
    # Bytes of the JSON list of the first k texts: two brackets, and ", " between the texts.
    ends = np.cumsum([len(json.dumps(text)) + len(", ") for text in selected])
    content = json.dumps(selected[: np.searchsorted(ends, room, side="right")]).encode()
    return {"values": np.frombuffer(content, np.uint8).astype(np.int64)}


def _draw_choice(query: Query, cost: Guarantee) -> Arrays:
    """Draw one of the candidates whose scores the query has.

    The array "values" holds a single number: the index of the candidate, from 0 up. A cost in
    epsilon uses permute-and-flip, a rho the exponential mechanism.
    """
    from synth import noise  # whose selections most requests do not need

    is_pure = cost.rho is None
    scores = query.values()
    sensitivity = query.sensitivity.l_infinity
    # `sizes`: how many successive candidates share each score. Then there is one score for
    # each such run, and the result is still the index of a candidate.
    if query.sizes is not None:
        choose_grouped = (
            noise.permute_and_flip_grouped if is_pure else noise.exponential_grouped
        )
        index = choose_grouped(
            scores, query.sizes, epsilon=_epsilon_of_choice(cost), sensitivity=sensitivity
        )
        return {"values": np.array([index])}
    # If one person moves all scores in one direction (`monotone`), exponents are divided by
    # the sensitivity, and not by twice as much.
    choose = noise.permute_and_flip if is_pure else noise.draw_exponential
    index = choose(
        scores.tolist(),
        epsilon=_epsilon_of_choice(cost),
        sensitivity=sensitivity,
        monotone=query.monotone,
    )
    return {"values": np.array([index])}


def _describe_choice(cost: Guarantee) -> dict[str, str]:
    """Return the law of a choice of this cost and its exact epsilon, as JSON."""
    return {"law": CHOICES[cost.rho is not None], "epsilon": str(_epsilon_of_choice(cost))}


def _epsilon_of_choice(cost: Guarantee) -> Fraction:
    """Return the epsilon at which a choice of this cost is drawn.

    It is the range of the choice's privacy losses. A range of epsilon costs
    rho = epsilon^2 / 8 of zCDP, or rho = `OF_RANGE` epsilon^2 of Gaussian DP. So
    epsilon = sqrt(rho / (1/8)) or sqrt(rho / `OF_RANGE`), rounded down.
    """
    if cost.epsilon is not None:
        return cost.epsilon
    assert cost.rho is not None
    rho_of_range_1 = OF_RANGE if cost.is_gaussian else Fraction(1, 8)
    return _round_root_down(cost.rho / rho_of_range_1)


def _round_root_down(value: Fraction) -> Fraction:
    """Return the square root, rounded down to 60 binary digits after the point."""
    return Fraction(math.isqrt(value.numerator * 4**60 // value.denominator), 2**60)
