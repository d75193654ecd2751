"""What is shown to learn with: live pictures of the notes, and a made-up survey. PUBLIC.

``notes``   the pictures of the Learn page
``survey``  20,000 people who do not exist
"""
