"""Tables redrawn: as many rows, near the truth, with the noise of the release."""

import numpy as np

from synth.analysis import mended_tables, source_of
from synth.analysis.modelled import noise_again
from tests.analysis.releases import TRUE_COUNTS, histogram_release, marginals_release


def test_tables_have_all_rows_and_vary_as_the_noise_does() -> None:
    """Tables redrawn from a release have all its rows, and their counts of women vary as the
    noise makes them vary.

    The first table is the estimate itself, near the truth. `size` is the mean absolute error
    of the women's count; 1.25 times that is a standard deviation of normal noise.
    """
    release = marginals_release()
    tables = list(mended_tables(("age", "sex"), release, redrawn=60))
    assert all(len(codes[0]) == TRUE_COUNTS.sum() for codes in tables)

    women = [int((codes[1] == 0).sum()) for codes in tables]
    truth, only_women = TRUE_COUNTS[:, :, 0].sum(), np.array([1.0, 0, 0])
    deviation = source_of(release, (2,), 20_000).size(only_women) * 1.25
    assert abs(women[0] - truth) < 8 * deviation  # a cell that is mended to 0 takes away 2
    assert 0.5 * deviation < np.std(women[1:]) < 2 * deviation


def test_noise_that_is_drawn_again_has_the_size_of_the_law() -> None:
    """The mean size of 400 weighted sums of redrawn noise is within 15 % of the law's.

    Four deviations of the mean of 400 normal sizes are .15. Age by sex has 12 by 3 = 36
    cells.
    """
    rng = np.random.default_rng(2)
    for release in (histogram_release(), marginals_release()):
        source = source_of(release, (0, 2), 20_000)
        weights = np.arange(36.0)
        sums = [float(weights @ noise_again(source, rng)) for _ in range(400)]
        assert 0.85 < np.abs(sums).mean() / source.size(weights) < 1.15
