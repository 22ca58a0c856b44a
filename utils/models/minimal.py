"""The transformer with nothing around it: the first file to read here. Lesson 12a writes it, line by line.

No checks, no cache, no probes: what the other modules add, each says in its first line. Masks: True where allowed.
"""

import torch
from torch import nn

PAD, START, END = 0, 1, 2


def embedded(table, ids):
    """Return the row of each word times √d_model, plus sine and cosine of its position: (B, N) -> (B, N, d_model)."""
    n, d_model = ids.shape[1], table.weight.shape[1]
    angle = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)  # (N, d_model / 2)
    return table(ids) * d_model**0.5 + torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # sin, cos, sin, …


def attention(query, key, value, mask):
    """Compute softmax(QKᵀ/√d_k) V: query (…, M, d_k), key, value (…, N, d_k), mask (…, M, N) -> (…, M, d_k)."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5  # (…, M, N)
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1) @ value


def causal_mask(n):
    """Let each of n words look at itself and at those before it: (n, n)."""
    return torch.ones(n, n, dtype=torch.bool).tril()


class MultiHeadAttention(nn.Module):
    """The words of x (B, M, d_model) ask those of the context (B, N, d_model), in h heads: (B, M, d_model)."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.query, self.key, self.value, self.output = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, context, mask):
        wide = self.query(x), self.key(context), self.value(context)  # (B, M, d_model), twice (B, N, d_model)
        heads = (each.unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for each in wide)  # (B, h, M or N, d_k)
        return self.output(attention(*heads, mask).transpose(1, 2).flatten(2))


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network, each with residual connection and norm: (B, N, d_model)."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.ReLU(), nn.Linear(4 * d_model, d_model))
        self.norm_attention, self.norm_feed_forward = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, mask):
        x = self.norm_attention(x + self.attention(x, x, mask))
        return self.norm_feed_forward(x + self.feed_forward(x))


class DecoderLayer(EncoderLayer):
    """The same with cross-attention in between: x (B, M, d_model) asks the memory (B, N, d_model)."""

    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.cross, self.norm_cross = MultiHeadAttention(d_model, n_heads), nn.LayerNorm(d_model)

    def forward(self, x, memory, mask, memory_mask):
        x = self.norm_attention(x + self.attention(x, x, mask))
        x = self.norm_cross(x + self.cross(x, memory, memory_mask))
        return self.norm_feed_forward(x + self.feed_forward(x))


class Transformer(nn.Module):
    """source (B, N) and target (B, M), ids padded behind -> logits of the word after each, (B, M, target_words)."""

    def __init__(self, source_words, target_words, d_model=64, n_heads=4, n_layers=2):
        super().__init__()
        self.source_table, self.target_table = nn.Embedding(source_words, d_model), nn.Embedding(target_words, d_model)
        for table in (self.source_table, self.target_table):
            nn.init.normal_(table.weight, std=d_model**-0.5)  # times √d_model they are of the size of the positions
        self.encoder = nn.ModuleList(EncoderLayer(d_model, n_heads) for _ in range(n_layers))
        self.decoder = nn.ModuleList(DecoderLayer(d_model, n_heads) for _ in range(n_layers))
        self.output = nn.Linear(d_model, target_words, bias=False)

    def forward(self, source, target):
        memory, x = embedded(self.source_table, source), embedded(self.target_table, target)
        memory_mask, mask = (source != PAD)[:, None, None, :], causal_mask(target.shape[1])
        for layer in self.encoder:
            memory = layer(memory, memory_mask)
        for layer in self.decoder:
            x = layer(x, memory, mask, memory_mask)
        return self.output(x)


def loss_of(model, source, target):
    """Return the mean cross-entropy of the next word; each row of target is START, its words, END, padding."""
    logits = model(source, target[:, :-1])  # (B, M − 1, target_words)
    return nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)


def train(model, batches, optimizer):
    """Take one step for each (source, target) of the batches; return the losses."""
    model.train()
    losses = []
    for source, target in batches:
        optimizer.zero_grad()
        loss = loss_of(model, source, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def greedy(model, source, most):
    """Write at most so many words for each row of source, always the most probable next; END is not among them."""
    model.eval()
    written = torch.full((len(source), 1), START)
    while written.shape[1] <= most and not (written == END).any(dim=1).all():
        logits = model(source, written)[:, -1]  # (B, target_words): of the word after the last
        written = torch.cat([written, logits.argmax(dim=-1, keepdim=True)], dim=1)
    return [row[1 : [*row, END].index(END)] for row in written.tolist()]
