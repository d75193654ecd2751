"""What each method measures, step by step, through the door. PRIVATE.

``session``     a door, counted rows and what came out so far
``strategies``  how each method spends its budget
``guided``      the same around a public guess
``run``         from counted rows to a drawn model
"""
