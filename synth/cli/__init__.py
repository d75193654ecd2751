"""The command line. FRONT: it shows whatever a command names.

``main``       the commands, each in a module that is imported when it is used
``saying``     what is printed, fit for a terminal
``commands``   how a command is added, and how its answer is shown
``plan``       the options that make a plan
``public``     ``--public``: a public table as the guess of a release
``release``    ``release``
``linked``     ``release`` of a package of linked tables
``forecast``   ``forecast``
``example``    ``example``
``check``      ``check``, and the check of a release
``ask``        ``ask``
``free``       ``ask --release``
``analyse``    ``analyse``
``functions``  ``analyse --function``: a function of the user's file
``replicates`` ``replicates``
``answers``    answers and forecasts as lines of text
``collect``    ``collect form|plan|read``
``compare``    ``compare``
``domain``     ``domain check|convert|draft``
``drafting``   ``domain draft --epsilon``
``dummy``      ``dummy``
``draw``       ``draw``
``export``     ``export``
``ledger``     ``ledger show|verify|export``
``verify``     ``verify``
``app``        ``app``: it serves the app
``desktop``    ``desktop``: the same in a window of its own
``window``     that window
``launchers``  what a double click starts
"""
