"""Reports in the folder of the lab, for pages that show them; light to import."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from teahouse.core.catalog import load
from teahouse.core.errors import OptionError
from teahouse.core.files import data_folder, write_atomic
from teahouse.core.game import Game, non_default_options
from teahouse.core.options import format_options, option_texts

if TYPE_CHECKING:
    from teahouse.lab.report import Report

REPORT_FILE = "report.json"
SETTINGS_FILE = "lab.json"


@dataclass(frozen=True)
class StoredReport:
    """A report on disk."""

    game: Game
    file: Path
    changed: int
    """Time of the last change, in nanoseconds."""

    @property
    def title(self) -> str:
        """The options that differ from the default ones."""
        return format_options(non_default_options(self.game), ", ") or "options as by default"

    @property
    def path(self) -> str:
        """The path of its page on a server."""
        query = urlencode(option_texts(non_default_options(self.game)))
        return f"/lab/{self.game.name}{'?' if query else ''}{query}"

    def read(self) -> Report:
        """Read the report; raise `ValueError` or `OSError` if it cannot be read."""
        from teahouse.lab.report_json import report_from_json

        return report_from_json(self.file.read_text(encoding="utf-8"))


def report_command(game: Game) -> str:
    """Return the command that makes the report of a game."""
    options = [format_options({name: one}) for name, one in non_default_options(game).items()]
    given = [word for one in options for word in ("-o", one)]
    return shlex.join(["teahouse", "report", game.name, *given])


def lab_folder() -> Path:
    """Return the folder that has a folder for each report."""
    return data_folder() / "lab"


def store_report(report: Report, folder: Path) -> None:
    """Write a report beside the games that it is of."""
    write_atomic(folder / REPORT_FILE, report.to_json())


def find_report(game: Game) -> StoredReport | None:
    """Return the newest report of a game with the same options."""
    found = [report for report in _reports(game.name) if report.game == game]
    return max(found, key=lambda report: report.changed, default=None)


def other_reports(game: Game) -> tuple[StoredReport, ...]:
    """Return the newest report for each other set of options of a game."""
    newest: dict[Game, StoredReport] = {}
    for report in sorted(_reports(game.name), key=lambda report: report.changed):
        if report.game != game:
            newest[report.game] = report
    return tuple(sorted(newest.values(), key=lambda report: report.title))


def _reports(name: str) -> Iterator[StoredReport]:
    for settings in lab_folder().glob(f"{name}-*/{SETTINGS_FILE}"):
        file = settings.with_name(REPORT_FILE)
        try:
            changed = file.stat().st_mtime_ns
            data = json.loads(settings.read_text(encoding="utf-8"))
            if data["game"] == name:
                yield StoredReport(load(name, **data["options"]), file, changed)
        except (OSError, ValueError, KeyError, TypeError, OptionError):
            continue  # no report yet, or of another version
