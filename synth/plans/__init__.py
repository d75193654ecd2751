"""What was asked for: plans, and saved projects. PUBLIC.

``plan``     what a release is asked for
``project``  saved work of the app
``store``    the folder of saved projects
"""
