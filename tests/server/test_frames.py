"""Counting frames gives what the parser finds, however the data is cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from teahouse.server.web import frames
from teahouse.server.web.frames import CONTROL_BURST, DATA_BURST, FrameCounter
from teahouse.server.web.rate_limit import TokenBucket

CONTROL = (Opcode.PING, Opcode.PONG, Opcode.CLOSE)
COUNTED_AS_CONTROL = (*CONTROL, Opcode.CONT)


class CountingBucket(TokenBucket):
    """Allows everything and counts it."""

    count = 0

    def take(self, cost: float = 1.0) -> bool:
        self.count += 1
        return True


def serialize(opcode: Opcode, payload: bytes, fin: bool = True) -> bytes:
    return Frame(opcode, payload, fin).serialize(mask=True)


@given(
    sent=st.lists(
        st.tuples(
            st.sampled_from(list(Opcode)),
            st.sampled_from([0, 1, 3, 125, 126, 127, 300, 65_535, 65_536]),
        ),
        max_size=8,
    ),
    sizes=st.lists(st.integers(1, 5_000), min_size=1, max_size=40),
)
def test_every_frame_is_counted_once(sent: list[tuple[Opcode, int]], sizes: list[int]) -> None:
    data = b"".join(
        serialize(opcode, b"x" * (min(size, 125) if opcode in CONTROL else size))
        for opcode, size in sent
    )
    counter: Any = FrameCounter(10.0)
    counter._data, counter._control = CountingBucket(1, 1), CountingBucket(1, 1)
    at = 0
    for size in (*sizes, len(data)):
        assert counter.allow(data[at : at + size])
        at += size
    assert counter._control.count == sum(opcode in COUNTED_AS_CONTROL for opcode, _ in sent)
    assert counter._data.count == sum(opcode not in COUNTED_AS_CONTROL for opcode, _ in sent)


@pytest.mark.parametrize(
    ("opcode", "payload", "fin", "burst"),
    [
        (Opcode.PING, b"", True, CONTROL_BURST),
        (Opcode.PONG, b"x", True, CONTROL_BURST),
        (Opcode.CONT, b"", False, CONTROL_BURST),
        (Opcode.TEXT, b"{}", True, DATA_BURST + 20),
    ],
)
def test_floods_are_refused(
    opcode: Opcode, payload: bytes, fin: bool, burst: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 1.0)
    one = serialize(opcode, payload, fin)
    assert FrameCounter(10.0).allow(one * int(burst))
    assert not FrameCounter(10.0).allow(one * (int(burst) + 1))
    counter = frames.FrameCounter(10.0)
    assert [counter.allow(one) for _ in range(int(burst) + 1)] == [True] * int(burst) + [False]
