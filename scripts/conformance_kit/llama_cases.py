"""Kernels of llama.cpp, launched as ggml-metal-ops.cpp does."""

import dataclasses
import functools
import math
import struct

from .arrays import Array, dot, raw, rounded, slack, uniform, whole
from .attention import row_of
from .cases import Case, Launch, Source

ROOT = "llama_cpp_python-0.3.36/vendor/llama.cpp/ggml/src/"
PROJECT = "llama.cpp"


def source(file, *defines, dialect="c++20"):
    return Source(
        package="llama-cpp-python",
        path=f"{ROOT}ggml-metal/kernels/{file}",
        includes=(ROOT + "ggml-metal", ROOT),
        defines=("GGML_METAL_HAS_BF16", *defines),
        dialect=dialect,
        metal="4.0" if "GGML_METAL_HAS_TENSOR" in defines else "3.2",
    )


def packed(layout, *values):
    """A structure as the C compiler lays it out, its end padded to 8 bytes."""
    return raw(struct.pack("@" + layout + "0q", *values))


# --- kernel_mul_mm: dst[n][m] = sum over k of src0[m][k] * src1[n][k] ---

TILE_M, TILE_N = 64, 32  # of the kernel without the tensor API
TENSOR_TILE_M, TENSOR_TILE_N = 64, 128


def mul_mm_arguments(m, n, k, row_bytes, heads):
    plane = row_bytes * m
    b_row, b_plane = 4 * k, 4 * k * n
    numbers = (k, 1, row_bytes, plane, plane, heads, 4, b_row, b_plane, b_plane * heads, m, n, heads, 1)
    return packed("iiQQQiQQQQiihh", *numbers)


def mul_mm_constants(n_tile, m_tile, m, n, k, heads):
    flags = (k % 32 != 0, m % m_tile != 0 or n % n_tile != 0)
    values = [str(flag).lower() for flag in flags] + [str(number) for number in (heads, 1, heads, 1)]
    return {700 + i: value for i, value in enumerate(values)}


def mul_mm_launch(kernel, m, n, k, heads, tensor):
    m_tile, n_tile = (TENSOR_TILE_M, TENSOR_TILE_N) if tensor else (TILE_M, TILE_N)
    ragged = m % m_tile != 0 or n % n_tile != 0
    plain_bytes = 8192 if ragged else 4096 + 2048
    return Launch(
        source=source("mul_mm.metal", *(("GGML_METAL_HAS_TENSOR",) if tensor else ())),
        kernel=kernel,
        grid=(-(-n // n_tile), -(-m // m_tile), heads),
        group=(32, 4, 1),
        inputs={0: "arguments", 1: "a", 2: "b"},
        outputs={3: ("c", "f32", m * n * heads)},
        constants=mul_mm_constants(n_tile, m_tile, m, n, k, heads),
        threadgroup={0: m_tile * 32 * 2 if tensor else plain_bytes},
    )


def quantized_rows(name, kind, m, k):
    """Blocks of 32 weights with scales whose products half precision holds exactly, and the weights that they stand for."""
    blocks = m * k // 32
    scales = [2.0 ** (-4 - step) for step in whole(name + " scales", "i8", blocks, 0, 3).values]
    data, weights = bytearray(), []
    for block, scale in enumerate(scales):
        data += struct.pack("<e", scale)
        if kind == "q4_0":
            codes = whole(f"{name} {block}", "u8", 32, 0, 15).values
            data += bytes(low | high << 4 for low, high in zip(codes[:16], codes[16:]))
            weights += [(code - 8) * scale for code in codes]
        else:
            codes = whole(f"{name} {block}", "i8", 32, -127, 127).values
            data += struct.pack("<32b", *codes)
            weights += [code * scale for code in codes]
    return raw(data), Array("f32", weights)


def mul_mm_arrays(name, kind, m, n, k, heads):
    # The kernel rounds both operands to half (bf16: to bfloat): they are given so that this changes nothing.
    narrow = "bf16" if kind == "bf16" else "f16"
    b = Array("f32", uniform(name + " b", narrow, n * k * heads).values)
    if kind.startswith("q"):
        a, weights = quantized_rows(name + " a", kind, m, k)
        row_bytes = k // 32 * (18 if kind == "q4_0" else 34)
    else:
        weights = uniform(name + " a", narrow, m * k)
        a = Array(kind, weights.values)
        row_bytes = k * (4 if kind == "f32" else 2)
    return {"arguments": mul_mm_arguments(m, n, k, row_bytes, heads), "a": a, "weights": weights, "b": b}


def mul_mm_expected(m, n, k, heads, arrays):
    a, b, result = arrays["weights"].values, arrays["b"].values, []
    for row in range(n * heads):
        for column in range(m):
            value, size = dot(a[column * k : column * k + k], b[row * k : row * k + k])
            result.append((value, slack(value, size, k, "f32")))
    return {"c": result}


def mul_mm(kind, m, n, k, heads=1, tensor=False, variant="", device=(), reports=()):
    kernel = f"kernel_mul_mm_{kind}_f32"
    name = kernel + ("_tensor" if tensor else "") + variant

    def launches(_arrays):
        launch = mul_mm_launch(kernel, m, n, k, heads, tensor)
        return [dataclasses.replace(launch, device=device)]

    return Case(
        name=name,
        project=PROJECT,
        compared=f"{m}x{n}x{k}" + (f", {heads} heads that share the weights" if heads > 1 else ""),
        tolerance="k roundings to FP32 of the sum of sizes",
        arrays=functools.partial(mul_mm_arrays, name, kind, m, n, k, heads),
        launches=launches,
        expected=functools.partial(mul_mm_expected, m, n, k, heads),
        reports=reports,
    )


# --- kernel_soft_max: softmax(scale * x + slope * mask), with a sink of each head in the denominator ---

SOFT_MAX_SCALE, SOFT_MAX_BIAS = 0.25, 2.0


def head_slope(head, heads, max_bias):
    near = 1 << int(math.floor(math.log2(heads)))
    first, second = 2.0 ** (-max_bias / near), 2.0 ** (-max_bias / 2 / near)
    return first ** (head + 1) if head < near else second ** (2 * (head - near) + 1)


def soft_max_threads(width, rows):
    steps, threads = (width // 4 if width % 4 == 0 else width), 32
    while threads < steps and threads * rows < 256:
        threads *= 2
    return threads


def soft_max_arrays(name, mask_type, width, rows, heads):
    mask_bytes = 2 if mask_type == "f16" else 4
    near = 1 << int(math.floor(math.log2(heads)))
    numbers = (width, rows, heads, 4 * width, 4 * width * rows, 4 * width * rows * heads)
    numbers += (rows, 1, 1, mask_bytes * width, mask_bytes * width * rows, mask_bytes * width * rows)
    numbers += (4 * width, 4 * width * rows, 4 * width * rows * heads)
    numbers += (SOFT_MAX_SCALE, SOFT_MAX_BIAS, 2.0 ** (-SOFT_MAX_BIAS / near), 2.0 ** (-SOFT_MAX_BIAS / 2 / near), near)
    return {
        "arguments": packed("iiiQQQiiiQQQQQQffffi", *numbers),
        "x": uniform(name + " x", "f32", width * rows * heads, -8, 8),
        "mask": Array(mask_type, [code / 4 for code in whole(name + " mask", "i8", width * rows, -16, 4).values]),
        "sinks": uniform(name + " sinks", "f32", heads, -2, 2),
    }


def soft_max_expected(width, rows, heads, arrays):
    result = []
    for head in range(heads):
        slope = head_slope(head, heads, SOFT_MAX_BIAS)
        for row in range(rows):
            start = (head * rows + row) * width
            mask = arrays["mask"].values[row * width : row * width + width]
            scores = [SOFT_MAX_SCALE * x + slope * m for x, m in zip(arrays["x"].values[start : start + width], mask)]
            result += soft_max_row(scores, arrays["sinks"].values[head])
    return {"y": result}


def soft_max_row(scores, sink):
    top = max([*scores, sink])
    terms = [math.exp(score - top) for score in scores]
    total = math.fsum(terms) + math.exp(sink - top)
    return [(term / total, 1e-5 * term / total + 1e-12) for term in terms]


def soft_max(mask_type, width, rows, heads):
    kernel = f"kernel_soft_max_{mask_type}" + ("_4" if width % 4 == 0 else "")
    threads = soft_max_threads(width, rows * heads)

    def launches(_arrays):
        return [
            Launch(
                source=source("softmax.metal", dialect="opencl"),
                kernel=kernel,
                grid=(rows, heads, 1),
                group=(threads, 1, 1),
                inputs={0: "arguments", 1: "x", 2: "mask", 3: "sinks"},
                outputs={4: ("y", "f32", width * rows * heads)},
                threadgroup={0: 128},
            )
        ]

    return Case(
        name=kernel,
        project=PROJECT,
        compared=f"{rows * heads} rows of {width}, mask, ALiBi slope and sinks, {threads} threads",
        tolerance="1e-5 of each element",
        arrays=functools.partial(soft_max_arrays, kernel, mask_type, width, rows, heads),
        launches=launches,
        expected=functools.partial(soft_max_expected, width, rows, heads),
    )


# --- kernel_rms_norm ---

EPSILON = 1e-5


def rms_norm_arrays(name, width, rows, fused):
    row = 4 * width
    one, zero = rows, 0
    numbers = (width, width // 4 if width % 4 == 0 else width, row, row * rows, row * rows, EPSILON)
    numbers += (one, 1, zero, 1, 1, zero, 1, 1, zero) if fused else (one, zero, zero, 1, zero, zero, 1, zero, zero)
    numbers += (row, row, 0, row * rows, row, 0, row * rows, row, 0) if fused else (row, 0, 0, row * rows, 0, 0, row * rows, 0, 0)
    arrays = {"arguments": packed("iiQQQf3i3i3i3Q3Q3Qf", *numbers, 1.0), "x": uniform(name + " x", "f32", width * rows, -3, 3)}
    arrays["weights"] = uniform(name + " weights", "f32", width, 0.5, 2) if fused else arrays["x"]
    return arrays


def rms_norm_expected(width, rows, fused, arrays):
    result = []
    for row in range(rows):
        x = arrays["x"].values[row * width : row * width + width]
        factor = 1 / math.sqrt(dot(x, x)[0] / width + rounded(EPSILON, "f32"))
        weights = arrays["weights"].values if fused else [1.0] * width
        result += [(v * factor * w, 1e-5 * abs(v * factor * w) + 1e-7) for v, w in zip(x, weights)]
    return {"y": result}


def rms_norm(width, rows, fused):
    kernel = "kernel_rms_norm" + ("_mul" if fused else "") + "_f32" + ("_4" if width % 4 == 0 else "")
    steps = width // 4 if width % 4 == 0 else width
    threads = 32
    while threads < steps:
        threads *= 2
    threads = min(threads, -(-steps // 32) * 32)

    def launches(_arrays):
        return [
            Launch(
                source=source("norm.metal", dialect="opencl"),
                kernel=kernel,
                grid=(rows, 1, 1),
                group=(threads, 1, 1),
                inputs={0: "arguments", 1: "x", 2: "weights", 3: "x"},
                outputs={4: ("y", "f32", width * rows)},
                constants={1700: "false"},
                threadgroup={0: 128},
            )
        ]

    return Case(
        name=kernel,
        project=PROJECT,
        compared=f"{rows} rows of {width}, {threads} threads" + (", times weights" if fused else ""),
        tolerance="1e-5 of each element",
        arrays=functools.partial(rms_norm_arrays, kernel, width, rows, fused),
        launches=launches,
        expected=functools.partial(rms_norm_expected, width, rows, fused),
    )


# --- kernel_flash_attn_ext, with the two kernels that prepare its last block and its table of masked blocks ---

QUERIES_A_GROUP, KEYS_A_STEP = 8, 64


@dataclasses.dataclass(frozen=True)
class Sizes:
    kind: str  # of K and V
    head: int
    queries: int
    keys: int
    heads: int
    kv_heads: int

    @property
    def unit_bytes(self):
        """Of an element of K or V, or a block of them."""
        return {"f16": 2, "q8_0": 34}[self.kind]

    @property
    def row_bytes(self):
        return self.head * 2 if self.kind == "f16" else self.head // 32 * 34


def attention_arrays(name, sizes):
    head, queries, keys, heads, kv_heads, row = sizes.head, sizes.queries, sizes.keys, sizes.heads, sizes.kv_heads, sizes.row_bytes
    kv_strides = (row, row * keys, row * keys * kv_heads)
    mask_strides = (2 * keys, 2 * keys * queries, 2 * keys * queries)
    q_row = 4 * head
    numbers = (queries, heads, 1, q_row, q_row * queries, q_row * queries * heads, keys, kv_heads, 1, row // sizes.unit_bytes)
    numbers += (*kv_strides, row // sizes.unit_bytes, *kv_strides, queries, 1, 1, *mask_strides, heads, queries, 1)
    numbers += (head**-0.5, 0.0, 1.0, 1.0, heads, 0.0)
    pad = (keys, kv_heads, 1, *kv_strides, *kv_strides, queries, 1, 1, *mask_strides)
    hidden = float("-inf")
    mask = [0.0 if key <= query + keys - queries and key % 7 != 3 else hidden for query in range(queries) for key in range(keys)]
    arrays = {
        "arguments": packed("iiiQQQiiiiQQQiQQQiiiQQQiiiffffif", *numbers),
        "pad arguments": packed("iiiQQQQQQiiiQQQ", *pad),
        "block arguments": packed("iiiiiQQQ", queries, keys, queries, 1, 1, *mask_strides),
        "q": Array("f32", uniform(name + " q", "f16", queries * heads * head, -2, 2).values),
        "mask": Array("f16", mask),
    }
    for operand in ("k", "v"):
        if sizes.kind == "q8_0":
            arrays[operand], arrays[operand + " values"] = quantized_rows(f"{name} {operand}", sizes.kind, keys * kv_heads, head)
        else:
            values = uniform(f"{name} {operand}", "f16", keys * kv_heads * head)
            arrays[operand] = Array(sizes.kind, values.values)
            arrays[operand + " values"] = values
    return arrays


def attention_expected(sizes, arrays):
    width, queries, keys = sizes.head, sizes.queries, sizes.keys
    q, k, v = arrays["q"].values, arrays["k values"].values, arrays["v values"].values
    result = [None] * (queries * sizes.heads * width)
    for head in range(sizes.heads):
        first = head // (sizes.heads // sizes.kv_heads) * keys
        for query in range(queries):
            row = q[(head * queries + query) * width :][:width]
            scores = [dot(row, k[(first + key) * width :][:width])[0] * width**-0.5 for key in range(keys)]
            scores = [score + m for score, m in zip(scores, arrays["mask"].values[query * keys :][:keys])]
            place = (query * sizes.heads + head) * width
            result[place : place + width] = [(value, 2e-5 * size + 1e-6) for value, size in row_of(scores, v, width, first)]
    return {"output": result}


def attention_launches(kernel, sizes, _arrays):
    queries, keys, kv_heads, row = sizes.queries, sizes.keys, sizes.kv_heads, sizes.row_bytes
    blocks = (-(-keys // KEYS_A_STEP), -(-queries // QUERIES_A_GROUP))
    pad_bytes = 2 * row * KEYS_A_STEP * kv_heads + 2 * KEYS_A_STEP * queries
    scratch = 16 * 32 * 4 if sizes.kind == "q8_0" else 0
    padded = -(-sizes.head // 64) * 64
    stride = str(row // sizes.unit_bytes)
    flags = {300: "true", 301: "false", 302: "false", 303: "false", 304: "true", 310: str(queries % 8 != 0).lower()}
    return [
        Launch(
            source=source("fa_aux.metal"),
            kernel="kernel_flash_attn_ext_pad",
            grid=(KEYS_A_STEP, kv_heads, 1),
            group=(32, 1, 1),
            inputs={0: "pad arguments", 1: "k", 2: "v", 3: "mask"},
            outputs={4: ("pad", "u8", pad_bytes)},
            constants={100: "true", 125: str(KEYS_A_STEP)},
        ),
        Launch(
            source=source("fa_aux.metal"),
            kernel="kernel_flash_attn_ext_blk",
            grid=(*blocks, 1),
            group=(32, 1, 1),
            inputs={0: "block arguments", 1: "mask"},
            outputs={2: ("blocks", "i8", blocks[0] * blocks[1])},
            constants={224: str(QUERIES_A_GROUP), 225: str(KEYS_A_STEP)},
        ),
        Launch(
            source=source(f"fa_{sizes.kind}.metal"),
            kernel=kernel,
            grid=(blocks[1], sizes.heads, 1),
            group=(32, 4, 1),
            inputs={0: "arguments", 1: "q", 2: "k", 3: "v", 4: "mask", 5: "q", 6: "pad", 7: "blocks"},
            outputs={8: ("output", "f32", queries * sizes.heads * sizes.head)},
            constants={**flags, 320: stride, 321: stride, 322: "4"},
            threadgroup={0: -(-2 * (QUERIES_A_GROUP * (sizes.head + 2 * padded + 4 * KEYS_A_STEP) + scratch) // 16) * 16},
        ),
    ]


def attention(kind, head, queries, keys, heads, kv_heads, reports=()):
    kernel = f"kernel_flash_attn_ext_{kind}_dk{head}_dv{head}"
    sizes = Sizes(kind, head, queries, keys, heads, kv_heads)
    return Case(
        name=kernel,
        project=PROJECT,
        compared=f"{queries} queries, {keys} keys, {heads} heads on {kv_heads}, mask; after kernel_flash_attn_ext_pad and _blk",
        tolerance="2e-5 of the sum of sizes",
        arrays=functools.partial(attention_arrays, kernel, sizes),
        launches=functools.partial(attention_launches, kernel, sizes),
        expected=functools.partial(attention_expected, sizes),
        reports=reports,
    )


def all_cases():
    unwritten = ("uninitialized_read",)
    return [
        mul_mm("f32", 68, 36, 64),
        mul_mm("f16", 68, 36, 104, heads=2),
        mul_mm("bf16", 64, 32, 96),
        mul_mm("q4_0", 68, 36, 64),
        mul_mm("q8_0", 128, 32, 96),
        soft_max("f32", 70, 1, 2),
        soft_max("f16", 384, 1, 1),
        rms_norm(512, 3, fused=True),
        rms_norm(70, 3, fused=False),
        attention("f16", 64, 10, 104, 4, 2),
        attention("q8_0", 64, 9, 72, 2, 2),
        attention("q8_0", 96, 9, 72, 2, 1),
        # The last block is copied as float4, which rows of 70 numbers do not align.
        mul_mm("f32", 70, 36, 64, variant="_of_70_rows", reports=("misaligned",)),
        # A head of 96 is computed as one of 128, whose last columns of the result nobody has set to zero.
        attention("f16", 96, 9, 72, 2, 1, reports=unwritten),
        # The destination of the tensor operation accumulates without having been set to zero.
        mul_mm("f16", 70, 36, 104, tensor=True, reports=unwritten),
        mul_mm("f16", 70, 36, 104, tensor=True, variant="_zeroed", device=("--imitate", "zero_cooperative_destinations")),
    ]
