"""The conformance suite: checks that every game must pass, run by tests and a command.

`teahouse check NAME` runs it on one game; `tests/test_conformance.py` on all of them.
"""
