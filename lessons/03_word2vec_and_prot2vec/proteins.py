"""Ten well-known proteins as letters, from a FASTA file.

A FASTA file holds sequences, each below a line that begins with ">" and says what it is
(UniProt's help pages, "FASTA headers"). `proteins.fasta` holds ten from UniProt, under CC BY 4.0.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).with_name("proteins.fasta")


class Protein(NamedTuple):
    """One entry of the file."""

    accession: str  # its number in the data bank, such as P68871
    name: str
    sequence: str  # one letter of the twenty amino acids for each residue


def proteins() -> list[Protein]:
    """Return the ten proteins that come with the course, between 76 and 154 residues long."""
    found = []
    for entry in _FILE.read_text(encoding="utf-8").split(">")[1:]:
        header, *lines = entry.splitlines()  # sp|P68871|HBB_HUMAN Hemoglobin subunit beta OS=Homo sapiens …
        first, _, rest = header.partition(" ")
        found.append(Protein(first.split("|")[1], rest.partition(" OS=")[0], "".join(lines)))
    return found
