"""`teahouse rules`."""

from __future__ import annotations

from rich.console import Console
from rich.markdown import Markdown

import teahouse as th
from teahouse.draw.rules_text import rules_text
from teahouse.terminal.commands.common import GameName, examples

EXAMPLES = examples("teahouse rules GAME", "teahouse rules GAME | less -R")


def rules(game: GameName) -> None:
    """Print the rules of a game: formatted in a terminal, as Markdown into a pipe."""
    page = rules_text(th.load(game))
    console = Console()
    if console.is_terminal:
        console.print(Markdown(page))
    else:
        print(page)
