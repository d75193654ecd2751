"""Commands of the command line, by noun."""
