"""Kernels of PyTorch: its headers of attention, which carry their own instances; and one of mps-bitsandbytes, all integers."""

import functools
import struct

from .arrays import Array, raw, uniform, whole
from .attention import packed_attention, strides_of
from .cases import Case, Launch, Source

PROJECT = "PyTorch"
KERNELS = "ATen/native/mps/kernels/"
WIDTH = 64
TYPE_NAME = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
TOLERANCE = {"f32": 2e-5, "f16": 2e-3, "bf16": 1e-2}


def source(header, mpp):
    lines = ["#include <metal_stdlib>", "#include <c10/metal/utils.h>", "using namespace metal;", f"#include <{KERNELS}{header}>"]
    text = "\n".join(lines) + "\n"
    language = ("c++20", "4.0") if mpp else ("opencl", "3.2")
    return Source(package="torch", text=text, includes=("torch/include",), dialect=language[0], metal=language[1])


def attention_arrays(name, element, queries, keys, heads, kv_heads, masked):
    numbers = (1, heads, WIDTH, queries, keys, heads // kv_heads, WIDTH**-0.5, 1.0)
    numbers += strides_of(queries, heads, WIDTH) + strides_of(keys, kv_heads, WIDTH) * 2 + strides_of(queries, heads, WIDTH)
    hidden = [float("-inf") if (query * 5 + key) % 6 == 1 else 0.0 for query in range(queries) for key in range(keys)]
    return {
        "q": uniform(name + " q", element, queries * heads * WIDTH, -2, 2),
        "k": uniform(name + " k", element, keys * kv_heads * WIDTH),
        "v": uniform(name + " v", element, keys * kv_heads * WIDTH),
        "parameters": raw(struct.pack("@6i2f12q", *numbers)),
        "mask parameters": raw(struct.pack("@4q", 0, 0, keys, 1)),
        "mask": Array(element, hidden if masked else [0.0]),
    }


def attention(element, queries, keys, heads, kv_heads, masked=False, causal=False, mpp=False):
    q_tile = 64 if mpp else 32
    kernel = f"prefill_attention{'_mpp_a10' if mpp else ''}_{TYPE_NAME[element]}_bq{q_tile}_bk32_bd{WIDTH}_wm4_wn1"
    kernel += f"_hm{int(masked)}_dc{int(causal)}_mask{TYPE_NAME[element]}"

    def launches(_arrays):
        return [
            Launch(
                source=source("MppAttention.h" if mpp else "PrefillAttention.h", mpp),
                kernel=kernel,
                grid=(-(-queries // q_tile), heads, 1),
                group=(32, 4, 1),
                inputs={0: "q", 1: "k", 2: "v", 4: "parameters", 5: "mask parameters", 6: "mask"},
                outputs={3: ("o", element, queries * heads * WIDTH)},
                device=("--device", "apple-m5") if mpp else (),
            )
        ]

    def expected(given):
        operands = [given[operand].values for operand in "qkv"]
        mask = given["mask"].values

        def visible(query, key):
            return not (causal and key > query) and not (masked and mask[query * keys + key] != 0)

        sizes = (queries, keys, heads, kv_heads, WIDTH, WIDTH**-0.5)
        return {"o": packed_attention(*operands, *sizes, visible, element, TOLERANCE[element])}

    return Case(
        name=kernel,
        project=PROJECT,
        compared=f"{queries} queries, {keys} keys, {heads} heads on {kv_heads}"
        + (", mask" if masked else "")
        + (", causal" if causal else "")
        + (", register map of the M5" if mpp else ""),
        tolerance=f"{TOLERANCE[element]:g} of the sum of sizes",
        arrays=functools.partial(attention_arrays, kernel, element, queries, keys, heads, kv_heads, masked),
        launches=launches,
        expected=expected,
    )


def integer_matmul(m, n, k):
    kernel = "int8_matmul_tiled"
    bounds = {"m": m, "n": n, "k": k}

    def arrays():
        operands = {"a": whole("a", "i8", m * k, -128, 127), "b": whole("b", "i8", k * n, -128, 127)}
        return operands | {name: Array("u32", [value]) for name, value in bounds.items()}

    def launches(_arrays):
        folder = "mps_bitsandbytes-0.7.0/mps_bitsandbytes/kernels/"
        return [
            Launch(
                source=Source(package="mps-bitsandbytes", path=folder + "int8_mm.metal", dialect="opencl"),
                kernel=kernel,
                grid=(-(-n // 32), -(-m // 32), 1),
                group=(8, 8, 1),
                inputs={0: "a", 1: "b", 3: "m", 4: "n", 5: "k"},
                outputs={2: ("c", "i32", m * n)},
            )
        ]

    def expected(given):
        a, b = given["a"].values, given["b"].values
        columns = [b[j::n] for j in range(n)]
        return {"c": [(sum(x * y for x, y in zip(a[i * k : i * k + k], column)), 0) for i in range(m) for column in columns]}

    return Case(kernel, "mps-bitsandbytes", f"{m}x{n}x{k}", "exact", arrays, launches, expected)


def all_cases():
    return [
        attention("f32", 40, 50, 4, 2, masked=True),
        attention("f16", 33, 64, 2, 2, causal=True),
        attention("f16", 70, 50, 2, 1, mpp=True),
        integer_matmul(70, 50, 45),
    ]
