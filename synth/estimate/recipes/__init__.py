"""Methods: each is one object in one file, from its words to its rows. PUBLIC.

``registry``     all methods by name
``choice``       the steward's choices
``recipe``       the interface of a method
``record``       measurements and payments
``automatic``    *auto*
``histograms``   *dense* and *histogram*
``pairs``        *one-shot*
``adaptive``     *adaptive*
``tree``         *tree*
``groups``       *groups*
``columns``      *independent*
``usual_table``  expected errors on a usual table
"""
