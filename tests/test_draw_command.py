"""The command `teahouse draw`."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

import teahouse as th
from teahouse.terminal.commands import main


def teahouse_draw(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run the command and return its exit code."""
    monkeypatch.setattr("sys.argv", ["teahouse", "draw", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    """Return the file of a short record."""
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
    options = ("--position", str(given), "--width", 200, "--colours", "colour-blind", "--turned")
    assert teahouse_draw(monkeypatch, "oolong", image, *options, "--no-tray") == 0
    with Image.open(image) as opened:
        assert opened.width == 200
    assert not [path for path in tmp_path.iterdir() if path not in (board, image)]


def test_to_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert teahouse_draw(monkeypatch, "toot") == 0
    assert ElementTree.fromstring(capsysbinary.readouterr().out).attrib["data-game"] == "toot"


def test_a_record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, record_file: Path) -> None:
    still, movie, gif = (tmp_path / name for name in ("one.svg", "movie.svg", "movie.gif"))
    assert teahouse_draw(monkeypatch, record_file, still, "--ply", 1) == 0
    assert still.read_text().count('data-at="') == 1
    assert teahouse_draw(monkeypatch, record_file, movie, "--animate", "--pause", 0.3) == 0
    assert "<set " in movie.read_text()
    assert teahouse_draw(monkeypatch, record_file, gif, "--width", 80) == 0
    with Image.open(gif) as opened:
        assert opened.n_frames > 3  # type: ignore[attr-defined]


def test_error_messages(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    record_file: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    svg = tmp_path / "x.svg"
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"\xff\xfe[Game")
    for message, arguments in {
        "ends in svg, gif, png, webp": ("orochi", tmp_path / "x.bmp"),
        "'chess' is neither a game": ("chess", svg),
        "not a text file": (broken, svg),
        "zz": ("orochi", svg, "--moves", "zz"),
        "A position must": ("orochi", svg, "--position", "nonsense"),
        "theme must be one of": ("orochi", svg, "--theme", "pink"),
        "Theme auto is only for SVG": ("orochi", tmp_path / "x.png", "--theme", "auto"),
        "Cannot write": ("orochi", tmp_path / "none" / "x.svg"),
        "--option and --position need a game": (record_file, svg, "-o", "side=3"),
        "is the record itself": (
            record_file.rename(tmp_path / "record.svg"),
            tmp_path / "record.svg",
        ),
    }.items():
        assert teahouse_draw(monkeypatch, *arguments) == 2, message
        assert message in capsys.readouterr().err
        assert not svg.exists()
    assert "[Game" in (tmp_path / "record.svg").read_text()
