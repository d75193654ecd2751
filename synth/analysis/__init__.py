"""What a release lets one conclude: estimates with intervals, from public numbers alone. PUBLIC.

``conclusion``  one answer with its interval, and what that interval counts
``engine``      which way answers a question
``fresh``       what a fresh answer would cost, where a release has none
"""
