"""A search in a worker thread that posts its progress and result to a screen."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from textual.message import Message
from textual.screen import Screen

import teahouse as th

OnProgress = Callable[[th.Analysis], None]
SearchFunction = Callable[[OnProgress, Event], str | th.Analysis]
"""Returns a move or an analysis."""


class BackgroundSearch:
    """One running search."""

    class Progress(Message):
        """An interim analysis."""

        def __init__(self, search: BackgroundSearch, analysis: th.Analysis) -> None:
            super().__init__()
            self.search = search
            self.analysis = analysis

    class Finished(Message):
        """The result: a move, or an analysis."""

        def __init__(self, search: BackgroundSearch, result: str | th.Analysis) -> None:
            super().__init__()
            self.search = search
            self.result = result

    def __init__(self, screen: Screen[None], function: SearchFunction) -> None:
        self._screen = screen
        self._function = function
        self._cancel = Event()
        screen.run_worker(self._run, thread=True)

    def stop(self) -> None:
        """End the search early; its result is still posted."""
        self._cancel.set()

    def _run(self) -> None:
        result = self._function(self._on_progress, self._cancel)
        self._screen.post_message(self.Finished(self, result))

    def _on_progress(self, analysis: th.Analysis) -> None:
        self._screen.post_message(self.Progress(self, analysis))
