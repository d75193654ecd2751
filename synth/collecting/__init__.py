"""Randomised response: a form that people answer in private, and what its answers tell. PUBLIC.

Each answer is protected before it leaves the person (the local model): what arrives here is no
private number, passes through no door and is no spend of a ledger.

``probabilities``  the exact chances of the truth and of lies, and their certified loss
``design``         questions and epsilon, and the identifier of a form
``wording``        questions on a line, in a text file, or in JSON
``form``           the form as one HTML file
``binomial``       ends of the binomial law, and exact intervals
``people``         how many people are needed
``collected``      randomised answers of some people, read by a child process
``answers``        what the child makes of collected files
``arriving``       where they come from: files, folders and zips
``shares``         debiased shares with intervals
``joint``          the joint table, and synthetic rows
``pictures``       shares with their intervals, drawn
"""
