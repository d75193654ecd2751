"""What a release will be worth, from public numbers only. PUBLIC.

``histogram``  the forecast of a release by histogram
``methods``    what every method is likely to do
``interval``   the interval around a forecast that four of five releases keep
``spreads``    its constants, as releases gave them
"""
