"""How an analysis is put before people."""

from teahouse.core.position import Position
from teahouse.search.result import AnalysedMove, Analysis


def standing(found: AnalysedMove) -> str:
    """A move's expected score as a share of a win."""
    return f"{found.value:.1%}"


def judged(analysis: Analysis) -> str:
    """An interim analysis in a few words."""
    return f"{analysis.best} {analysis.value:.0%}, {analysis.simulations:,} simulations"


def in_words(position: Position, part: str = "") -> str:
    """What is where, a sentence each, and who decides what; only places named by `part` if told."""
    scene = position.scene
    places = [spot for spot in scene.spots if spot.pieces or spot.marks or spot.owner is not None]
    if part:
        places = [spot for spot in scene.spots if spot.name.lower().startswith(part.lower())]
        return "\n".join(spot.label for spot in places) or f"there is no place {part!r}"
    return "\n".join(
        [spot.label for spot in places] + [hand.label for hand in scene.hands] + [scene.prompt]
    )


def listed(analysis: Analysis, most: int = 8) -> str:
    """The best moves and their values, a line each, for a narrow column."""
    lines = [f"{analysis.simulations:,} simulations"]
    for found in analysis.ranked[:most]:
        lines.append(f"{found.move:<12} {standing(found):>6} {found.proof or ''}".rstrip())
    return "\n".join([*lines, "then " + " ".join(analysis.line[1:4])])
