"""Questions to a table: what is asked, and how it would be answered. PUBLIC.

``wording``      how names and values are written, and what may be one
``condition``    which rows a question is about: comparisons joined by and, or, not
``kinds``        what tells one kind of question from another
``question``     one question: its kind, columns, groups and condition; as JSON and as text
``candidates``   what an answer is chosen among
``lexemes``      the words, names, values and symbols of a text
``regressors``   what a regression is of and on
``parser``       a condition, from its text
``language``     a question as one would say it
``files``        several questions in a file
``truth``        what a condition means, and whether it can hold of any row
``checking``     whether a question can be asked of a declared domain
``atoms``        columns cut where questions cut them
``terms``        a workload as vectors over the atoms of columns
``grid``         the cells that terms tell apart
``patterns``     what rows of these cells add
``farthest``     the two rows that are furthest apart
``extents``      largest moves of a component
``relaxation``   bounds of components too large to enumerate
``joint``        how far one person moves all terms together
``tallies``      what is added up over the rows, by group
``workload``     questions as tallies: which rows, or whose numbers, are added up where
``grains``       grids on which numbers are added up
``ratio``        means and shares from a noisy pair
``way_names``    names of the ways to answer
``block``        questions that are answered together
``way``          one way to answer a block
``sum_ways``     ways to answer sums of numbers
``ways``         all ways to answer a block, and their expected errors
``arrangement``  which questions are answered together, by which way, at which cost
``totals``       noisy totals, and the law of their noise
``guess``        totals before they are asked, for a forecast
``answers``      answers read off noisy totals
``inquiry``      what a steward asks, and under which guarantee
``solve``        what has to be spent for an expected error
``alternatives`` what every way would cost and be worth
``cell_sums``    what rows of each cell of a release add to an answer
``numbers``      numbers with their intervals and expected errors
``sources``      what a release says of a few columns together
``cell_intervals`` totals and ratios of what cells add up to, with intervals
``released``     answers by a release that exists, free
``moments``      sums of products: variances, covariances, regressions
``quantiles``    medians and other quantiles
``strategies``   strategies for many counts at once
``offers``       free answers beside those that are asked
"""
