"""Training: alternate self-play and gradient steps until the time is up."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import torch
from torch import nn

from teahouse.core.encoding import observation_spec
from teahouse.core.errors import DeviceError
from teahouse.core.game import Game
from teahouse.core.symmetries import Symmetries
from teahouse.core.validate import check_int
from teahouse.learn.checkpoint import (
    CHECKPOINT,
    Checkpoint,
    CheckpointError,
    WriteError,
    append_log,
    load_checkpoint,
    locked_run,
    save_checkpoint,
    trim_log,
)
from teahouse.learn.evaluator import Evaluator
from teahouse.learn.gradient import GradientStep, LossSettings
from teahouse.learn.network import NetworkShape, PolicyValueNetwork, check_outputs
from teahouse.learn.selfplay import Sample, SelfPlay, SelfPlaySettings
from teahouse.learn.snapshots import next_snapshot, save_snapshot
from teahouse.learn.threads import torch_threads

REPORT_SECONDS = 5.0
CHECKPOINT_SECONDS = 60.0
LARGE_BOARD = 128  # cells; larger boards get a narrower network, which is as fast
LARGE_BOARD_CHANNELS = 32
MAX_POLICY_NUMBERS = 2 << 30  # numbers of the policies in the replay buffer
MIN_RING = 16  # steps of the smallest replay buffer


class TrainingError(RuntimeError):
    """A training run cannot continue."""


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of a training run."""

    minutes: float = 10.0
    """Training time of the whole run, across interruptions."""
    seed: int = 1
    """Seed of weights and games."""
    shape: NetworkShape = field(default_factory=NetworkShape)
    """Size of the network."""
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    """Settings of the games."""
    simulations: tuple[tuple[float, int], ...] = ((0.0, 16), (0.25, 24), (0.6, 32))
    """Simulations per action from each fraction of the run on."""
    batch: int = 4_096
    """Positions in a gradient step."""
    updates: int = 4
    """Gradient steps after each step of all games."""
    warmup: int = 32
    """Steps of self-play before the first gradient step."""
    learning_rate: float = 1.5e-3
    """The highest learning rate of the run."""
    final_rate: float = 0.05
    """Learning rate at the end, as a fraction."""
    weight_decay: float = 1e-4
    """Decay of the weights (AdamW)."""
    value_weight: float = 1.0
    """Weight of the value's loss; the policy's is 1."""
    final_planes_weight: float = 0.5
    """Weight of the loss of the planes at the game's end."""
    averaging: float = 0.999
    """Decay of the exponential moving average of the weights, which is what is exported."""
    threads: int = 1
    """PyTorch's threads on a CPU; on small boards several take longer than one."""


@dataclass(frozen=True)
class Report:
    """Progress of a run."""

    seconds: float
    """Training time so far, across interruptions."""
    step: int
    """Steps of all games since the run was started or resumed."""
    positions: int
    """Positions since the run was started or resumed."""
    positions_per_second: float
    """Self-play positions per second since the run was started or resumed."""
    games: int
    """Games finished since the run was started or resumed."""
    proven: float
    """Share of the searches that proved their position."""
    first_side: float
    """Share of the games that the first side won."""
    policy_loss: float
    """Mean cross entropy with the improved policies."""
    value_loss: float
    """Mean cross entropy with the results."""
    final_planes_loss: float
    """Mean loss of the planes at the game's end."""
    learning_rate: float
    """The learning rate now."""
    simulations: int
    """Simulations for each action now."""


class Trainer:
    """A training run in a folder, with checkpoint and log; resumes where it stopped.

    A custom network maps planes to policy logits, value logits and, if it has a third output,
    to logits of the final planes, as `PolicyValueNetwork` does.
    """

    def __init__(
        self,
        game: Game,
        folder: Path | str,
        settings: TrainingSettings,
        device: str = "cuda",
        network: nn.Module | None = None,
    ) -> None:
        check_device(device)
        most = max(count for _, count in settings.simulations)
        check_int("simulations", most, 1, settings.selfplay.simulations)
        self.game = game
        self.folder = folder = Path(folder)
        self.settings = settings
        self.device = device
        self.seconds = 0.0
        torch.manual_seed(settings.seed)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(folder, folder, error) from error
        if network is not None:
            check_outputs(network, game)
        self.network = (network or PolicyValueNetwork(game, settings.shape)).to(device)
        if device == "cuda":
            torch.backends.cudnn.benchmark = True
            torch.set_float32_matmul_precision("high")
            self.network.to(memory_format=torch.channels_last)
        planes = observation_spec(game).planes
        self._gradient = GradientStep(
            self.network,
            LossSettings(
                settings.value_weight,
                settings.final_planes_weight,
                settings.weight_decay,
                settings.averaging,
            ),
            torch.tensor([[1 / one.max_value] for one in planes], device=device),
            device,
        )
        self._resume()
        dtype = torch.bfloat16 if device == "cuda" else torch.float32
        self.evaluator = Evaluator(self.network, dtype, optimized=device == "cuda")
        seed = settings.seed + round(self.seconds)  # a resumed run plays new games
        self.selfplay = SelfPlay(game, settings.selfplay, self.evaluator, device, seed)
        self._random = torch.Generator(device).manual_seed(seed)
        tables = Symmetries.of(game)
        self._plane_source = torch.tensor(tables.plane_source, device=device).long()
        self._action_source = torch.tensor(tables.action_source, device=device).long()

    @property
    def average(self) -> nn.Module:
        """The network with the moving average of the weights, which is what is exported.

        Self-play uses the latest weights.
        """
        return self._gradient.average

    @property
    def updates(self) -> int:
        """Gradient steps of the whole run."""
        return self._gradient.updates

    def _resume(self) -> None:
        found = load_checkpoint(self.folder, self.game, self.device)
        if found is None:
            return
        try:
            self.network.load_state_dict(found.network)
            self.average.load_state_dict(found.average)
            self._gradient.load(found.optimizer)
            self.seconds = float(found.seconds)
            self._gradient.updates = int(found.updates)
        except Exception as error:
            raise CheckpointError(
                f"{self.folder / CHECKPOINT} holds a network of another shape; resume with the"
                " same blocks and channels, or choose another folder."
            ) from error

    def save(self) -> None:
        """Write a checkpoint; raise `TrainingError` and keep the last one if training diverged."""
        save_checkpoint(self.folder, self._checkpoint())

    def _checkpoint(self) -> Checkpoint:
        self._check_finite()
        return Checkpoint(
            game=self.game.name,
            options=self.game.options,
            settings=asdict(self.settings),
            network=self.network.state_dict(),
            average=self.average.state_dict(),
            optimizer=self._gradient.optimizer.state_dict(),
            seconds=self.seconds,
            updates=self.updates,
        )

    def run(
        self,
        stop_after: float | None = None,
        steps: int | None = None,
    ) -> Iterator[Report]:
        """Train; yield a report every few seconds and at the end.

        Stop when the run's minutes are used up, or after `stop_after` seconds of this call. With
        `steps`, train for so many steps instead of the run's minutes. Write a checkpoint every
        minute and before the last report, and a snapshot of the network at doubling times; call
        `save` if you stop iterating before. Yield nothing if the run is complete. On a CPU, PyTorch
        uses `settings.threads` threads during the call. Raise `TrainingError` if training diverges,
        `CheckpointError` if another process trains in the folder or has done so since this trainer
        was made.
        """
        threads = self.settings.threads if self.device == "cpu" else torch.get_num_threads()
        with locked_run(self.folder), torch_threads(threads):
            found = load_checkpoint(self.folder, self.game)
            if found is None:
                self.save()  # detect a full disk now, not after the first minute
            elif found.seconds > self.seconds:
                raise CheckpointError(
                    f"Another process has trained in {self.folder} in the meantime; run the same"
                    " command again to go on from there."
                )
            trim_log(self.folder, self.seconds)
            yield from self._run(stop_after, steps)

    def _run(self, stop_after: float | None, steps: int | None) -> Iterator[Report]:
        total = 60 * self.settings.minutes
        if self.seconds >= total and steps is None:
            return
        before, first_step = self.seconds, self.selfplay.step
        snapshot_due = next_snapshot(before)
        start: float | None = None
        reported = saved = 0.0
        while True:
            fraction = min(1.0, self.seconds / total)
            self.selfplay.search(self._simulations(fraction))
            self.selfplay.act()
            if start is None:  # compilation does not count
                self._synchronize()
                start = reported = saved = time.monotonic()
            if self.selfplay.step >= self.settings.warmup:
                for _ in range(self.settings.updates):
                    self._update(self._rate(fraction))
                self.evaluator.update()
            now = time.monotonic()
            if now - reported >= REPORT_SECONDS or self.device == "cpu":
                self._synchronize()
                now = time.monotonic()
            self.seconds = before + now - start
            elapsed, taken = now - start, self.selfplay.step - first_step
            ended = (self.seconds >= total if steps is None else taken >= steps) or (
                stop_after is not None and elapsed >= stop_after
            )
            report: Report | None = None
            if ended or now - reported >= REPORT_SECONDS:
                self._check_finite()
                report = self._report(elapsed, taken)
                append_log(self.folder, asdict(report))
                reported = now
            snapshot = self.seconds >= snapshot_due
            if ended or snapshot or now - saved >= CHECKPOINT_SECONDS:
                self.save()  # before the snapshot, which a resumed run does not take again
                saved = now
            if snapshot:
                save_snapshot(self.folder, self._checkpoint())
                snapshot_due = next_snapshot(self.seconds)
            if report is not None:
                yield report  # after the last one nothing is left to do
            if ended:
                return

    def _simulations(self, fraction: float) -> int:
        return [count for begin, count in self.settings.simulations if begin <= fraction][-1]

    def _rate(self, fraction: float) -> float:
        """Return the learning rate: a cosine over the run, after a short warm-up."""
        settings = self.settings
        cosine = 0.5 * (1 + math.cos(math.pi * fraction))
        rate = settings.learning_rate * max(settings.final_rate, cosine)
        return rate * min(1.0, (self.updates + 1) / 200)

    def _update(self, rate: float) -> None:
        """Take one gradient step on rows of the replay buffer, each under a random symmetry."""
        sample = self.selfplay.sample(self.settings.batch, self._random)
        self._gradient(self._augment(sample), rate)

    def _augment(self, sample: Sample) -> Sample:
        rows = len(sample.planes)
        count = len(self._plane_source)
        if count == 1:
            return sample
        chosen = torch.randint(0, count, (rows,), device=self.device, generator=self._random)
        source = self._plane_source[chosen][:, None, :].expand(-1, sample.planes.shape[1], -1)
        return Sample(
            sample.planes.gather(2, source),
            sample.policies.gather(1, self._action_source[chosen]),
            sample.values,
            sample.final_planes.gather(2, source),
            sample.weights,
        )

    def _check_finite(self) -> None:
        """Raise `TrainingError` if a loss or a weight is not finite."""
        weights = self.network.parameters()
        if not (
            all(map(math.isfinite, self._gradient.losses))
            and all(bool(one.isfinite().all()) for one in weights)
        ):
            raise TrainingError(
                "Training diverged: a loss or a weight is not finite. The last checkpoint is"
                " unchanged: resume from there, in Python with a lower learning_rate."
            )

    def _report(self, elapsed: float, taken: int) -> Report:
        """Return the progress, after `taken` steps in `elapsed` seconds without the first step."""
        self._synchronize()
        counts = self.selfplay.statistics()
        games = self.settings.selfplay.games
        positions = self.selfplay.step * games
        timed = (taken - 1) * games  # without the first step, which compiles
        policy, value, final = self._gradient.losses
        return Report(
            seconds=round(self.seconds, 1),
            step=self.selfplay.step,
            positions=positions,
            positions_per_second=round(timed / max(elapsed, 1e-9)),
            games=int(counts["games"]),
            proven=round(counts["proven"] / max(1, positions), 4),
            first_side=round(counts["wins_0"] / max(1, counts["games"]), 4),
            policy_loss=round(policy, 4),
            value_loss=round(value, 4),
            final_planes_loss=round(final, 4),
            learning_rate=self._rate(min(1.0, self.seconds / 60 / self.settings.minutes)),
            simulations=self._simulations(min(1.0, self.seconds / 60 / self.settings.minutes)),
        )

    def _synchronize(self) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()


def check_device(device: str) -> None:
    """Raise `DeviceError` if the device is unknown or missing."""
    if device not in ("cpu", "cuda"):
        raise DeviceError(f"Unknown device {device!r}; devices: cpu, cuda.")
    if device == "cuda" and not torch.cuda.is_available():
        raise DeviceError(
            "device cuda requires an NVIDIA GPU and its driver; none was found here: use device cpu"
        )


def default_settings(
    game: Game, device: str, minutes: float, seed: int, games: int | None = None
) -> TrainingSettings:
    """Return settings for a game: a large batch on a GPU, a small network and batch on a CPU.

    The replay buffer of many games or actions holds fewer steps, so that it fits into memory.
    Raise `OptionError` if it does not even with the fewest.
    """
    settings = TrainingSettings(minutes=minutes, seed=seed)
    spec = observation_spec(game)
    if device == "cpu":
        settings = replace(
            settings,
            shape=NetworkShape(blocks=2, channels=16),
            selfplay=SelfPlaySettings(games=64, simulations=16, considered=8, ring=64),
            simulations=((0.0, 8), (0.5, 16)),
            batch=256,
            updates=4,
            warmup=8,
        )
    elif spec.shape[0] * spec.shape[1] > LARGE_BOARD:
        settings = replace(settings, shape=replace(settings.shape, channels=LARGE_BOARD_CHANNELS))
    selfplay = replace(settings.selfplay, games=games or settings.selfplay.games)
    most = MAX_POLICY_NUMBERS // (MIN_RING * spec.action_count)
    check_int("games", selfplay.games, 2, most)
    ring = selfplay.ring
    while ring * selfplay.games * spec.action_count > MAX_POLICY_NUMBERS:
        ring //= 2
    return replace(settings, selfplay=replace(selfplay, ring=ring))
