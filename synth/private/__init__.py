"""The only package that holds rows or exact counts. PRIVATE.

``table``       confidential files, read row by row
``counting``    counts of a table, by DuckDB or Spark
``queries``     queries for the door, with their sensitivities
``methods``     the measurements of each method, step by step
``comparison``  real against synthetic
"""
