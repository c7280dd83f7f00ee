"""Batched evaluation of observations: a cache of results, and a random symmetry for each."""

from __future__ import annotations

from threading import Lock
from zlib import crc32

import numpy as np

from teahouse.core.symmetries import Symmetries
from teahouse.search.networks import Network

MAX_SYMMETRIES = 64
CRC_MASK = (1 << 32) - 1


class Evaluator:
    """Evaluates observations by a network; several threads may call it at once.

    The symmetry under which a position is shown to the network depends on the seed and the
    position, so searches with different seeds differ.
    """

    def __init__(self, network: Network, seed: int, memory: int) -> None:
        """Keep up to `memory` bytes of results."""
        self._network = network
        self._seed = seed
        self._symmetries = Symmetries.of(network.game)
        self._cache: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
        self._memory = memory
        self._capacity = 0  # entries, set when the first one shows its size
        self._storing = Lock()
        self.evaluations = 0
        """Observations that the network has evaluated."""

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the policy logits and the value logits of a batch of observations."""
        keys = [row.tobytes() for row in planes]
        found = [self._cache.get(key) for key in keys]
        missing = [index for index, result in enumerate(found) if result is None]
        if missing:
            logits, values = self._evaluate(planes[missing], [keys[index] for index in missing])
            if len(missing) == len(keys):
                self._store(keys, logits, values)
                return logits, values
            self._store([keys[index] for index in missing], logits, values)
            for number, index in enumerate(missing):
                found[index] = (logits[number], values[number])
        results = [result for result in found if result is not None]
        return np.stack([logits for logits, _ in results]), np.stack([v for _, v in results])

    def _evaluate(self, planes: np.ndarray, keys: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
        count = min(len(self._symmetries.names), MAX_SYMMETRIES)
        if count == 1:
            return self._network.evaluate(planes)
        chosen = [crc32(key, self._seed & CRC_MASK) % count for key in keys]
        source = self._symmetries.plane_source[chosen]
        shown = np.take_along_axis(planes, source[:, None, :], axis=2)
        logits, values = self._network.evaluate(shown)
        return np.take_along_axis(logits, self._symmetries.action_image[chosen], axis=1), values

    def _store(self, keys: list[bytes], logits: np.ndarray, values: np.ndarray) -> None:
        with self._storing:
            self.evaluations += len(keys)
            if not self._capacity:
                entry = len(keys[0]) + logits[0].nbytes + values[0].nbytes + 500  # object overhead
                self._capacity = max(1, self._memory // entry)
            for key, row, value in zip(keys, logits, values, strict=True):
                if len(self._cache) >= self._capacity:
                    del self._cache[next(iter(self._cache))]
                self._cache[key] = (row.copy(), value.copy())
