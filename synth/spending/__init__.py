"""Everything that spends budget: it opens the door, counts, measures and certifies. DOOR.

``purchase``     what every spend does: count, refuse, pay, open the door
``pipeline``     a release, from a plan to a result
``asking``       answers to an inquiry
``fit``          a check whether rows fit the declaration
``draft``        a declaration drafted from noisy counts
``score``        a utility score of a release
``datasets``     whose data a table is: names that a ledger does not know
``public_file``  a public table that serves as a guess
"""
