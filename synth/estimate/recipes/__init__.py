"""Methods: each is one object in one file, from its words to its rows. PUBLIC.

``registry``     all methods by name
``choice``       the steward's choices
``recipe``       the interface of a method
``automatic``    *auto*
``pairs``        *one-shot* and *adaptive*
``tree``         *tree*
``groups``       *groups*, *dense* and *histogram*
``columns``      *independent*
``usual_table``  expected errors on a usual table
``record``       measurements and payments of a release
``rebuilding``   estimates and rows from a record
"""
