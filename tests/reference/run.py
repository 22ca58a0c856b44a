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
PACKAGES = ["transformers==5.23.0", "torch==2.13.0", "tokenizers==0.23.3", "safetensors==0.8.0", "numpy"]


def main() -> int:
    """0 where all hidden states agree."""
    if not minilm.has_minilm():
        minilm.fetch()
    python = str(ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    if not Path(python).exists():
        venv.create(ENVIRONMENT, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    with tempfile.TemporaryDirectory() as folder:
        expected = str(Path(folder) / "expected.safetensors")
        subprocess.run([python, str(HERE / "make_expected.py"), str(minilm.minilm_folder()), expected], check=True)
        return subprocess.run([sys.executable, "-m", "tests.reference.agrees", expected]).returncode


if __name__ == "__main__":
    sys.exit(main())
