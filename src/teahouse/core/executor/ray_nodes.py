"""The nodes of a Ray cluster: which are there, which are ready, and what they have done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

HEAD = "node:__internal_head__"  # a resource of the node that the cluster was started on


@dataclass
class Node:
    """A node that has taken part in a job."""

    name: str
    cores: float
    alive: bool = True
    ready: bool = False
    done: int = 0

    def describe(self) -> str:
        """Return the name with the number of tasks done."""
        if not self.alive:
            return f"{self.name} {self.done} (lost)"
        return f"{self.name} {self.done}" if self.ready or self.done else f"{self.name} starting"


class Nodes:
    """The nodes of a cluster by id, the first seen first."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}

    def __getitem__(self, node_id: str) -> Node:
        return self._nodes[node_id]

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def update(self, table: Iterable[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
        """Take over Ray's table of nodes; return the ids of new ones and of lost ones."""
        new, lost = [], []
        for row in sorted(table, key=lambda row: HEAD not in row["Resources"]):
            node_id, cores = row["NodeID"], float(row["Resources"].get("CPU", 0))
            known = self._nodes.get(node_id)
            if known is None:
                if row["Alive"] and cores:
                    self._nodes[node_id] = Node(self._new_name(row), cores)
                    new.append(node_id)
            elif known.alive and not row["Alive"]:
                known.alive = False
                lost.append(node_id)
        return new, lost

    def _new_name(self, row: Mapping[str, Any]) -> str:
        """Return the host's name; several nodes of a host are numbered."""
        host = str(row["NodeManagerHostname"])
        same = sum(node.name.partition("#")[0] == host for node in self._nodes.values())
        return f"{host}#{same + 1}" if same else host

    def slots(self, cores: int) -> tuple[int, int]:
        """Return how many tasks of so many cores run at once, and the cores that each is given.

        A task that needs more cores than any node has is given all cores of the largest node.
        """
        sizes = [node.cores for node in self._nodes.values() if node.alive]
        given = max(1, min(cores, int(max(sizes, default=1))))
        return max(1, sum(int(size // given) for size in sizes)), given

    def describe(self) -> str:
        """Return all nodes with the number of tasks done."""
        return ", ".join(node.describe() for node in self._nodes.values())
