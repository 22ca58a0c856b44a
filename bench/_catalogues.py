"""Real sentence pairs without a network: what the programs of this system say, in English and in another language."""

from __future__ import annotations

from gettext import GNUTranslations
from pathlib import Path

from utils.data.corpora import Pair

FOLDER = Path("/usr/share/locale")
_CONTEXT = "\x04"  # stands between what a message is about and the message


def catalogue_pairs(language: str, folder: Path = FOLDER) -> list[Pair]:
    """English messages with their translations from all of gettext's catalogues for `language`, each message once.

    Left out: what has a form for one and another for many, what is not translated, and catalogues in another encoding
    than they say. Empty where the system has no such catalogues.
    """
    found: dict[str, str] = {}
    for path in sorted((folder / language / "LC_MESSAGES").glob("*.mo")):
        with path.open("rb") as file:
            try:
                messages = GNUTranslations(file)._catalog  # gettext has no other way to list them
            except (OSError, ValueError):
                continue
        for message, translation in messages.items():
            if isinstance(message, str):
                english, other = (" ".join(text.split()) for text in (message.split(_CONTEXT)[-1], translation))
                if english and other and english != other:
                    found.setdefault(english, other)
    return [Pair(*item) for item in found.items()]


def write_pairs(pairs: list[Pair], path: Path) -> None:
    """A file as `read_pairs` reads it."""
    path.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in pairs), encoding="utf-8")
