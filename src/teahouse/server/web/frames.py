"""Count WebSocket frames before they are parsed, so that a flood of small ones costs little."""

from __future__ import annotations

from teahouse.server.web.rate_limit import TokenBucket

CONTROL_RATE = 5.0
CONTROL_BURST = 50.0
"""For control frames and fragments, of which clients send few."""
DATA_BURST = 200.0
_CONTROL = 0x08
"""The bit of an opcode that control frames have: close, ping, pong (RFC 6455, 5.2)."""
_CONTINUATION = 0x00
_MASK_BYTES = 4
_LENGTH_BYTES = {126: 2, 127: 8}


class FrameCounter:
    """Counts the frames of one client: messages, and control frames and fragments."""

    def __init__(self, message_rate: float) -> None:
        rate = 2 * message_rate  # above the rate tables/socket.py answers by an error first
        self._data = TokenBucket(rate, DATA_BURST + rate)
        self._control = TokenBucket(CONTROL_RATE, CONTROL_BURST)
        self._head = b""
        """The start of a frame whose header is incomplete."""
        self._skip = 0
        """Bytes of the current payload that are still to come."""

    def allow(self, data: bytes) -> bool:
        """Count the frames that begin in some data; return False if there are too many."""
        if self._skip >= len(data):
            self._skip -= len(data)
            return True
        data = self._head + data[self._skip :]
        at = 0
        while at < len(data):
            size = _head_size(data, at)
            if size is None:
                break
            opcode = data[at] & 0x0F
            control = opcode == _CONTINUATION or opcode & _CONTROL
            bucket = self._control if control else self._data
            if not bucket.take():
                return False
            at += size
        self._skip = max(0, at - len(data))
        self._head = data[at:]
        return True


def _head_size(data: bytes, at: int) -> int | None:
    """Return the bytes of the frame at an offset, or None if its head is not complete."""
    if len(data) - at < 2:
        return None
    masked, length = data[at + 1] & 0x80, data[at + 1] & 0x7F
    extra = _LENGTH_BYTES.get(length, 0)
    head = 2 + extra + (_MASK_BYTES if masked else 0)
    if extra:
        if len(data) - at < 2 + extra:
            return None
        length = int.from_bytes(data[at + 2 : at + 2 + extra], "big")
    return head + length
