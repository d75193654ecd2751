"""What was spent on which dataset, synced before noise is drawn. PUBLIC.

``ledger``        spending, budgets, and what is left
``entries``       entries, and what they add up to
``chain``         entries chained so that every edit shows
``sqlite_store``  the file, and the key file beside it
``names``         names of datasets, whatever they were typed with
``prepared``      drafts and checks of declarations, kept beside their spends
``standing``      what an error after a spend says of it
"""
