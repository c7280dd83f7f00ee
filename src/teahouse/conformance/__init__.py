"""The conformance suite: what every game must do, as checks that a test or a command can run.

`teahouse check NAME` runs it on one game; `tests/test_conformance.py` on all of them.
"""
