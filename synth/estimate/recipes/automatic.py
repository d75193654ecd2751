"""*auto*: the histogram if rows outweigh its noise, columns if noise hides pairs, else
one-shot. PUBLIC."""

from collections.abc import Sequence

from synth.estimate.models.choosing import histogram_is_small
from synth.estimate.models.junction import Clique
from synth.estimate.recipes.recipe import Recipe


class Automatic(Recipe):
    settles = True
    takes_guess = True
    leads_to = ("histogram", "one-shot", "independent")

    def marginals(
        self, shape: tuple[int, ...], most_cells: int, groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        """Return pairs, and the whole table if allowed."""
        whole = [tuple(range(len(shape)))] * histogram_is_small(shape, most_cells)
        return [*super().marginals(shape, most_cells, groups), *whole]


AUTOMATIC = Automatic(
    name="auto",
    label="Automatic: the histogram if it is best, else pairs of columns",
    short="automatic",
    is_offered=False,
)
