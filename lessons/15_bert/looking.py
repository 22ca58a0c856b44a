"""What the control of lesson 15 shows: the weights of one head of a BERT on one sentence, or the mean of a layer's."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer

from utils.models.bert import Bert
from utils.models.watching import watching
from utils.show.live import Heatmap, Note, Panel

MOST = 38  # pieces, and two special tokens
SENTENCES = (  # on which the lesson measures the heads
    "The animal didn't cross the street because it was too tired.",
    "He peeled a ripe apple and ate it for breakfast.",
    "She bought a new phone from apple and a laptop.",
    "Nobody had told the new teacher that the school was closed on Friday.",
    "If you come expecting the Hilton, then book the Hilton!",
    "A small café opened next to the old cinema, and by noon its three tables were taken.",
)
MORE_SENTENCES = (  # on which its claims measure them once more
    "The bank by the river had no money.",
    "A small café opened next to the old cinema, and by noon its three tables were taken.",
    "unbelievably antidisestablishmentarianism",
    "12.5 % of 80 is 10; isn't it?",
    "He peeled a ripe apple and ate it for breakfast.",
    "She bought a new phone from apple and a laptop.",
    "A python swallowed a rat in the forest.",
    "He wrote the program in python on his computer.",
    "A bat flew out of the cave at night.",
    "He hit the ball with a wooden bat.",
    "We sat on the grass at the bank of the river.",
    "She opened an account at the bank and borrowed money.",
)


def one_head(
    bert: Bert, tokenizer: Tokenizer, sentence: str, layer: int, head: int, mean: bool, without: bool
) -> list[Panel]:
    """Layer and head from 1; mean: all heads of the layer; without: the first and the last token taken out before.

    What is left of a row is then shared out anew, in each head. Raises ValueError for no piece or more than MOST.
    """
    encoded = tokenizer.encode(sentence)
    pieces = encoded.tokens
    if not 1 <= len(pieces) - 2 <= MOST:
        raise ValueError(f"between 1 and {MOST} pieces can be shown: the sentence has {len(pieces) - 2}.")
    with torch.no_grad(), watching(bert) as maps:
        bert(torch.tensor([encoded.ids]))
    A = maps.encoder[layer - 1][0].double()  # (n_heads, N, N)
    to_first = A[:, :, 0].mean(dim=1)
    if without:
        A, pieces = A[:, 1:-1, 1:-1], pieces[1:-1]
        A = A / A.sum(dim=-1, keepdim=True)
    if mean:
        shown, share, name = A.mean(dim=0), to_first.mean(), f"layer {layer}, mean of the heads"
    else:
        shown, share, name = A[head - 1], to_first[head - 1], f"head {layer}.{head}"
    note = f"{name}: {100 * share:.0f} % of all weight goes to {encoded.tokens[0]}"
    return [Note(note), Heatmap(shown.numpy(), pieces, pieces, "row asks, column is asked", low=0, high=1)]
