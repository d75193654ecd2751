"""What comes from others: read by a process with limits, held in one place, shown as text. PUBLIC.

``parent``   asks a child process and waits for it
``child``    reads one foreign file in that process
``labels``   what a statistics file says of its variables, read in that process
``folders``  private copies on disk, gone with their process
``home``     where the ledger and the projects are
``text``     text from a file, made fit to be shown
"""
