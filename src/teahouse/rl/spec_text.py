"""A game's actions, planes and symmetries as Markdown tables."""

from teahouse.core.game import Game, game_info
from teahouse.core.symmetries import Symmetries
from teahouse.rl.spec import observation_spec


def spec_markdown(game: Game) -> str:
    """Return the tables for a game with its options."""
    spec = observation_spec(game)
    changed = [
        f"`{name}={value}`"
        for name, value in game.options.items()
        if value != game_info(game.name).options[name].default
    ]
    rows, columns = spec.shape
    lines = [
        f"### {game.title}{', ' if changed else ''}{', '.join(changed)}",
        f"{spec.action_count} actions, {len(spec.planes)} planes of {rows} × {columns}"
        f" ({spec.grid}), {len(Symmetries.of(game).names)} symmetries, at most {spec.max_parts}"
        f" action{'s' * (spec.max_parts > 1)} per move, at most {spec.max_game_length} per game.",
        "",
        "| actions | meaning |",
        "|---|---|",
    ]
    first = 0
    for group in spec.actions:
        last = first + group.count - 1
        span = str(first) if last == first else f"{first}–{last}"
        lines.append(f"| {span} | {group.meaning} |")
        first = last + 1
    lines += ["", "| plane | values | meaning |", "|---|---|---|"]
    lines += [
        f"| {number} | 0–{plane.max_value} | {plane.meaning} |"
        for number, plane in enumerate(spec.planes)
    ]
    return "\n".join([*lines, ""])
