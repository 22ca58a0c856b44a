"""The FASTA reader, the ten proteins held to their masses, and every way that a file can be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.proteins import AMINO_ACIDS, parse_fasta, proteins

# UniProt's length and mass (Da) of each: a wrong, missing or swapped-in letter would show.
KNOWN = {
    "P69905": (142, 15258),
    "P68871": (147, 15998),
    "P02144": (154, 17184),
    "P00698": (147, 16239),
    "P61626": (148, 16537),
    "P99999": (105, 11749),
    "P01308": (110, 11981),
    "P62805": (103, 11367),
    "P0DP23": (149, 16838),
    "P0CG48": (76, 8565),
}
# Average masses of the residues, in Da.
RESIDUES = {
    "A": 71.0788, "R": 156.1875, "N": 114.1038, "D": 115.0886, "C": 103.1388, "E": 129.1155, "Q": 128.1307,
    "G": 57.0519, "H": 137.1411, "I": 113.1594, "L": 113.1594, "K": 128.1741, "M": 131.1926, "F": 147.1766,
    "P": 97.1167, "S": 87.0782, "T": 101.1051, "W": 186.2132, "Y": 163.1760, "V": 99.1326,
}  # fmt: skip
WATER = 18.0153


def test_proteins_have_length_and_mass_given_by_uniprot():
    found = {p.accession: (len(p.sequence), round(sum(RESIDUES[x] for x in p.sequence) + WATER)) for p in proteins()}
    assert found == KNOWN


def test_uniprot_header_is_parsed():
    (protein,) = parse_fasta(">sp|P68871|HBB_HUMAN Hemoglobin subunit beta OS=Homo sapiens OX=9606\nMVHL\n")
    assert (protein.accession, protein.name, protein.sequence) == ("P68871", "Hemoglobin subunit beta", "MVHL")


@pytest.mark.parametrize(
    "text",
    [
        ">a\nMQIF\nVKTL\n",
        ">a\r\nMQIF\r\nVKTL\r\n",
        "\n\n>a\n\nmqif\n\n  VKTL  ",
        "\ufeff>a\nMQIFVKTL",
    ],
)
def test_read_fasta_takes_common_forms(text):
    assert [p.sequence for p in parse_fasta(text)] == ["MQIFVKTL"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("MQIF\n", "line 1 is a sequence without a header"),
        ("", "there is no sequence in this text"),
        (">a\nMQ-IF", "line 2 holds '-'"),
        (">a\nMQIF\n\n>b", "the header in line 4 has no sequence below"),
        (">a one\nMQ\n>a two\nIF", "a occurs twice"),
    ],
)
def test_read_fasta_refuses_other_text(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        parse_fasta(text)


@given(
    st.dictionaries(st.text("abc123_", min_size=1), st.text(AMINO_ACIDS, min_size=1), min_size=1), st.integers(1, 80)
)
def test_read_fasta_reads_what_was_written(sequences, width):
    lines = []
    for accession, sequence in sequences.items():
        lines += [f">{accession} a protein", *(sequence[i : i + width] for i in range(0, len(sequence), width))]
    assert {p.accession: p.sequence for p in parse_fasta("\n".join(lines))} == sequences


@given(st.text())
def test_read_fasta_reads_any_text_or_refuses_it_in_one_sentence(text):
    try:
        assert all(set(p.sequence) <= set(AMINO_ACIDS) and p.sequence for p in parse_fasta(text))
    except ValueError as error:
        assert str(error).endswith(".")
