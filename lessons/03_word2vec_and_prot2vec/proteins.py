"""Proteins as letters: reading the FASTA format, and ten well-known sequences.

A FASTA file holds sequences, each below a line that begins with ">" and says what it is
(UniProt's help pages, "FASTA headers"). `proteins.fasta` holds ten from UniProt, under CC BY 4.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"  # the twenty, by their one-letter names

_FILE = Path(__file__).with_name("proteins.fasta")


@dataclass(frozen=True)
class Protein:
    """One entry of a FASTA file."""

    accession: str  # its number in the data bank, such as P68871
    name: str
    sequence: str  # letters of AMINO_ACIDS, one for each residue


def proteins() -> list[Protein]:
    """The ten proteins that come with the course, between 76 and 154 residues long."""
    return parse_fasta(_FILE.read_text(encoding="utf-8"))


def parse_fasta(text: str) -> list[Protein]:
    """The proteins in a FASTA text, in its order.

    Line ends of Windows, blank lines, spaces within a sequence and lower-case letters are read as what they
    mean. Raises ValueError, naming the line (counted from 1), for a sequence without a header, a header
    without a sequence, an accession that occurs twice, and a letter that is none of the twenty amino acids;
    raises TypeError when `text` is no text.
    """
    if not isinstance(text, str):
        raise TypeError(f"a FASTA text must be a text: this is {type(text).__name__}.")
    found: list[Protein] = []
    header, header_line, letters = "", 0, ""
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = raw.strip()
        if line.startswith(">"):
            if header_line:
                found.append(_protein(header, header_line, letters))
            header, header_line, letters = line[1:].strip(), number, ""
        elif line:
            if not header_line:
                raise ValueError(f"line {number} is a sequence without a header: a line that begins with > is missing.")
            letters += _residues(line, number)
    if not header_line:
        raise ValueError("there is no sequence in this text: not one line begins with >.")
    found.append(_protein(header, header_line, letters))
    _refuse_twins(found)
    return found


def _protein(header: str, line: int, sequence: str) -> Protein:
    if not header:
        raise ValueError(f"the header in line {line} is empty: after > comes what the sequence is.")
    if not sequence:
        raise ValueError(f"the header in line {line} has no sequence below it.")
    first, _, rest = header.partition(" ")
    fields = first.split("|")
    accession = fields[1] if len(fields) == 3 and fields[1] else first  # UniProt writes sp|P68871|HBB_HUMAN
    return Protein(accession, rest.partition(" OS=")[0].strip() or accession, sequence)


def _residues(line: str, number: int) -> str:
    letters = "".join(line.split()).upper()
    for letter in letters:
        if letter not in AMINO_ACIDS:
            raise ValueError(f"line {number} holds {letter!r}, {_kind(letter)}: a sequence holds {AMINO_ACIDS} alone.")
    return letters


def _kind(letter: str) -> str:
    if letter in "-.":
        return "a gap of an alignment"
    if letter.isdigit():
        return "a digit"
    return "the sign for the end" if letter == "*" else "which is none of the twenty amino acids"


def _refuse_twins(found: list[Protein]) -> None:
    seen: set[str] = set()
    for protein in found:
        if protein.accession in seen:
            raise ValueError(f"{protein.accession} occurs twice: each sequence needs an accession of its own.")
        seen.add(protein.accession)
