"""The text form of records: tags in brackets, then numbered moves and comments in braces."""

import re
from collections.abc import Container, Iterator

from teahouse.core.errors import RecordError, quoted

_TAG = re.compile(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]')
# Linear: repetitions are possessive, so an unclosed comment is scanned once, and every failure
# ends the parsing.
_TOKEN = re.compile(
    r"\s*+(?:\{(?P<comment>(?:[^}\\]|\\.)*+)\}|(?P<number>\d{1,9})\.(?=\s|$|[A-Za-z])"
    r"|(?P<word>[^\s{}]++))",
    re.S,
)
_ESCAPES = {"\n": r"\n", "\r": r"\r", '"': r"\"", "\\": r"\\", "}": r"\}"}
_PLAIN = {"n": "\n", "r": "\r"}


def check_tag(name: str, reserved: Container[str]) -> None:
    """Raise `ValueError` unless a tag of this name can be added to a record."""
    if not re.fullmatch(r"\w+", name) or name in reserved:
        raise ValueError(
            f"A tag's name has letters, digits and _, and is none of the record's own tags, got"
            f" {quoted(name)}."
        )


def tag_line(name: str, value: str) -> str:
    """Return the line of a tag."""
    return f'[{name} "{_escaped(value)}"]\n'


def escape(comment: str) -> str:
    """Return a comment in braces."""
    return f"{{{_escaped(comment)}}}"


def wrap(words: list[str]) -> str:
    """Join words to lines of at most 100 characters; longer words and comments are not broken."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > 100:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def split_records(text: str) -> list[tuple[int, str]]:
    """Return the texts of all records in a text, each with the number of its first line.

    A record begins with a tag that follows moves.
    """
    lines = _lines(text)
    firsts, moves, commented = [0], False, False
    for number, line in enumerate(lines):
        if not commented and _TAG.fullmatch(line.strip()):
            if moves:
                firsts.append(number)
            moves = False
            continue
        moves = moves or bool(line.strip())
        braces = re.findall(r"[{}]", re.sub(r"\\.", "", line))
        commented = braces[-1] == "{" if braces else commented
    return [
        (first + 1, "\n".join(lines[first:end]))
        for first, end in zip(firsts, [*firsts[1:], len(lines)], strict=True)
    ]


def _lines(text: str) -> list[str]:
    """Return the lines of a text, without the byte order mark that some editors write."""
    return re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _PLAIN.get(found[1], found[1]), text, flags=re.S)


class Tokens:
    """The tokens of a record's text, with line numbers."""

    def __init__(self, text: str) -> None:
        self._lines = _lines(text)
        self.result: str | None = None
        self.result_line = len(self._lines)
        self.error: RecordError | None = None
        """What ends the moves, if it is neither a move nor a comment."""
        self._body = 0

    def tags(self) -> tuple[dict[str, str], dict[str, int]]:
        """Return the values and the line numbers of all tags."""
        tags: dict[str, str] = {}
        lines: dict[str, int] = {}
        for number, line in enumerate(self._lines, 1):
            if not line.strip():
                continue
            if not line.lstrip().startswith("["):
                break
            match = _TAG.fullmatch(line.strip())
            if not match:
                raise RecordError(
                    number, f'Expected a tag [Name "value"], got {quoted(line.strip())}.'
                )
            if match[1] in tags:
                raise RecordError(number, f"Duplicate tag {match[1]}.")
            tags[match[1]] = _unescaped(match[2])
            lines[match[1]] = number
            self._body = number
        return tags, lines

    def moves(self, results: Container[str]) -> Iterator[tuple[int, str, str]]:
        """Yield line, kind and text of every comment, move number and move.

        Set `result`, and `error` where the text cannot be read any further.
        The last word is the result if it is one of `results` and does not follow a move number.
        """
        body = "\n".join(self._lines[self._body :])
        words: list[tuple[int, str, str]] = []
        line, end = self._body + 1, 0
        while match := _TOKEN.match(body, end):
            kind = str(match.lastgroup)
            line += body.count("\n", end, match.start(kind))
            words.append(
                (line, kind, _unescaped(match[kind]) if kind == "comment" else match[kind])
            )
            line += body.count("\n", match.start(kind), match.end())
            end = match.end()
        self.error = self._unread(body, end, line)
        if (
            self.error is None
            and words
            and words[-1][2] in results
            and [kind for _, kind, _ in words[-2:-1]] != ["number"]
        ):
            self.result_line, _, self.result = words.pop()
        yield from words

    def _unread(self, body: str, end: int, line: int) -> RecordError | None:
        """Return the error if something follows the last word."""
        rest = body[end:]
        text = rest.strip()
        if not text:
            return None
        line += rest.count("\n", 0, rest.index(text))
        return RecordError(line, f"Expected a move or a complete {{comment}}, got {quoted(text)}.")
