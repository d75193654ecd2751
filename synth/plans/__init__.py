"""What was asked for: plans, and saved projects. PUBLIC.

``codecs``   how values are written as JSON, and read
``options``  every option of a release and of an inquiry, declared once
``plan``     what a release is asked for
``project``  saved work of the app
``store``    the folder of saved projects
"""
