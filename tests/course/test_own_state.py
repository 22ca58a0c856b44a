"""The judge's own state: right answers pass whatever a student has set, and all that is set stays as it was."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import tempfile
import warnings
from unittest import mock

import numpy as np
import pytest

from utils.course.exercises import EXERCISES, Verdict, diagnosis, judged, tensors
from utils.models import minimal

torch = pytest.importorskip("torch")


class Bend(torch.nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.widen, self.narrow = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return x + self.narrow(torch.nn.functional.relu(self.widen(x)))


def weights(X, W_Q, W_K):
    S = X @ W_Q @ (X @ W_K).T / W_K.shape[1] ** 0.5
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


RIGHT = {
    "12a.encoder": minimal.EncoderLayer,
    "12a.train": minimal.train,
    "09b.bend": Bend,
    "05.weights": weights,
}


def only_raises(*_, **__):
    raise RuntimeError("mat1 and mat2 must have the same dtype")


@contextlib.contextmanager
def called(put, value, back):
    put(value)
    try:
        yield
    finally:
        put(back)


@contextlib.contextmanager
def no_folder():
    before, folder = os.getcwd(), tempfile.mkdtemp()
    os.chdir(folder)
    os.rmdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


SETTINGS = {
    "float64": lambda: called(torch.set_default_dtype, torch.float64, torch.float32),
    "device": lambda: called(torch.set_default_device, "meta", None),
    "no gradients": lambda: called(torch.set_grad_enabled, False, True),
    "inference": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "NumPy's errors": lambda: np.errstate(all="raise"),
    "warnings": lambda: warnings.catch_warnings(action="error"),
    "folder": no_folder,
    "np.exp": lambda: mock.patch.object(np, "exp", lambda x: x),
}


def state():
    """What a student can set, as it is now."""
    try:
        folder = os.getcwd()
    except OSError:
        folder = None
    return {
        "dtype": torch.get_default_dtype(),
        "device": torch.get_default_device(),
        "gradients": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "threads": torch.get_num_threads(),
        "torch's draws": bytes(torch.get_rng_state().numpy()),
        "NumPy's draws": repr(np.random.get_state()[1:]) + str(np.random.get_state()[1].sum()),
        "Python's draws": random.getstate(),
        "errors": np.geterr(),
        "warnings": [*warnings.filters],
        "folder": folder,
        "functions": [np.exp, torch.nn.functional.relu],
    }


def forget():
    """What is kept of earlier checks."""
    for kept in (diagnosis._expected, tensors._weights, sys.modules["lessons.exercises_12a"]._course_part):
        kept.cache_clear()


def judged_in(names, exercise, answer):
    """Judge `answer` with the settings `names`; returns the diagnosis and what has been changed of them."""
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(SETTINGS[name]())
        before = state()
        told = judged(EXERCISES[exercise], answer)
        after = state()
    return told, [key for key, value in before.items() if after[key] != value]


@pytest.mark.parametrize("name", SETTINGS)
def test_judged_passes_right_answers_in_any_state_and_never_errors(name):
    for exercise, answer in RIGHT.items():
        forget()
        told, changed = judged_in([name], exercise, only_raises)
        assert (told.verdict, told.finding, changed) == (Verdict.MISTAKE, None, []), (exercise, told.sentence)
        told, changed = judged_in([name], exercise, answer)
        assert (told.verdict, changed) == (Verdict.PASSED, []), (exercise, told.sentence, told.details)
        assert judged(EXERCISES[exercise], answer).sentence.startswith("Correct: ")
        forget()
        assert judged(EXERCISES[exercise], only_raises).finding is None
        assert judged_in([name], exercise, answer) == (told, [])


def test_judged_names_the_setting_with_which_a_right_answer_fails():
    told, _ = judged_in(["float64", "device"], "12a.encoder", minimal.EncoderLayer)
    for word in ("torch.set_default_dtype(torch.float64)", 'torch.set_default_device("meta")', "RuntimeError"):
        assert word in told.sentence
    told, _ = judged_in(["np.exp"], "05.weights", weights)
    assert "numpy.exp" in told.sentence and "Error" not in told.sentence
