"""Logs: plain text, or JSON with the ids of the request and of the table."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from teahouse.core.errors import OptionError

FORMATS = ("text", "json")
ACCESS = logging.getLogger("teahouse.server.access")
"""One record for each request; JSON logs have it, plain text does not."""

request_id: ContextVar[str] = ContextVar("request_id", default="")
table_id: ContextVar[str] = ContextVar("table_id", default="")

_GIVEN_ID = re.compile(r"[\w.:-]{1,100}", re.ASCII)
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def accept_request_id(given: str) -> str:
    """Return the id that a proxy has given a request, or a new one if it is missing or odd."""
    return given if _GIVEN_ID.fullmatch(given) else secrets.token_hex(8)


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as JSON: time, level, logger, message, ids, and what `extra` has."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, variable in (("request_id", request_id), ("table_id", table_id)):
            if value := variable.get():
                line[name] = value
        line |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def configure(log_format: str) -> dict[str, Any]:
    """Set the format of logs on the error stream; return the options for Uvicorn that go with it.

    Plain text has warnings and errors, JSON also requests.
    """
    if log_format not in FORMATS:
        raise OptionError(f"Unknown log format {log_format!r}; formats: {', '.join(FORMATS)}.")
    handler = logging.StreamHandler(sys.stderr)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    if log_format == "text":
        return {}
    handler.setFormatter(JsonFormatter())
    logging.getLogger("teahouse").setLevel(logging.INFO)
    return {"log_config": None}
