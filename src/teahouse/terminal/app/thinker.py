"""Thinking in a thread beside the screen: tells what it finds, and can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from textual.message import Message
from textual.screen import Screen

import teahouse as th

Progress = Callable[[th.Analysis], None]


class Thinker:
    """One question that takes a while to answer."""

    class Found(Message):
        """What has been found so far."""

        def __init__(self, thinker: Thinker, analysis: th.Analysis) -> None:
            super().__init__()
            self.thinker = thinker
            self.analysis = analysis

    class Answered(Message):
        """The answer: a move, or an analysis."""

        def __init__(self, thinker: Thinker, answer: str | th.Analysis) -> None:
            super().__init__()
            self.thinker = thinker
            self.answer = answer

    def __init__(
        self, screen: Screen[None], think: Callable[[Progress, Event], str | th.Analysis]
    ) -> None:
        self._screen = screen
        self._think = think
        self._cancel = Event()
        screen.run_worker(self._run, thread=True)

    def hurry(self) -> None:
        """Ask for the answer now, as good as it is."""
        self._cancel.set()

    def _run(self) -> None:
        answer = self._think(self._found, self._cancel)
        self._screen.post_message(self.Answered(self, answer))

    def _found(self, analysis: th.Analysis) -> None:
        self._screen.post_message(self.Found(self, analysis))
