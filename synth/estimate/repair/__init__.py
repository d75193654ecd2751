"""From noisy counts, negative ones among them, to a distribution over cells. PUBLIC.

``histogram``        the repairs of a histogram, by name
``simplex``          the nearest vector without negative numbers
``ranges``           no negative numbers, with sums over ranges kept
``empirical_bayes``  the law of the true counts, learned from the noisy counts
``pooling``          every noisy count beside a guess from the sums over columns
``smoothing``        the same where neighbouring cells of long columns help
``column``           one column, helped by neighbouring cells
``marginal``         one marginal, around a guess
``overview``         all repairs of the same noisy counts, side by side
``record``           what is public of a release by histogram
``assumed_table``    tables as they usually are, and what noise and repair do to them
``cell_effects``     what repair does to one cell, in expectation
"""
