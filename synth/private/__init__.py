"""The only package that holds rows or exact counts. PRIVATE.

``table``       confidential files, read row by row
``counting``    counts of a table, by DuckDB or Spark
``queries``     what a door may be asked, and how far one row moves the answer
``methods``     what each method measures, step by step
``comparison``  real against synthetic
"""
