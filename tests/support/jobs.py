"""Jobs for the tests of executors; worker processes import them from here."""

import os

from teahouse.core.errors import OptionError
from teahouse.core.executor import Job


class Squares(Job[int, int]):
    """Squares numbers; some fail."""

    def run(self, task: int) -> int:
        if task == 13:
            raise OptionError("13 is not allowed.")
        if task == 14:
            raise ZeroDivisionError("14")
        if task == 15:
            os._exit(1)
        return task * task
