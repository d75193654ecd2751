"""The one door: a ledger line first, then exact noise. DOOR.

``door``    the only way from exact counts to noisy ones
``parts``   what a ledger keeps of a release, to repeat it or go on with it
``ledger``  budgets and spends of each table
"""
