"""What every room may use and no room is about. PUBLIC.

``version``  the version of Synth
"""
