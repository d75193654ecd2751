"""What leaves the building, as files. PUBLIC.

``result``   a release as it was made
``folder``   its files in a folder
``archive``  its files in one zip
``texts``    statement, dictionary and the other texts
``report``   the report, one HTML page
``scores``   utility scores, as a certificate has them
"""
