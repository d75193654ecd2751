"""From noisy counts, negative ones among them, to a distribution over cells. PUBLIC.

``histogram``        the repairs of a histogram, by name
``simplex``          the nearest vector without negative numbers
``empirical_bayes``  what the true counts were like, learned from the noisy ones
``pooling``          every noisy count beside what sums say of it
``column``           one column, helped by neighbouring cells
``marginal``         one marginal, around a guess
``record``           what is public of a release by histogram
"""
