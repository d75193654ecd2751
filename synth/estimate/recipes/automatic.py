"""*auto*: the method that public or noisy numbers promise to be best. PUBLIC.

What the method does::

    measure   the approximate number of rows, if it is private, with a fiftieth of the budget
    choose    the histogram of all columns, if rows outweigh its noise;
              columns alone, if noise hides the pairs; else one-shot
              (`synth.estimate.models.choosing.choose`)
    then      as the chosen method

With a public table as its guess, `synth.private.methods.guided` spends the budget instead.
"""

from collections.abc import Sequence

from synth.estimate.models.junction import Clique
from synth.estimate.recipes.recipe import Recipe


class Automatic(Recipe):
    """The method that chooses another."""

    settles = True
    takes_guess = True
    leads_to = ("histogram", "one-shot", "independent")

    def marginals(
        self, shape: tuple[int, ...], most_cells: int, groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        """Return the column numbers of all histograms that it may measure together.

        These are pairs, and all columns if their histogram is small; see `Recipe.marginals`.
        """
        from synth.estimate.models.choosing import histogram_is_small

        pairs = super().marginals(shape, most_cells, groups)
        if not histogram_is_small(shape, most_cells):
            return [*pairs]
        return [*pairs, tuple(range(len(shape)))]


AUTOMATIC = Automatic(
    name="auto",
    title="Automatic",
    effect="the histogram if it is best, else pairs of columns",
    is_offered=False,
)
