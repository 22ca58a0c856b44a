"""The training loop: to the ten lines of `minimal.train` adds that it can be watched, stopped, and gone on with.

    trainer = Trainer(model, bucketed_batches(examples), TrainingConfig(steps=1000), validate=exact_match)
    trainer.train()  # press the stop button whenever you like, and run the cell again to go on

What happens at step n follows from the seed and n: the batch, the learning rate and what dropout leaves out. So a
training that was stopped, or killed and loaded from its checkpoint, goes on as if nothing had happened.

Sources: Vaswani et al. 2017, section 5; AdamW: Loshchilov and Hutter 2019; clipping: Pascanu et al. 2013.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from utils.require import require_number, require_one_of, require_whole
from utils.training.checkpoints import load_checkpoint, save_checkpoint
from utils.training.loss import translation_loss
from utils.training.progress import Progress
from utils.training.schedule import SHAPES, learning_rate

LossOf = Callable[[nn.Module, Any], tuple[Tensor, int]]  # (model, batch) -> summed loss and number of items
_OF_NO_CONSEQUENCE = ("evaluate_every", "checkpoint_every", "threads")  # for the weights that come out


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The settings of a training. The defaults suit small transformers.

    steps: how many in all. learning_rate: the highest one, reached after `warmup` steps, then following `schedule`
    (see `schedule.learning_rate`). optimizer: "adamw" with `weight_decay` on all matrices, or "adam" without. clip:
    the largest length of the gradient, None for any. evaluate_every, checkpoint_every: steps between two
    validations, and between two checkpoints. seed: of everything random in the model; batches have a seed of their own.
    threads: cores that one operation may use; None leaves it to PyTorch. Small models are fastest with 1.
    Raises ValueError or TypeError naming what doesn't fit.
    """

    steps: int = 1000
    learning_rate: float = 2e-3
    warmup: int = 60
    schedule: Literal["linear", "constant", "inverse square root"] = "linear"
    optimizer: Literal["adamw", "adam"] = "adamw"
    weight_decay: float = 0.01
    clip: float | None = 1.0
    evaluate_every: int = 100
    checkpoint_every: int = 100
    seed: int = 0
    threads: int | None = 1

    def __post_init__(self) -> None:
        for name, least in {"steps": 1, "warmup": 0, "evaluate_every": 1, "checkpoint_every": 1, "seed": 0}.items():
            require_whole(name, getattr(self, name), least)
        if self.threads is not None:
            require_whole("threads", self.threads)
        require_number("learning_rate", self.learning_rate, "above 0", lambda x: x > 0)
        require_number("weight_decay", self.weight_decay, "of at least 0", lambda x: x >= 0)
        if self.clip is not None:
            require_number("clip", self.clip, "above 0", lambda x: x > 0)
        require_one_of("schedule", self.schedule, SHAPES)
        require_one_of("optimizer", self.optimizer, ("adamw", "adam"))
        if self.warmup > self.steps:
            raise ValueError(
                f"warmup can't last longer than the training: {self.warmup} of {self.steps} steps are asked for."
            )


@dataclass
class History:
    """The measurements of a training so far."""

    losses: list[float] = field(default_factory=list)  # of step 1, 2, …: the mean over the items of its batch
    seconds: list[float] = field(default_factory=list)  # training time until then, validation not counted
    scores: list[tuple[int, float]] = field(default_factory=list)  # (after this many steps, validation score)

    @property
    def best(self) -> float:
        """Return the highest validation score; NaN when there is none."""
        return max((score for _, score in self.scores), default=math.nan)


class Trainer:
    """Trains `model` in place; the same loop for every model of this course.

    batches(n): batch number n, counted from 0; a function, so `lambda n: …` will do (`batches.bucketed_batches`).
    loss_of(model, batch): the summed loss and the number of items that it was summed over.
    validate(model): a score on validation data, asked every `evaluate_every` steps; `score_name` is its name.
    on_best(): called after a validation whose score none before has beaten, to keep the weights of that step.
    checkpoint: the file for checkpoints; none are written without it.
    clock: what `seconds` and `max_seconds` are measured by; `time.process_time` counts this process's work only.
    show: a progress bar with the last loss, the last score and the rest of the time; in a notebook curves, too.
    going_on: what takes a stopped training up again, for the person who has stopped it.
    """

    def __init__(
        self,
        model: nn.Module,
        batches: Callable[[int], Any],
        config: TrainingConfig | None = None,
        *,
        loss_of: LossOf | None = None,
        validate: Callable[[nn.Module], float] | None = None,
        score_name: str = "exact match",
        on_best: Callable[[], None] = lambda: None,
        checkpoint: str | Path | None = None,
        clock: Callable[[], float] = time.perf_counter,
        show: bool = True,
        going_on: str = "train()",
    ):
        self.model = model
        self.batches = batches
        self.config = config or TrainingConfig()
        self.history = History()
        self.step = 0  # steps done
        self._loss_of = loss_of or translation_loss()
        self._validate = validate
        self.score_name = score_name
        self._on_best = on_best
        self._checkpoint = None if checkpoint is None else Path(checkpoint)
        self._clock = clock
        self._show = show
        self._going_on = going_on
        self._parameters = [p for p in model.parameters() if p.requires_grad]
        if not self._parameters:
            raise ValueError(f"a {type(model).__name__} without parameters can't be trained.")
        self._device = self._parameters[0].device
        self.optimizer = _optimizer(self._parameters, self.config)
        self._saved_at: int | None = None  # the step that is in the checkpoint file

    @property
    def done(self) -> bool:
        return self.step >= self.config.steps

    @property
    def _seconds(self) -> float:
        return self.history.seconds[-1] if self.history.seconds else 0.0

    def train(
        self, steps: int | None = None, *, max_seconds: float | None = None, until: float | None = None
    ) -> History:
        """Train from the current step to the last step of the configuration; return the history.

        Ends sooner after `steps` more steps, after `max_seconds` more of training (validation not counted), when
        the validation score reaches `until`, or when the notebook's stop button (Ctrl+C) asks for it: the step at hand
        is finished first, so that model and history stay whole, and calling `train()` again goes on.
        Leaves the model in `eval` mode.
        Raises FloatingPointError when the loss or the gradient becomes NaN or infinite, before that step changes the
        model.
        """
        if steps is not None:
            require_whole("steps", steps)
        if max_seconds is not None:
            require_number("max_seconds", max_seconds, "above 0", lambda x: x > 0)
        last = self.config.steps if steps is None else min(self.config.steps, self.step + steps)
        with _stop_button() as stop, self._settled(), Progress(self, self._show) as progress:
            end = math.inf if max_seconds is None else self._seconds + max_seconds
            while self.step < last and not stop.is_set() and self._seconds < end:
                self._one_step()
                reached = self._test_if_due() >= (math.inf if until is None else until)
                if self.step % self.config.checkpoint_every == 0:
                    self._save_own_checkpoint()
                progress.update()
                if reached:
                    break
        self._save_own_checkpoint()
        if stop.is_set():
            done = f"Stopped after step {self.step} of {self.config.steps}"
            print(f"{done}. Nothing is lost: {self._going_on} goes on from here.")
        return self.history

    # --- checkpoints ---

    def save(self, path: str | Path) -> None:
        """Save everything that `load` needs to resume from here in one safetensors file, whole or not at all."""
        save_checkpoint(path, self.model, self.optimizer, self.step, asdict(self.history), self._description())

    def load(self, path: str | Path) -> None:
        """Return to the step, earlier or later, at which the checkpoint at `path` was written.

        Raises what `load_tensors` raises, and ValueError when the checkpoint is damaged, or of another model, another
        `TrainingConfig`, other batches or another loss; the trainer then stays as it was.
        """
        self.step, history = load_checkpoint(path, self.model, self.optimizer, self._description())
        self.history = History(**history | {"scores": [(step, score) for step, score in history["scores"]]})
        self._saved_at = self.step

    def _save_own_checkpoint(self) -> None:
        if self._checkpoint is not None and self._saved_at != self.step:
            self.save(self._checkpoint)
            self._saved_at = self.step

    def _description(self) -> dict[str, Any]:
        """Return the settings that must be the same when the training resumes."""
        model = {"class": type(self.model).__name__}
        config = getattr(self.model, "config", None)
        if is_dataclass(config):
            model.update(asdict(config))
        batches = {"fingerprint": self.batches.fingerprint()} if hasattr(self.batches, "fingerprint") else {}
        training = {name: value for name, value in asdict(self.config).items() if name not in _OF_NO_CONSEQUENCE}
        loss = {name: getattr(self._loss_of, name) for name in ("smoothing", "begin") if hasattr(self._loss_of, name)}
        return {"model": model, "training": training, "batches": batches, "loss": loss}

    # --- one step ---

    def _one_step(self) -> None:
        start = self._clock()
        self.model.train()
        # What is random at step n depends on the seed and n alone, so there is no random state to save.
        self._seed_random_numbers()
        batch = self.batches(self.step)
        if hasattr(batch, "to"):
            batch = batch.to(self._device)
        total, items = self._loss_of(self.model, batch)
        if not items:
            raise ValueError(f"batch {self.step} has nothing to predict: its loss counts 0 items.")
        loss = total.item() / items
        self._require_finite("loss", loss)
        self.optimizer.zero_grad(set_to_none=True)
        (total * (1 / items)).backward()
        length = nn.utils.clip_grad_norm_(self._parameters, self.config.clip or math.inf).item()
        self._require_finite("gradient", length)
        self._update()
        self.step += 1
        self.history.losses.append(loss)
        self.history.seconds.append(self._seconds + self._clock() - start)

    def _require_finite(self, what: str, value: float) -> None:
        if not math.isfinite(value):
            raise FloatingPointError(
                f"the {what} became {value} at step {self.step + 1}: begin anew with a learning_rate below "
                f"{self.config.learning_rate:g} or a longer warm-up than {self.config.warmup} steps."
            )

    def _seed_random_numbers(self) -> None:
        # A distinct seed for every seed and step; PyTorch's generator takes 32 bits of it.
        seed = int(np.random.SeedSequence([self.config.seed, self.step]).generate_state(1)[0])
        if self._device.type == "cpu":  # `torch.manual_seed` writes a stack trace for every absent device, each time
            torch.default_generator.manual_seed(seed)
        else:
            torch.manual_seed(seed)

    def _update(self) -> None:
        config = self.config
        rate = learning_rate(
            self.step + 1, peak=config.learning_rate, warmup=config.warmup, steps=config.steps, shape=config.schedule
        )
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()

    def _test_if_due(self) -> float:
        """Return the validation score if it is due at this step; else a value below every score."""
        if self._validate is None or (self.step % self.config.evaluate_every and not self.done):
            return -math.inf
        self.model.eval()
        with torch.no_grad():
            score = float(self._validate(self.model))
        if not score < self.history.best:  # `best` is NaN before the first score
            self._on_best()
        self.history.scores.append((self.step, score))
        return score

    @contextmanager
    def _settled(self) -> Iterator[None]:
        """Use as many threads as configured inside; put threads, random numbers and mode back afterwards."""
        threads = torch.get_num_threads()
        devices = [self._device] if self._device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            torch.set_num_threads(self.config.threads or threads)
            try:
                yield
            finally:
                torch.set_num_threads(threads)
                self.model.eval()


@contextmanager
def _stop_button() -> Iterator[threading.Event]:
    """Set the event at the first press of the stop button (SIGINT), and interrupt at once at the second."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # only there can signals be caught, or arrive
        yield pressed
        return

    def press(*_: Any) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _optimizer(parameters: list[nn.Parameter], config: TrainingConfig) -> torch.optim.Optimizer:
    """Make Adam as the paper sets it, β₂ = 0.98; AdamW decays matrices, not biases, γ and β."""
    fused = parameters[0].device.type in ("cpu", "cuda")  # one pass over all numbers: faster, the same to 1e−7
    options = {"lr": config.learning_rate, "betas": (0.9, 0.98), "eps": 1e-9, "fused": fused}
    if config.optimizer == "adam":
        return torch.optim.Adam(parameters, **options)
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([group for group in groups if group["params"]], **options)
