"""What must stay as it is: releases and answers under fixed noise, bundles, earlier
spends.
"""
