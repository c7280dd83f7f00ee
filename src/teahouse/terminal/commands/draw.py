"""`teahouse draw`: a position as a picture, or a record as a moving one."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

import teahouse as th
from teahouse.draw.movie import END, PAUSE, film
from teahouse.draw.raster import MOVING, moving, png
from teahouse.draw.style import Look
from teahouse.terminal.commands.common import Options, Seed, examples, loaded

EXAMPLES = examples(
    "teahouse draw GAME board.svg",
    "teahouse draw GAME board.png --moves 'MOVE MOVE' --targets",
    "teahouse draw game.txt game.webp",
)
KINDS = ("svg", *MOVING)


def draw(
    what: Annotated[
        str,
        typer.Argument(metavar="GAME|FILE", help="a game's name, or a record's file (- is input)"),
    ],
    picture: Annotated[
        Path,
        typer.Argument(help=f"where to: a file that ends in {', '.join(KINDS)}; - writes SVG"),
    ] = Path("-"),
    option: Options = None,
    position: Annotated[
        str | None, typer.Option(help="a position's text instead of the start")
    ] = None,
    moves: Annotated[str, typer.Option(help="moves to play first, with spaces between")] = "",
    ply: Annotated[
        int | None, typer.Option(min=0, help="how many moves to show; all of them")
    ] = None,
    is_moving: Annotated[
        bool, typer.Option("--moving", help="move by move; GIF and WebP always are")
    ] = False,
    hint: Annotated[str | None, typer.Option(help="a move to point out")] = None,
    targets: Annotated[bool, typer.Option("--targets", help="show what can be pointed at")] = False,
    width: Annotated[int, typer.Option(min=16, max=4096, help="in pixels")] = 720,
    theme: Annotated[str, typer.Option(help="paper, night, or for SVG auto")] = "paper",
    colours: Annotated[str, typer.Option(help="tea, or clear, made for the colour-blind")] = "tea",
    turned: Annotated[bool, typer.Option("--turned", help="seen from the other side")] = False,
    coordinates: Annotated[bool, typer.Option(help="with letters and numbers")] = True,
    tray: Annotated[bool, typer.Option(help="with seats, hands and choices")] = True,
    pause: Annotated[float, typer.Option(min=0, max=60, help="seconds between moves")] = PAUSE,
    seed: Seed = 0,
) -> None:
    """Draw a position, or a record move by move."""
    kind = picture.suffix.removeprefix(".").lower() if str(picture) != "-" else "svg"
    if kind not in KINDS:
        raise th.OptionError(f"a picture's file ends in {', '.join(KINDS)}, not {picture.name!r}")
    if theme == "auto" and kind != "svg":
        raise th.OptionError("theme auto is for SVG; others are paper or night")
    try:
        record = _record(what, option, position, moves, seed)
    except (th.IllegalMove, th.PositionError, th.RecordError) as error:
        raise th.OptionError(str(error)) from None
    if str(picture) != "-" and Path(what).is_file() and picture.resolve() == Path(what).resolve():
        raise th.OptionError(f"{picture} is the record; name another file for the picture")
    while ply is not None and len(record.moves) > ply:
        record.undo()
    look = Look(theme, colours, coordinates, turned, tray)
    if is_moving or kind in ("gif", "webp"):
        drawn = _moving(record, kind, width, pause, look)
    else:
        drawn = _still(record, kind, width, look, hint, targets)
    _write(drawn, picture)


def _record(
    what: str, option: list[str] | None, position: str | None, moves: str, seed: int
) -> th.Record:
    """The game to draw as a record."""
    if what in th.games():
        game = loaded(what, option)
        start = game.start(seed) if position is None else game.position(position)
        record = th.Record(game, start, seed if position is None else None)
    else:
        if option or position is not None:
            raise th.OptionError(
                "a record has its own options and positions; only a game takes them"
            )
        record = th.Record.parse(_text(what))
    for move in moves.split():
        record.play(move)
    return record


def _text(what: str) -> str:
    try:
        return sys.stdin.read() if what == "-" else Path(what).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        names = ", ".join(th.games())
        raise th.OptionError(
            f"{what!r} is neither a game ({names}) nor a record: {reason}"
        ) from None


def _still(
    record: th.Record, kind: str, width: int, look: Look, hint: str | None, targets: bool
) -> bytes:
    last = (record.positions[-2], record.moves[-1]) if record.moves else None
    try:
        drawn = record.position.svg(
            size=width,
            last=last,
            hint=hint,
            targets=targets or None,
            theme=look.theme,
            colours=look.colours,
            coordinates=look.coordinates,
            turned=look.turned,
            tray=look.tray,
        )
    except th.IllegalMove as error:
        raise th.OptionError(str(error)) from None
    return drawn.encode() if kind == "svg" else png(drawn, width)


def _moving(record: th.Record, kind: str, width: int, pause: float, look: Look) -> bytes:
    if kind == "svg":
        return film(record, size=width, pause=pause, look=look).encode()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("drawing", total=len(record.positions))
        return moving(
            record,
            kind,
            width=width,
            pause=pause,
            end=END,
            look=look,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )


def _write(drawn: bytes, picture: Path) -> None:
    """Write a file whole or not at all."""
    if str(picture) == "-":
        sys.stdout.buffer.write(drawn)
        return
    try:
        with tempfile.NamedTemporaryFile(dir=picture.absolute().parent, delete=False) as file:
            file.write(drawn)
        os.chmod(file.name, 0o666 & ~_umask())
        os.replace(file.name, picture)
    except OSError as error:
        raise th.OptionError(f"{picture} cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
