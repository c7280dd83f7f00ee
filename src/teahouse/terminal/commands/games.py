"""`teahouse games`."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

import teahouse as th
from teahouse.core.game import facts
from teahouse.terminal.commands.common import Json, examples, option_text, print_json

EXAMPLES = examples("teahouse games", "teahouse games --json")


def games(as_json: Json = False) -> None:
    """List the games with their seats and options."""
    if as_json:
        print_json([_described(name) for name in th.games()])
        return
    console = Console()
    for name in th.games():
        game = th.load(name)
        console.print(f"\n[bold]{name}[/]  {game.summary}", highlight=False)
        console.print(f"  seats: {', '.join(game.players)}", highlight=False)
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for option, kind in facts(name).options.items():
            text = f"  {option}={option_text(kind.default)}"
            table.add_row(text, f"{kind.meaning}: {kind.allowed}")
        console.print(table, highlight=False, markup=False)


def _described(name: str) -> dict[str, object]:
    game = th.load(name)
    return {
        "name": name,
        "title": game.title,
        "summary": game.summary,
        "players": game.players,
        "options": {
            option: {"default": kind.default, "meaning": kind.meaning, "allowed": kind.allowed}
            for option, kind in facts(name).options.items()
        },
    }
