"""The command line. FRONT: it shows whatever a command names.

``main``     the commands
``plan``     the options that make a plan
``compare``  ``compare``
``domain``   ``domain check|convert|draft``
``ledger``   ``ledger show|verify|export``
``verify``   ``verify``
"""
