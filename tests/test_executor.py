"""Executors: the same results in this process, in several and on a Ray cluster."""

import os
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from support.jobs import Squares

import teahouse as th
from teahouse.core.executor import Executor, LocalExecutor, TaskError, ray_connection
from teahouse.core.executor.ray_cluster import RayExecutor
from teahouse.core.executor.ray_nodes import HEAD, Nodes
from teahouse.core.executor.ray_worker import JobKey, files_digest, run_task
from teahouse.search.arena import MatchProgress, MatchResults, play_match
from teahouse.search.proof.moves import MoveSolver, value_of_move

SMALL = th.load("orochi", side=2)
PLAYERS = ("uct:simulations=300", "random")
NUMBERS = [*range(13)]
TOKEN = os.urandom(16).hex()


@pytest.fixture(autouse=True)
def ray_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start clusters that accept this process only; Ray reads the mode once for all tests."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", TOKEN)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    folders = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))  # `support.jobs`


def played(results: MatchResults) -> list[tuple[int, int | None, str]]:
    return [(game.pairing.number, game.winner, game.record) for game in results.games]


def check_executor(executor: Executor) -> None:
    assert dict(executor.map(Squares(), NUMBERS)) == {task: task * task for task in NUMBERS}
    assert list(executor.map(Squares(), [])) == []
    cancel = Event()
    for task, _ in executor.map(Squares(), count(20), cancel):
        assert task >= 20
        cancel.set()
    with pytest.raises(th.OptionError, match="13 is not allowed"):
        list(executor.map(Squares(), [13]))


@pytest.mark.parametrize("processes", [1, 2])
def test_tasks_of_this_machine(processes: int) -> None:
    executor = LocalExecutor(processes)
    check_executor(executor)
    assert executor.status() == ""
    assert executor.capacity == processes


def test_failures_in_worker_processes() -> None:
    executor = LocalExecutor(2)
    with pytest.raises(TaskError, match="ZeroDivisionError: 14"):
        list(executor.map(Squares(), [14]))
    with pytest.raises(TaskError, match="A worker process died"):
        list(executor.map(Squares(), [15]))
    with pytest.raises(th.OptionError, match="processes must be an integer of at least 1"):
        LocalExecutor(0)


def test_moves_are_solved_as_tasks() -> None:
    start = SMALL.start()
    solver = MoveSolver(start, tablebase=False)
    found = dict(LocalExecutor().map(solver, ["", *start.legal]))
    values = {move: value_of_move(start, start.play(move), found[move]) for move in start.legal}
    assert found[""].value == ("win" if "win" in values.values() else "loss")
    direct = th.solve(start.play(start.legal[0]), tablebase=False).value
    assert values[start.legal[0]] == {"win": "loss", "loss": "win"}[direct or ""]


def row(name: str, node: str, cores: int, alive: bool = True, head: bool = False) -> dict[str, Any]:
    resources = {"CPU": float(cores)} if cores else {}
    return {
        "NodeID": node,
        "NodeManagerHostname": name,
        "Alive": alive,
        "Resources": resources | {HEAD: 1.0} if head else resources,
    }


def test_nodes_join_and_are_lost() -> None:
    nodes = Nodes()
    table = [row("b", "2", 4), row("a", "1", 2, head=True), row("b", "3", 1), row("c", "4", 0)]
    assert nodes.update(table) == (["1", "2", "3"], [])
    assert nodes.describe() == "a starting, b starting, b#2 starting"
    assert nodes.slots(1) == (7, 1)
    assert nodes.slots(2) == (3, 2)
    assert nodes.slots(8) == (1, 4)  # on the largest node
    nodes["1"].done = 3
    nodes["2"].ready = True
    assert nodes.update([row("b", "2", 4, alive=False)]) == ([], ["2"])
    assert nodes.describe() == "a 3, b 0 (lost), b#2 starting"
    assert nodes.slots(1) == (3, 1)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nonsense", "must be local, auto, HOST:PORT or ray://HOST:PORT, got 'nonsense'"),
        ("ray://", "must be local, auto"),
        ("127.0.0.1:99999", "must be local, auto"),
        ("127.0.0.1:9", "No Ray cluster answers at 127.0.0.1:9"),
        ("ray://127.0.0.1:9", "No Ray cluster answers at 127.0.0.1:9"),
    ],
)
def test_addresses_without_a_cluster(address: str, message: str) -> None:
    with pytest.raises(th.OptionError, match=message):
        RayExecutor(address)


def test_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_connection, "find_spec", lambda _: None)
    with pytest.raises(th.OptionError, match=r"pip install 'teahouse\[ray\]'"):
        RayExecutor("auto")


@pytest.mark.filterwarnings("ignore")
def test_cluster_of_one_node() -> None:
    notices: list[str] = []
    with RayExecutor("local", 1, notices.append) as executor:
        assert executor.capacity == 1
        check_executor(executor)
        with pytest.raises(TaskError, match="ZeroDivisionError: 14"):
            list(executor.map(Squares(), [14]))
        results = play_match(SMALL, PLAYERS, 6, executor=executor)
        assert played(results) == played(play_match(SMALL, PLAYERS, 6))
        node = executor.nodes[0]
    assert executor.status() == f"{node.name} {node.done}"
    assert notices[0] == f"Node {node.name} (1 core) starts. What it lacks is compiled once."


def test_other_code_on_a_node_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teahouse.core.executor.ray_worker._node_id", lambda: "1")
    own = JobKey.new("job")
    answer = run_task(JobKey("job", "0.0.1", own.code), b"", 1)
    assert "not the teahouse 0.0.1 of this machine" in str(answer.error)
    answer = run_task(JobKey("job", own.version, "other"), b"", 1)
    assert "other code of teahouse" in str(answer.error)


def test_nodes_are_compared_by_all_that_results_depend_on(tmp_path: Path) -> None:
    def digest_with(name: str, text: str) -> str:
        (tmp_path / "games" / "orochi" / name).write_text(text)
        return files_digest(tmp_path, ["games"])

    (tmp_path / "games" / "orochi").mkdir(parents=True)
    first = digest_with("bots.json", "{}")
    assert first == digest_with("test_rules.py", "") == digest_with("rules.md", "# Orochi")
    others = [("rules.py", "x = 1"), ("bots.json", '{"levels": {}}'), ("side=4.onnx", "network")]
    assert len({first, *(digest_with(*other) for other in others)}) == 4


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_match_on_two_nodes_of_which_one_is_killed(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    node_settings = {"num_cpus": 1, "object_store_memory": 80_000_000}
    cluster = Cluster(
        initialize_head=True, head_node_args={**node_settings, "include_dashboard": False}
    )
    notices: list[str] = []
    try:
        with RayExecutor(cluster.address, notify=notices.append) as executor:
            second = cluster.add_node(**node_settings)  # the driver is on the first
            for _ in executor.map(Squares(), count(20)):
                if len(executor.nodes) == 2 and all(node.done for node in executor.nodes):
                    break
            before = executor.nodes[1].done
            killed = False

            def kill(progress: MatchProgress) -> None:
                nonlocal killed
                if not killed and executor.nodes[1].done >= before + 3:
                    cluster.remove_node(second, allow_graceful=False)
                    killed = True

            results = play_match(SMALL, PLAYERS, 300, tmp_path, executor=executor, progress=kill)
            done = sum(node.done for node in executor.nodes)
    finally:
        cluster.shutdown()
    assert killed
    assert len(results.games) == 300
    assert done > 300
    alone = play_match(SMALL, PLAYERS, 300)
    assert played(results) == played(alone)
    assert results.elo(PLAYERS[1]) == alone.elo(PLAYERS[1])
    assert played(play_match(SMALL, PLAYERS, 300, tmp_path)) == played(alone)
