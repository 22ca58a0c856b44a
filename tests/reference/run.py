"""`make test-reference`: what the library computes, in an environment of its own, beside what ours does."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from utils.models import minilm

HERE = Path(__file__).parent
ENVIRONMENT = minilm.FOLDER.parents[1] / "reference"
PINS = HERE.parents[1] / "constraints.txt"
PACKAGES = ["transformers==5.23.0", "torch", "tokenizers", "safetensors", "numpy"]  # the first is in no other place


def main() -> int:
    """0 where all hidden states agree."""
    if not minilm.has_minilm():
        minilm.fetch()
    python = str(ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    if not Path(python).exists():
        venv.create(ENVIRONMENT, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-c", str(PINS), *PACKAGES], check=True)
    with tempfile.TemporaryDirectory() as folder:
        expected = str(Path(folder) / "expected.safetensors")
        subprocess.run([python, str(HERE / "make_expected.py"), str(minilm.minilm_folder()), expected], check=True)
        return subprocess.run([sys.executable, "-m", "tests.reference.agrees", expected]).returncode


if __name__ == "__main__":
    sys.exit(main())
