"""What is assumed about a usual table, and the gain that a costlier way must promise. PUBLIC.

Both serve splits and forecasts alone: a release is private, and its intervals hold, whatever its
table is like.
"""

# Power of its rank by which a cell of a column falls, the largest cell first. Columns of the shared
# tables have about the entropy of this law, whatever their size.
FALL = 1.65

# Mean total variation of pairs from independence; .07 to .13 in the shared tables.
ASSOCIATION = 0.08

# A costlier way must be expected to bring an error down to this part.
WORTH = 0.95
