"""Linked tables: a data package whose tables hang together by keys. PUBLIC.

``package``  the tables, their keys and links
``reading``  the package as a file, read and checked
"""
