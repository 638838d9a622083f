"""What attention kernels must compute: O = softmax(scale * Q K^T + mask) V, rows of all tensors packed as [head][row][d]."""

import math

from .arrays import dot, slack


def strides_of(rows, heads, width):
    """Of the batch, of a head, of a row."""
    return (rows * width * heads, rows * width, width)


def row_of(scores, values, width, kv_row):
    """One output row: (value, sum of sizes) of each element."""
    top = max(scores)
    weights = [math.exp(score - top) for score in scores]
    total = math.fsum(weights)
    columns = [[values[(kv_row + key) * width + d] for key in range(len(scores))] for d in range(width)]
    return [(value / total, size / total) for value, size in (dot(weights, column) for column in columns)]


def packed_attention(q, k, v, queries, keys, heads, kv_heads, width, scale, visible, element, tolerance):
    """visible(query, key): whether the key counts. tolerance: of the sum of sizes."""
    result = []
    for head in range(heads):
        first = head // (heads // kv_heads) * keys
        for query in range(queries):
            row = q[(head * queries + query) * width :][:width]
            scores = [
                dot(row, k[(first + key) * width :][:width])[0] * scale if visible(query, key) else float("-inf")
                for key in range(keys)
            ]
            for value, size in row_of(scores, v, width, first):
                result.append((value, tolerance * size + slack(value, 0, 0, element)))
    return result
