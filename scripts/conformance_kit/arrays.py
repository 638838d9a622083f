"""Arrays of the element types that kernels use, as plain Python numbers, and .npy files of them."""

import ast
import dataclasses
import math
import random
import struct

# element type -> (code of struct, .npy descriptor, bytes). bf16 travels as its bit patterns: .npy has no such type.
TYPES = {
    "i8": ("b", "|i1", 1),
    "u8": ("B", "|u1", 1),
    "i16": ("h", "<i2", 2),
    "u16": ("H", "<u2", 2),
    "i32": ("i", "<i4", 4),
    "u32": ("I", "<u4", 4),
    "i64": ("q", "<i8", 8),
    "f16": ("e", "<f2", 2),
    "f32": ("f", "<f4", 4),
    "bf16": ("H", "<u2", 2),
}
# type -> (unit roundoff, smallest step)
ROUNDOFF = {"f32": (2.0**-24, 2.0**-149), "f16": (2.0**-11, 2.0**-24), "bf16": (2.0**-8, 2.0**-133)}


def bf16_bits(value):
    """Round to nearest even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if math.isnan(value):
        return 0x7FC0
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def bf16_value(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def rounded(value, element):
    if element == "bf16":
        return bf16_value(bf16_bits(value))
    code = TYPES[element][0]
    return struct.unpack("<" + code, struct.pack("<" + code, value))[0]


@dataclasses.dataclass
class Array:
    element: str
    values: list

    def bytes(self):
        values = [bf16_bits(value) for value in self.values] if self.element == "bf16" else self.values
        return struct.pack(f"<{len(values)}{TYPES[self.element][0]}", *values)


def uniform(name, element, count, low=-1.0, high=1.0):
    """Numbers that the type holds exactly, the same ones in each run."""
    source = random.Random(name)
    return Array(element, [rounded(source.uniform(low, high), element) for _ in range(count)])


def whole(name, element, count, low, high):
    source = random.Random(name)
    return Array(element, [source.randint(low, high) for _ in range(count)])


def raw(data):
    return Array("u8", list(data))


def write_npy(path, values):
    descriptor = TYPES[values.element][1]
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({len(values.values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.bytes())


def read_npy(path, element):
    """One-dimensional values of a file of this element type, whatever its shape."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY" or data[6] not in (1, 2):
        raise ValueError(f"{path} is no .npy file")
    start, code = (10, "<H") if data[6] == 1 else (12, "<I")
    length = struct.unpack_from(code, data, 8)[0]
    header = ast.literal_eval(data[start : start + length].decode("latin1"))
    if header["descr"].lstrip("<|=") != TYPES[element][1].lstrip("<|"):
        raise ValueError(f"{path} holds {header['descr']}, expected {TYPES[element][1]}")
    count = math.prod(header["shape"])
    values = list(struct.unpack_from(f"<{count}{TYPES[element][0]}", data, start + length))
    if element == "bf16":
        values = [bf16_value(bits) for bits in values]
    return Array(element, values)


def dot(a, b):
    """The exact sum of the products, rounded once, and the sum of their sizes."""
    products = [x * y for x, y in zip(a, b)]
    return math.fsum(products), math.fsum(map(abs, products))


def slack(value, magnitude, roundings, element):
    """What may separate a result from `value`: so many FP32 roundings of terms of that size in all, and the rounding to
    the type of the result."""
    unit, step = ROUNDOFF[element]
    return roundings * 2.0**-24 * magnitude + unit * abs(value) + step
