"""A text of some hundred short sentences, written for the course, in which people, fruit and companies have places.

Apple has two: it grows on trees, and it sells phones.
"""

from __future__ import annotations

from itertools import product

_HE, _SHE = ("king", "prince", "man", "boy"), ("queen", "princess", "woman", "girl")
_FRUITS, _COMPANIES = ("apple", "pear", "cherry", "banana"), ("apple", "nokia", "siemens", "philips")

# Each kind of word, and the sentences that all of its kind stand in.
_SENTENCES = (
    (_HE, ("the {} shaves his beard", "the {} is a father or a son", "the {} calls his brother")),
    (_SHE, ("the {} wears her dress", "the {} is a mother or a daughter", "the {} calls her sister")),
    (
        ("king", "prince", "queen", "princess"),
        ("the {} wears the golden crown", "the {} lives in the palace", "the {} sits near the throne"),
    ),
    (
        ("man", "boy", "woman", "girl"),
        ("the {} works on the farm", "the {} walks to the village", "the {} drives the old tractor"),
    ),
    (("king", "queen", "man", "woman"), ("the old {} has grey hair", "the {} reads the long newspaper")),
    (("prince", "princess", "boy", "girl"), ("the young {} goes to school", "the {} plays with a ball")),
    (_FRUITS, ("a ripe {} tastes sweet", "a sweet {} falls from the tree", "we eat a ripe {} with the cake")),
    (_COMPANIES, ("the company {} sells phones", "engineers at {} build phones", "shares of the company {} rise")),
)


def small_text() -> list[list[str]]:
    """Return the sentences, each a list of words in lower case; the same at every call."""
    return [
        template.format(word).split() for words, templates in _SENTENCES for template, word in product(templates, words)
    ]
