"""Spends and budgets of each dataset, synced to disk before noise is drawn. PUBLIC.

``ledger``        spending, budgets, and what is left
``entries``       entries and their sums
``budgets``       budgets, and changes with their reasons
``checks``        how many figures an asker may have compared
``chain``         chained entries: every edit shows
``sqlite_store``  the file, and its key file
``sqlite_form``   what the file declares, and what was written, read back
``persons``       persons, and the passphrases by which they are known
``requests``      requests that wait for a second person, and decisions about them
``two_persons``   one person asks for a spend, another one approves it
``request_words`` a request and the second person's view of it, as lines
``reservations``  parts of a budget that are reserved for projects
``names``         one spelling for each dataset name
``prepared``      looks, drafts and checks before a release
``home``          the ledger of this machine
``showing``       a ledger in a notebook
``standing``      the sentence that ends every error after a spend
"""
