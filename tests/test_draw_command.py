"""`teahouse draw`, as a person would use it."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

import teahouse as th
from teahouse.terminal.commands import main


def teahouse_draw(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run the command; its exit code."""
    monkeypatch.setattr("sys.argv", ["teahouse", "draw", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A record's file."""
    record = th.Record.new(th.load("orochi", side=2))
    for move in ("wa1", "ba2", "wb1"):
        record.play(move)
    path = tmp_path / "game.txt"
    path.write_text(record.text())
    return path


def test_a_position(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    board = tmp_path / "board.svg"
    moves = ("--moves", "wd4 ba1", "--hint", "wa2", "--targets", "--theme", "auto")
    assert teahouse_draw(monkeypatch, "orochi", board, *moves, "-o", "side=5") == 0
    svg = board.read_text()
    assert ElementTree.fromstring(svg).attrib["width"] == "720"
    assert 'class="spot cell target hint' in svg
    image = tmp_path / "board.png"
    given = th.load("oolong").start(3).play("C.NE")
    options = ("--position", str(given), "--width", 200, "--colours", "clear", "--turned")
    assert teahouse_draw(monkeypatch, "oolong", image, *options, "--no-tray") == 0
    with Image.open(image) as opened:
        assert opened.width == 200
    assert not [path for path in tmp_path.iterdir() if path not in (board, image)]


def test_to_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert teahouse_draw(monkeypatch, "toot") == 0
    assert ElementTree.fromstring(capsysbinary.readouterr().out).attrib["data-game"] == "toot"


def test_a_record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: Path) -> None:
    still, film, moving = (tmp_path / name for name in ("one.svg", "film.svg", "film.gif"))
    assert teahouse_draw(monkeypatch, kept, still, "--ply", 1) == 0
    assert still.read_text().count('data-at="') == 1
    assert teahouse_draw(monkeypatch, kept, film, "--moving", "--pause", 0.3) == 0
    assert "<set " in film.read_text()
    assert teahouse_draw(monkeypatch, kept, moving, "--width", 80) == 0
    with Image.open(moving) as opened:
        assert opened.n_frames > 3  # type: ignore[attr-defined]


def test_mistakes_are_named(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    kept: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    svg = tmp_path / "x.svg"
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"\xff\xfe[Game")
    for said, arguments in {
        "ends in svg, gif, png, webp": ("orochi", tmp_path / "x.bmp"),
        "'chess' is neither a game": ("chess", svg),
        "it is no text": (broken, svg),
        "zz": ("orochi", svg, "--moves", "zz"),
        "a position": ("orochi", svg, "--position", "nonsense"),
        "theme is one of": ("orochi", svg, "--theme", "pink"),
        "theme auto is for SVG": ("orochi", tmp_path / "x.png", "--theme", "auto"),
        "cannot be written": ("orochi", tmp_path / "none" / "x.svg"),
        "a record has its own options": (kept, svg, "-o", "side=3"),
        "is the record": (kept.rename(tmp_path / "kept.svg"), tmp_path / "kept.svg"),
    }.items():
        assert teahouse_draw(monkeypatch, *arguments) == 2, said
        assert said in capsys.readouterr().err
        assert not svg.exists()
    assert "[Game" in (tmp_path / "kept.svg").read_text()
