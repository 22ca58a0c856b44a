"""The ten proteins: lengths and masses as UniProt gives them, and names."""

from __future__ import annotations

from lessons.proteins import proteins

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


def test_proteins_have_names_without_their_organism():
    names = {p.accession: p.name for p in proteins()}
    assert names["P68871"] == "Hemoglobin subunit beta" and not any("OS=" in name for name in names.values())
