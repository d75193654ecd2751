"""The functions that `import synth` gives. FRONT.

``opening``      ``open_table``: a file with options
``releasing``    ``release``, ``open_bundle`` and their result
``linking``      ``release_linked``: tables linked by keys
``synthesizer``  a release as ``fit`` and ``sample``
``drawing``      ``dummy`` and ``draw``: rows at no cost
``declaring``    the domain that a function is given
``describing``   ``release`` without a domain: a draft describes the columns
``drafting``     ``draft``: a draft of the domain
``drafts``       its result
``checking``     ``check``: how many rows fit the domain
``asking``       ``ask`` and its answers
``analysing``    ``analyse``: conclusions from a bundle
``functions``    your own functions of synthetic rows
``replicating``  ``replicates``: tables for multiple imputation
``comparing``    ``compare``: the private error of a release
``forecasting``  ``forecast`` and ``verify``: no private rows
``dossiers``     ``write_dossier``, and ``dossier`` of each result: sheets for those who sign
``frames``       synthetic rows as a DataFrame
``typed_columns`` their columns in the types of a released frame
``answer_lines`` answers and conclusions as lines of a table
``spending``     the arguments of functions that spend
``option_names`` the words that options take, for type checkers
"""
