"""`teahouse draw`: a position as a picture, or a record as an animation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

import teahouse as th
from teahouse.core.files import check_writable, write_atomic
from teahouse.draw import themes
from teahouse.draw.movie import PAUSE, movie
from teahouse.draw.raster import FRAME_RATES, MAX_WIDTH, MIN_WIDTH, animated_image, png
from teahouse.draw.style import RenderStyle
from teahouse.terminal.commands.common import Options, Seed, examples, load_game
from teahouse.terminal.commands.completion import game_names, one_of

EXAMPLES = examples(
    "teahouse draw GAME board.svg",
    "teahouse draw GAME board.png --moves 'MOVES' --targets",
    "teahouse draw game.txt game.webp",
)
FORMATS = ("svg", *FRAME_RATES)


def draw(
    what: Annotated[
        str,
        typer.Argument(
            metavar="GAME|FILE",
            help="game name, or record file (-: standard input)",
            autocompletion=game_names,
        ),
    ],
    picture: Annotated[
        Path,
        typer.Argument(help=f"output file ({', '.join(FORMATS)}); -: SVG to standard output"),
    ] = Path("-"),
    option: Options = None,
    position: Annotated[
        str | None, typer.Option(help="position text; default: the start of the game")
    ] = None,
    moves: Annotated[str, typer.Option(help="moves to play first, separated by spaces")] = "",
    ply: Annotated[
        int | None, typer.Option(min=0, help="number of moves to show; default: all")
    ] = None,
    animate: Annotated[
        bool,
        typer.Option("--animate", "--moving", help="animate every move (always for GIF and WebP)"),
    ] = False,
    hint: Annotated[str | None, typer.Option(help="move to mark as a hint")] = None,
    targets: Annotated[
        bool, typer.Option("--targets", help="mark the spots that can be clicked")
    ] = False,
    width: Annotated[int, typer.Option(min=MIN_WIDTH, max=MAX_WIDTH, help="pixels")] = 720,
    theme: Annotated[
        str,
        typer.Option(
            help="light, dark, or auto (SVG only)", autocompletion=one_of("light", "dark", "auto")
        ),
    ] = "light",
    colours: Annotated[str, typer.Option(help="classic or colour-blind")] = "classic",
    turned: Annotated[bool, typer.Option("--turned", help="view from the opposite side")] = False,
    coordinates: Annotated[bool, typer.Option(help="draw coordinates")] = True,
    tray: Annotated[bool, typer.Option(help="draw seats, hands and choices")] = True,
    pause: Annotated[float, typer.Option(min=0, max=60, help="seconds between moves")] = PAUSE,
    seed: Seed = 0,
) -> None:
    """Draw a position, or animate a record."""
    kind = picture.suffix.removeprefix(".").lower() if str(picture) != "-" else "svg"
    if kind not in FORMATS:
        raise th.OptionError(
            f"Unknown picture format {picture.name!r}; the file name ends in {', '.join(FORMATS)}."
        )
    if theme == "auto" and kind != "svg":
        raise th.OptionError("Theme auto is only for SVG; other formats: light, dark.")
    try:
        record = _record(what, option, position, moves, seed)
    except (th.IllegalMove, th.PositionError, th.RecordError) as error:
        raise th.OptionError(str(error)) from None
    if str(picture) != "-":
        check_writable(picture)
    if str(picture) != "-" and Path(what).is_file() and picture.resolve() == Path(what).resolve():
        raise th.OptionError(f"{picture} is the record itself; choose another output file.")
    if ply is not None and ply > len(record.moves):
        raise th.OptionError(
            f"--ply must be at most {len(record.moves)}, the number of moves; got {ply}."
        )
    while ply is not None and len(record.moves) > ply:
        record.undo()
    style = RenderStyle(
        themes.theme_name(theme), themes.palette_name(colours), coordinates, turned, tray
    )
    if animate or kind in ("gif", "webp"):
        if hint is not None or targets:
            raise th.OptionError("--hint and --targets are for a still picture, not an animation.")
        drawn = _animation(record, kind, width, pause, style)
    else:
        drawn = _still(record, kind, width, style, hint, targets)
    _write(drawn, picture)


def _record(
    what: str, option: list[str] | None, position: str | None, moves: str, seed: int
) -> th.Record:
    """Return the record to draw."""
    if what.lower() in th.games():
        game = load_game(what, option)
        start = game.start(seed) if position is None else game.position(position)
        record = th.Record(start.game, start, seed if position is None else None)
    else:
        if option or position is not None:
            raise th.OptionError(
                "--option and --position need a game, not a record, which contains its own."
            )
        record = th.Record.parse(_text(what))
    for move in moves.split():
        record.play(move)
    return record


def _text(what: str) -> str:
    try:
        return sys.stdin.read() if what == "-" else Path(what).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        names = ", ".join(th.games())
        raise th.OptionError(
            f"{what!r} is neither a game ({names}) nor a readable record: {reason}"
        ) from None


def _still(
    record: th.Record, kind: str, width: int, style: RenderStyle, hint: str | None, targets: bool
) -> bytes:
    last = (record.positions[-2], record.moves[-1]) if record.moves else None
    try:
        drawn = record.position.svg(
            size=width,
            last=last,
            hint=hint,
            targets=targets or None,
            theme=style.theme,
            colours=style.colours,
            coordinates=style.coordinates,
            turned=style.turned,
            tray=style.tray,
        )
    except th.IllegalMove as error:
        raise th.OptionError(str(error)) from None
    return drawn.encode() if kind == "svg" else png(drawn, width)


def _animation(record: th.Record, kind: str, width: int, pause: float, style: RenderStyle) -> bytes:
    if kind == "svg":
        return movie(record, size=width, pause=pause, style=style).encode()
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("Drawing", total=len(record.positions))
        return animated_image(
            record,
            kind,
            width=width,
            pause=pause,
            style=style,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )


def _write(drawn: bytes, picture: Path) -> None:
    """Write to a file atomically, or to standard output."""
    if str(picture) == "-":
        sys.stdout.buffer.write(drawn)
        return
    write_atomic(picture, drawn)
