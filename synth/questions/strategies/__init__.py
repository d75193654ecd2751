"""Strategies for many questions at once: what is measured, so that all answers err little. PUBLIC.

``hierarchy``    noisy nodes of a tree over ordered cells, and the counts that agree with them all
"""
