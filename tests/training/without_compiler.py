"""Whoever imports this trains without PyTorch's compiler, which optimizers import, for seconds, to shut it out."""

from __future__ import annotations

import sys
from types import ModuleType

import torch

compiler = ModuleType("torch._dynamo")
compiler.disable = lambda function, *_, **__: function
compiler.graph_break = lambda: None
torch._dynamo = sys.modules["torch._dynamo"] = compiler
