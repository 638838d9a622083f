"""Kernels of MLX: its headers, instantiated as its own .metal files do, launched as its matmul.cpp and others do."""

import functools
import math
import struct

from .arrays import Array, dot, raw, slack, uniform
from .attention import packed_attention, strides_of
from .cases import Case, Launch, Missing, Source

PROJECT = "MLX"
KERNELS = "mlx/backend/metal/kernels/"
MSL_TYPE = {"f32": "float", "f16": "half", "bf16": "bfloat16_t"}


def source(headers, instances, dialect="opencl", metal="3.2"):
    lines = ["#include <metal_stdlib>", "using namespace metal;"]
    lines += [f'#include "{KERNELS}{header}"' for header in ("utils.h", *headers)]
    lines += [f'instantiate_kernel("{name}", {arguments})' for name, arguments in instances]
    return Source(package="mlx-metal", text="\n".join(lines) + "\n", includes=("mlx/include",), dialect=dialect, metal=metal)


# --- steel GEMM: D = A B, each operand plain or transposed ---


def gemm_arrays(name, element, m, n, k, swap_a, swap_b, tile):
    _, _, depth = tile
    arrays = {"a": uniform(name + " a", element, m * k), "b": uniform(name + " b", element, k * n)}
    tiles = (-(-n // tile[1]), -(-m // tile[0]))
    leading = (m if swap_a else k, k if swap_b else n, n)
    numbers = (m, n, k, *leading, *tiles, m * k, k * n, m * n, 0, k // depth, 0)
    arrays["parameters"] = raw(struct.pack("@8i3q3i0q", *numbers))
    return arrays


def gemm_expected(element, m, n, k, swap_a, swap_b, arrays):
    a, b, result = arrays["a"].values, arrays["b"].values, []
    columns = [b[j * k : j * k + k] if swap_b else b[j::n] for j in range(n)]
    for i in range(m):
        row = a[i::m] if swap_a else a[i * k : i * k + k]
        for column in columns:
            value, size = dot(row, column)
            result.append((value, slack(value, size, k, element)))
    return {"d": result}


def gemm(element, m, n, k, layout="nn", nax=False):
    swap_a, swap_b = (letter == "t" for letter in layout)
    tile, warps = ((64, 64, 256), (2, 2)) if nax else ((32, 32, 16), (2, 2))
    name = f"steel_gemm_fused_{'nax_' if nax else ''}{layout}_{element}_{m}x{n}x{k}"
    truth = {True: "true", False: "false"}
    arguments = [MSL_TYPE[element], *tile, *warps, truth[swap_a], truth[swap_b]]
    instance = ("conformance_gemm", ", ".join(map(str, ["gemm", *arguments])))
    folder = "steel/gemm/"
    if nax:
        headers = (folder + "gemm.h", folder + "nax.h", folder + "gemm_nax.h", folder + "kernels/steel_gemm_fused_nax.h")
    else:
        headers = (folder + "gemm.h", folder + "kernels/steel_gemm_fused.h")
    aligned = (m % tile[0] == 0, n % tile[1] == 0, k % tile[2] == 0)

    def launches(_arrays):
        return [
            Launch(
                source=source(headers, [instance], "c++20", "4.0") if nax else source(headers, [instance]),
                kernel="conformance_gemm",
                grid=(-(-n // tile[1]), -(-m // tile[0]), 1),
                group=(32, warps[1], warps[0]),
                inputs={0: "a", 1: "b", 4: "parameters"},
                outputs={3: ("d", element, m * n)},
                constants={10: "false", 100: "false", 110: "false", **{200 + i: truth[flag] for i, flag in enumerate(aligned)}},
                device=("--device", "apple-m5") if nax else (),
            )
        ]

    return Case(
        name=name,
        project=PROJECT,
        compared=f"{m}x{n}x{k}, {'aligned' if all(aligned) else 'ragged'}" + (", register map of the M5" if nax else ""),
        tolerance=f"k roundings to FP32 of the sum of sizes, one to {element}",
        arrays=functools.partial(gemm_arrays, name, element, m, n, k, swap_a, swap_b, tile),
        launches=launches,
        expected=functools.partial(gemm_expected, element, m, n, k, swap_a, swap_b),
    )


# --- GEMM split along k: partial products, then their sum ---


def split_gemm(m, n, k, partitions):
    tile, warps, name = (32, 32, 16), (2, 2), "steel_gemm_splitk_nn_f32"
    steps = k // tile[2] // partitions
    groups = (-(-n // tile[1]), -(-m // tile[0]), partitions)
    headers = ("steel/gemm/gemm.h", "steel/gemm/kernels/steel_gemm_splitk.h")

    def arrays():
        numbers = (m, n, k, k, n, n, *groups[:2], partitions, m * n, steps * tile[2], 0, steps)
        scalars = {"partitions": partitions, "stride": m * n, "row": n}
        operands = {"a": uniform(name + " a", "f32", m * k), "b": uniform(name + " b", "f32", k * n)}
        operands["parameters"] = raw(struct.pack("@13i", *numbers))
        return operands | {key: Array("i32", [value]) for key, value in scalars.items()}

    def launches(_arrays):
        partial = ", ".join(map(str, ["gemm_splitk", "float", "float", *tile, *warps, "false", "false", "false", "false"]))
        return [
            Launch(
                source=source(headers, [("conformance_partial", partial)]),
                kernel="conformance_partial",
                grid=groups,
                group=(32, warps[1], warps[0]),
                inputs={0: "a", 1: "b", 3: "parameters"},
                outputs={2: ("partial", "f32", m * n * partitions)},
            ),
            Launch(
                source=source(headers, [("conformance_sum", "gemm_splitk_accum, float, float")]),
                kernel="conformance_sum",
                grid=(n, m, 1),
                group=(1, 1, 1),
                inputs={0: "partial", 2: "partitions", 3: "stride", 4: "row"},
                outputs={1: ("d", "f32", m * n)},
            ),
        ]

    return Case(
        name=name,
        project=PROJECT,
        compared=f"{m}x{n}x{k} in {partitions} parts along k, then gemm_splitk_accum",
        tolerance="k roundings to FP32 of the sum of sizes",
        arrays=arrays,
        launches=launches,
        expected=functools.partial(gemm_expected, "f32", m, n, k, False, False),
    )


# --- softmax ---


def softmax(element, width, rows, looped=False):
    function = "softmax_looped" if looped else "softmax_single_row"
    name = f"{function}_{element}"
    threads = 1024 if looped else -(-(-(-width // 4)) // 32) * 32

    def arrays():
        return {"x": uniform(name, element, width * rows, -6, 6), "width": Array("i32", [width])}

    def launches(_arrays):
        types = MSL_TYPE[element] if element == "f32" else f"{MSL_TYPE[element]}, float"
        return [
            Launch(
                source=source(("softmax.h",), [("conformance_softmax", f"{function}, {types}")]),
                kernel="conformance_softmax",
                grid=(rows, 1, 1),
                group=(threads, 1, 1),
                inputs={0: "x", 2: "width"},
                outputs={1: ("y", element, width * rows)},
            )
        ]

    def expected(given):
        result = []
        for start in range(0, width * rows, width):
            row = given["x"].values[start : start + width]
            terms = [math.exp(x - max(row)) for x in row]
            total = math.fsum(terms)
            result += [(term / total, 1e-5 * term / total + slack(term / total, 0, 0, element)) for term in terms]
        return {"y": result}

    return Case(name, PROJECT, f"{rows} rows of {width}, {threads} threads", "1e-5 of each element, and its rounding", arrays, launches, expected)


# --- logsumexp ---


def logsumexp(element, width, rows):
    name = f"logsumexp_{element}"
    threads = -(-(-(-width // 4)) // 32) * 32

    def arrays():
        return {"x": uniform(name, element, width * rows, -6, 6), "width": Array("i32", [width])}

    def launches(_arrays):
        return [
            Launch(
                source=source(("logsumexp.h",), [("conformance_logsumexp", f"logsumexp, {MSL_TYPE[element]}")]),
                kernel="conformance_logsumexp",
                grid=(rows, 1, 1),
                group=(threads, 1, 1),
                inputs={0: "x", 2: "width"},
                outputs={1: ("y", element, rows)},
            )
        ]

    def expected(given):
        values = [
            math.log(math.fsum(map(math.exp, given["x"].values[start : start + width])))
            for start in range(0, width * rows, width)
        ]
        return {"y": [(value, 1e-5 + slack(value, 0, 0, element)) for value in values]}

    return Case(name, PROJECT, f"{rows} rows of {width}, {threads} threads", "1e-5", arrays, launches, expected)


# --- steel attention ---

WIDTH = 64


def attention_arrays(name, element, queries, keys, heads, kv_heads, tile):
    q_tile, k_tile = tile
    full = (queries // q_tile, keys // k_tile)
    numbers = (1, heads, WIDTH, queries, keys, heads // kv_heads, WIDTH**-0.5)
    numbers += (-(-queries // q_tile), -(-keys // k_tile), *full)
    numbers += (queries - full[0] * q_tile, keys - full[1] * k_tile, keys - queries)
    numbers += strides_of(queries, heads, WIDTH) + strides_of(keys, kv_heads, WIDTH) * 2 + strides_of(queries, heads, WIDTH)
    return {
        "q": uniform(name + " q", element, queries * heads * WIDTH, -2, 2),
        "k": uniform(name + " k", element, keys * kv_heads * WIDTH),
        "v": uniform(name + " v", element, keys * kv_heads * WIDTH),
        "parameters": raw(struct.pack("@6if7i12q", *numbers)),
    }


def attention(element, queries, keys, heads, kv_heads, nax=False, causal=False, halves=1):
    """halves: SIMD groups that share the rows of a query block, each with its part of the head."""
    name = f"steel_attention{'_nax' if nax else ''}_{element}" + ("_causal" if causal else "") + ("_halves" if halves > 1 else "")
    tile, warps = ((64, 32), 4) if nax else ((32, 16 if halves > 1 else 32), 4)
    folder = "steel/attn/"
    if nax:
        headers = (folder + "kernels/steel_attention_nax.h",)
        arguments = f"attention_nax, {MSL_TYPE[element]}, {tile[0]}, {tile[1]}, {WIDTH}, {WIDTH}, {warps}, 1"
    else:
        headers = (folder + "kernels/steel_attention.h",)
        arguments = f"attention, {MSL_TYPE[element]}, {tile[0]}, {tile[1]}, {WIDTH}, {WIDTH}, {warps}, {halves}"
    flags = {200: queries % tile[0] == 0, 201: keys % tile[1] == 0, 300: False, 301: causal, 302: False, 303: False}

    def launches(_arrays):
        return [
            Launch(
                source=source(headers, [("conformance_attention", arguments)], "c++20", "4.0" if nax else "3.2"),
                kernel="conformance_attention",
                grid=(-(-queries // tile[0]), heads, 1),
                group=(32, warps, halves),
                inputs={0: "q", 1: "k", 2: "v", 4: "parameters"},
                outputs={3: ("o", element, queries * heads * WIDTH)},
                constants={index: "true" if flag else "false" for index, flag in flags.items()},
                device=("--device", "apple-m5") if nax else (),
            )
        ]

    def expected(given):
        operands = [given[operand].values for operand in "qkv"]

        def visible(query, key):
            return not causal or key <= query + keys - queries

        tolerance = {"f32": 2e-5, "f16": 2e-3, "bf16": 1e-2}[element]
        return {
            "o": packed_attention(
                *operands, queries, keys, heads, kv_heads, WIDTH, WIDTH**-0.5, visible, element, tolerance
            )
        }

    return Case(
        name=name,
        project=PROJECT,
        compared=f"{queries} queries, {keys} keys, {heads} heads on {kv_heads}" + (", causal" if causal else ""),
        tolerance={"f32": "2e-5", "f16": "2e-3", "bf16": "1e-2"}[element] + " of the sum of sizes",
        arrays=functools.partial(attention_arrays, name, element, queries, keys, heads, kv_heads, tile),
        launches=launches,
        expected=expected,
    )


def all_cases():
    square, ragged = (64, 64, 64), (70, 50, 45)
    return [
        gemm("f32", *square),
        gemm("f16", *square, layout="nt"),
        gemm("bf16", *square, layout="tn"),
        gemm("f32", *ragged, layout="nt"),
        gemm("f16", *ragged),
        gemm("bf16", *ragged, layout="tt"),
        split_gemm(40, 50, 120, 2),
        softmax("f32", 300, 3),
        softmax("f16", 70, 3),
        softmax("f32", 5000, 1, looped=True),
        logsumexp("f32", 300, 2),
        attention("f32", 40, 50, 4, 2),
        attention("f32", 40, 50, 2, 2, halves=2),
        attention("f16", 64, 64, 2, 2, causal=True),
        gemm("f16", 64, 64, 256, nax=True),
        gemm("bf16", 70, 50, 290, layout="nt", nax=True),
        attention("f16", 70, 50, 2, 1, nax=True),
        Missing("rms_norm", PROJECT, "rms_norm.metal is in no package: the wheel holds the headers of kernels and a compiled library"),
    ]
