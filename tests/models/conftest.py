"""Where the models of these tests run."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(scope="session", params=["cpu"] + ["cuda"] * torch.cuda.is_available())
def device(request):
    """Where a test runs: on the processor, and on a GPU too where there is one."""
    return request.param
