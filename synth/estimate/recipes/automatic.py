"""*auto*: the histogram if rows outweigh its noise, columns if noise would hide the pairs,
otherwise
one-shot (`synth.estimate.models.choosing.choose`). PUBLIC.
"""

from collections.abc import Sequence

from synth.estimate.models.choosing import histogram_is_small
from synth.estimate.models.junction import Clique
from synth.estimate.recipes.recipe import Recipe


class Automatic(Recipe):
    """Chooses another method, once the approximate number of rows is known."""

    settles = True
    takes_guess = True
    leads_to = ("histogram", "one-shot", "independent")

    def marginals(
        self, shape: tuple[int, ...], most_cells: int, groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        """Return pairs, and the whole table if it may be measured."""
        whole = [tuple(range(len(shape)))] * histogram_is_small(shape, most_cells)
        return [*super().marginals(shape, most_cells, groups), *whole]


AUTOMATIC = Automatic(
    "auto",
    "Automatic: the histogram where it is best, else pairs of columns",
    "automatic",
    is_offered=False,
)
