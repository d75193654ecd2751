"""The largest sum of many small tables that share variables: a proved bound, and a good
state.

Max-product linear programming (Globerson, Jaakkola 2007, figure 1) in integers, so it is the
same on every machine. PUBLIC.

>>> least = np.array([[0, 1], [1, 0]])
>>> variables = [np.zeros(2, int), np.zeros(2, int)]
>>> bits = np.array([0, 1])
>>> relaxation = Relaxation(variables, [Potential((0, 1), (bits, bits), least)])
>>> relaxation.search(5)
(1, [1, 0])
"""
# The maximum of a sum of tables is at most the sum of their maxima. It still is if an amount
# that depends on one variable moves from one table to another. Amounts are moved so that the
# bound falls; it holds for any amounts.

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.util import Ints

# Sums of scaled numbers stay below 2^60.
SUM_BITS = 60
# Finest unit of moved amounts, in parts of a row.
ROW_PARTS = 2**12
SWEEPS_AT_A_TIME = 5
CLIMB_ROUNDS = 20


@dataclass(eq=False)
class Potential:
    """A table over classes of the states of some variables, with the amounts it owes each of
    them.

    ``classes`` has the class of every state of each variable, shape (states,); every class
    has a state."""

    variables: tuple[int, ...]
    classes: tuple[Ints, ...]
    table: Ints
    owed: list[Ints] = field(init=False)
    orders: list[Ints] = field(init=False)
    starts: list[Ints] = field(init=False)

    def __post_init__(self) -> None:
        """Set what the table owes to its variables to 0, and sort the states of each by
        class.

        ``orders`` lists each variable's states by class, and ``starts`` where each class
        begins. States of a variable are grouped into classes that the table does not
        distinguish.
        """
        self.owed = [np.zeros(count, dtype=np.int64) for count in self.table.shape]
        self.orders = [np.argsort(labels, kind="stable") for labels in self.classes]
        self.starts = [
            np.searchsorted(labels[order], np.arange(count))
            for labels, order, count in zip(
                self.classes, self.orders, self.table.shape, strict=True
            )
        ]

    def cell(self, states: Sequence[int]) -> tuple[int, ...]:
        """Return the index in the table that belongs to a state of every variable.

        ``states`` has the states of all variables of the relaxation, not only of this
        table's.
        """
        pairs = zip(self.variables, self.classes, strict=True)
        return tuple(int(labels[states[variable]]) for variable, labels in pairs)

    def put_along(self, number: int, table: Ints) -> Ints:
        """Return a vector over one variable's classes, shaped to broadcast over the table.

        ``number`` is the place of the variable among the table's variables. States of a
        variable are grouped into classes that the table does not distinguish.
        """
        shape = [1] * self.table.ndim
        shape[number] = -1
        return table.reshape(shape)

    def rest(self, scale: int) -> Ints:
        """Return the table, in scaled whole numbers, minus the amounts that it owes to its
        variables.
        """
        unowed = self.table * scale
        for number, owed in enumerate(self.owed):
            unowed = unowed - self.put_along(number, owed)
        return unowed


class Relaxation:
    """Variables with a table each over their states, and factors over several of them."""

    def __init__(self, variables: Sequence[Ints], factors: Sequence[Potential]) -> None:
        """Scale the tables, so that amounts can be moved between them in whole numbers.

        States of a variable are grouped into classes that the table does not distinguish.

        Args:
            variables: For each variable a table over its states.
            factors: Tables over the classes of several variables.
        """
        largest = [int(np.abs(table).max()) for table in variables]
        largest += [int(np.abs(factor.table).max()) for factor in factors]
        # Sums of scaled numbers stay below 2^60, with a factor of 4 to spare.
        self.scale = max(1, min(ROW_PARTS, (1 << SUM_BITS) // (4 * max(1, sum(largest)))))
        self.variables = [np.asarray(table, dtype=np.int64) for table in variables]
        self.factors = list(factors)
        self.held = [table * self.scale for table in self.variables]

    def bound(self) -> int:
        """Return an upper bound of the largest sum of all tables at one state of each
        variable.

        It is the sum of the maxima of all tables, with the amounts that have moved so far.
        """
        variable_maxima = sum(int(amounts.max()) for amounts in self.held)
        factor_maxima = sum(int(factor.rest(self.scale).max()) for factor in self.factors)
        return (variable_maxima + factor_maxima) // self.scale

    def search(self, sweeps: int) -> tuple[int, list[int]]:
        """Return the least upper bound of the sum that is found, and the best state of each
        variable.

        Each round moves amounts between tables, and improves the states from time to time. It
        stops when both meet, when the bound no longer falls, or after about ``sweeps``
        rounds.
        """
        bound = self.bound()
        states = self.climb([0] * len(self.held))
        done = 0
        while done < sweeps and bound > self.value(states):
            for factor in self.factors * SWEEPS_AT_A_TIME:
                self._settle(factor)
            done = done + SWEEPS_AT_A_TIME
            last = bound
            bound = min(bound, self.bound())
            states = max(states, self.climb(self.favourites()), key=self.value)
            if last == bound:
                break
        return bound, states

    def value(self, states: Sequence[int]) -> int:
        """Return the sum of all tables at a state of each variable."""
        pairs = zip(self.variables, states, strict=True)
        table_sum: int = sum(int(table[state]) for table, state in pairs)
        return table_sum + sum(
            int(factor.table[factor.cell(states)]) for factor in self.factors
        )

    def _settle(self, factor: Potential) -> None:
        """Move amounts between a factor and its variables, so that the sum of their maxima
        falls.

        Each variable gets an equal share of the largest sum that the factor and its variables
        reach at each of its states (Globerson and Jaakkola 2007).
        """
        reach = []
        for number, variable in enumerate(factor.variables):
            # The largest amount of each class of the variable's states.
            sorted_amounts = self.held[variable][factor.orders[number]]
            best = np.maximum.reduceat(sorted_amounts, factor.starts[number])
            # Without what this factor gave to the variable before.
            reach.append(best - factor.owed[number])
        # The largest sums of the factor and its variables, for each cell of the table.
        together = factor.table * self.scale
        for number, reached in enumerate(reach):
            together = together + factor.put_along(number, reached)
        for number, variable in enumerate(factor.variables):
            others = tuple(axis for axis in range(together.ndim) if axis != number)
            # Whole numbers are rounded down; the bound holds for any amounts.
            owed = together.max(axis=others) // together.ndim - reach[number]
            moved = owed - factor.owed[number]
            self.held[variable] += moved[factor.classes[number]]
            factor.owed[number] = owed

    def favourites(self) -> list[int]:
        """Return the best state of each variable in its table, with the current amounts."""
        return [int(amounts.argmax()) for amounts in self.held]

    def climb(self, states: Sequence[int]) -> list[int]:
        """Return states that are improved by changing one variable at a time while the sum
        grows.
        """
        improved = list(states)
        # How many variables in turn could not be improved.
        idle = 0
        for step in range(CLIMB_ROUNDS * len(improved)):
            variable = step % len(improved)
            gains = self._gains(variable, improved)
            best = int(gains.argmax())
            idle = 0 if gains[best] > gains[improved[variable]] else idle + 1
            if idle == 0:
                improved[variable] = best
            if idle >= len(improved):
                break
        return improved

    def _gains(self, variable: int, states: Sequence[int]) -> Ints:
        """Return, for each state of a variable, the sum of the tables that depend on the
        variable.

        All other variables keep their states.
        """
        gains = self.variables[variable].copy()
        for factor in self.factors:
            if variable not in factor.variables:
                continue
            number = factor.variables.index(variable)
            # The line of the factor's table along this variable's classes.
            index: list[int | slice] = [*factor.cell(states)]
            index[number] = slice(None)
            gains += factor.table[tuple(index)][factor.classes[number]]
        return gains
