"""A game's actions, planes and symmetries in words, as Markdown."""

from teahouse.core.game import Game, game_info
from teahouse.rl.spec import view_of
from teahouse.rl.symmetries import Symmetries


def described(game: Game) -> str:
    """The tables for a game with its options."""
    view = view_of(game)
    changed = [
        f"`{name}={value}`"
        for name, value in game.options.items()
        if value != game_info(game.name).options[name].default
    ]
    rows, columns = view.shape
    lines = [
        f"### {game.title}{', ' if changed else ''}{', '.join(changed)}",
        f"{view.action_count} actions, {len(view.planes)} planes of {rows} x {columns}"
        f" ({view.grid}), {len(Symmetries.of(game).names)} symmetries, at most {view.parts}"
        f" action{'s' * (view.parts > 1)} a move, at most {view.longest} a game.",
        "",
        "| actions | meaning |",
        "|---|---|",
    ]
    first = 0
    for group in view.actions:
        last = first + group.count - 1
        span = str(first) if last == first else f"{first}–{last}"
        lines.append(f"| {span} | {group.meaning} |")
        first = last + 1
    lines += ["", "| plane | values | what |", "|---|---|---|"]
    lines += [
        f"| {number} | 0–{plane.most} | {plane.meaning} |"
        for number, plane in enumerate(view.planes)
    ]
    return "\n".join([*lines, ""])
