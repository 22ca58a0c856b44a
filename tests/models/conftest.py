"""The models of these tests are so small that a second thread costs more than it brings."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True, scope="package")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session", params=["cpu"] + ["cuda"] * torch.cuda.is_available())
def device(request):
    """Where a test runs: on the processor, and on a GPU too where there is one."""
    return request.param
