"""The published JSON schemas of all files but certificates. PUBLIC.

They describe the files that stay readable in every later version 1.x; docs/reference/files.md
explains them. ``python -m synth.bundle.schema`` writes them, with those of certificates.

``forms``        the pieces of a schema: texts, numbers, lists, objects
``shared``       exact numbers, costs, and paid drafts and checks
``fields``       one column of a declaration
``declaration``  a declaration of columns
``package``      the declaration of linked tables
``plan``         the plan of a release, and of a release of linked tables
``project``      work that the app saved
``ledger``       an exported ledger
``inquiry``      questions, and how they are asked
``lists``        lists of files: parts, replicates, and the manifest of an exported file
``dossier``      typed answers of a dossier
``check_request`` a request to compare a claimed figure
``catalogue``    all schemas by the name of their file
"""
