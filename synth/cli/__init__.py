"""The command line. FRONT: it shows everything that a command names.

``main``       the commands; each module is imported when its command runs
``watcher``    says the last word if the command is killed
``saying``     output that is safe for a terminal
``commands``   shared parts of commands
``plan``       the options of a plan
``proposing``  relations that a look at the rows proposes
``outputs``    files that a command writes, compared with all that it reads
``release``    ``release``
``beginning``  the plan, the table and the ledger of ``release``
``describing`` ``release`` without ``--domain``
``forecast``   ``forecast``
``example``    ``example``
``check``      ``check``, and the check of a release
``ask``        ``ask``
``free``       ``ask --release``
``analyse``    ``analyse``
``functions``  ``analyse --function``: a function in the user's file
``replicates`` ``replicates``
``answers``    answers and forecasts as lines of text
``collect``    ``collect form|plan|read``
``compare``    ``compare``
``domain``     ``domain check|convert|draft``
``dummy``      ``dummy``
``draw``       ``draw``
``export``     ``export``
``ledger``     ``ledger show|verify|export|budget``
``persons``    ``ledger persons|reserve``
``acting``     which ledger a command is about, and who acts in it
``approve``    ``approve``
``verify``     ``verify``
``dossier``    ``dossier``
``listening``  the socket of the app's server
``app``        ``app``
``desktop``    ``desktop``: the app in its own window
``launchers``  files that start the app by a double click
"""
