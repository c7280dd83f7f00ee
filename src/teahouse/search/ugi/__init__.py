"""The Universal Game Interface (UGI): engines as programs that read and write lines of text."""

from teahouse.search.ugi.errors import EngineFailure
from teahouse.search.ugi.player import UgiPlayer, parse_ugi
from teahouse.search.ugi.protocol import Go

__all__ = ["EngineFailure", "Go", "UgiPlayer", "parse_ugi"]
