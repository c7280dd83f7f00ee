"""The price of every request and message, in units of `ServerSettings.request_rate`."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """What a kind of request costs."""

    method: str
    path: re.Pattern[str]
    units: float
    """0 for what is never refused."""
    per_kilobyte: float = 0.0
    """Units for each 1,000 bytes of its body."""
    waits: bool = False
    """Whether it mostly waits for a worker, so that others from its address may go on."""


def _price(method: str, path: str, units: float, **more: float) -> Price:
    return Price(method, re.compile(path), units, **more)  # type: ignore[arg-type]


PRICES = (
    _price("GET", r"/players/|/api/players/", 5.0),
    _price("GET", r"/ratings$|/api/ratings/", 2.0),
    _price("GET", r"/static/|/(?:board|lab)\.css$|/lab\.js$|/favicon\.ico$", 0.1),
    _price("GET", r"/api$|/api/health$", 0.2),
    _price("GET", r"/(?:health|ready)z$", 0.0),
    _price("GET", r"/pictures/", 15.0, waits=True),
    _price("GET", r"/tables/|/records/|/rules/|/learn/|/puzzles|/embed/", 2.0),
    _price("GET", r"/lab/", 3.0, waits=True),
    _price("GET", r"/api/puzzles/[^/]*/", 2.0, waits=True),
    _price("POST", r"/api/puzzles/", 1.0, per_kilobyte=1.0, waits=True),
    _price("GET", r"/api/(?:tables|records)/[^/]*/plies/", 2.0, waits=True),
    _price("GET", r"/api/tables/|/api/records/", 1.0),
    _price("POST", r"/api/tables$", 10.0),
    _price("POST", r"/api/challenges$|/api/challenges/[^/]*/accept$", 10.0),
    _price("POST", r"/api/tournaments$", 20.0),
    _price("POST", r"/api/tournaments/[^/]*/join$", 5.0),  # may verify a password
    _price("GET", r"/api/tournaments|/tournaments/", 2.0),
    _price("POST", r"/api/records$", 10.0, per_kilobyte=0.5, waits=True),
    _price("POST", r"/api/hint$", 10.0, per_kilobyte=1.0, waits=True),
    _price("POST", r"/api/reviews$", 10.0, waits=True),
    _price("POST", r"/api/reviews/", 5.0, waits=True),
    _price("GET", r"/api/reviews/|/review/", 2.0, waits=True),
    _price("GET", r"/studies/|/api/studies/", 2.0, waits=True),
    _price("POST", r"/api/studies", 10.0, per_kilobyte=0.5, waits=True),
    _price("POST", r"/api/study$", 2.0, per_kilobyte=1.0, waits=True),
    _price("POST", r"/api/edit$", 1.0, per_kilobyte=1.0, waits=True),
    _price("POST", r"/api/explore$", 1.0, per_kilobyte=1.0, waits=True),
    _price("POST", r"/api/openings$", 1.0, per_kilobyte=1.0, waits=True),
    _price("POST", r"/api/explain$|/api/preview$|/api/coach$", 1.0, per_kilobyte=1.0, waits=True),
    _price("POST", r"/api/setup$|/api/status$|/api/waiting$", 2.0),
    _price("POST", r"/api/tables/[^/]*/conditional$", 1.0, per_kilobyte=2.0, waits=True),
    _price("POST", r"/api/notifications/email$", 60.0),
    _price("POST", r"/api/vacation$|/api/email/", 5.0),
    _price("GET", r"/feed/", 2.0),
    _price("POST", r"/api/reports$", 10.0),
    _price("GET", r"/api/account$", 0.5),
    _price("POST", r"/api/account/(?:sign-(?:in|up)|password|confirm)$", 10.0, waits=True),
    _price("POST", r"/api/account/(?:sign-(?:in|up)|confirm|passkeys)", 3.0),
    _price("GET", r"/api/account/export$", 100.0, waits=True),
    _price("POST", r"/api/account/delete$", 20.0, waits=True),
    _price("POST", r"/api/account/claim$", 20.0),
    _price("POST", r"/api/account/(?:tokens|bots)", 5.0),
    _price("POST", r"/api/account/data$", 1.0, per_kilobyte=0.2),
)
"""The first that fits the method and the beginning of the path counts."""
DEFAULT = Price("", re.compile(""), 1.0)

JOIN = 1.0
"""Opening a socket."""
MESSAGE = 0.25
"""A message on a socket, valid or not."""
SEEK = 2.0
"""Looking for opponents, besides its message."""
HINT = 5.0
"""A hint on a socket, besides its message."""

ANALYSIS = 1.5
"""A second of search for the analysis board."""

_TABLE = re.compile(r"(?:/api)?/tables/([a-z0-9]{10})(?:/|$)")


def price_of(method: str, path: str) -> Price:
    """Return the price of a request."""
    method = "GET" if method == "HEAD" else method
    for price in PRICES:
        if price.method == method and price.path.match(path):
            return price
    return DEFAULT


def table_of(path: str) -> str | None:
    """Return the id of the table that a path reads, if any."""
    found = _TABLE.match(path)
    return found[1] if found else None
