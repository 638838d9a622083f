"""What a case is: a public kernel, how its project launches it, and what it must compute."""

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Source:
    """A .metal file of a package, or the few lines that a project's own .metal file consists of: includes and instances."""

    package: str
    path: str = ""  # inside the package; empty: `text`
    text: str = ""
    includes: tuple = ()  # folders inside the package
    defines: tuple = ()
    dialect: str = "c++20"
    metal: str = "3.2"  # version of the language


@dataclasses.dataclass(frozen=True)
class Launch:
    """One dispatch. Buffers are named; an output is an input of a later launch."""

    source: Source
    kernel: str
    grid: tuple  # threadgroups
    group: tuple  # threads of a threadgroup
    inputs: dict  # index -> name of an array
    outputs: dict  # index -> (name, element type, count)
    constants: dict = dataclasses.field(default_factory=dict)  # function constants: id -> text
    threadgroup: dict = dataclasses.field(default_factory=dict)  # index -> bytes
    device: tuple = ()  # further options of `tilewright emulate` that say which device is meant


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    project: str
    compared: str  # what is compared with what, for people
    tolerance: str
    arrays: typing.Callable  # () -> {name: Array}
    launches: typing.Callable  # ({name: Array}) -> [Launch]
    expected: typing.Callable  # ({name: Array}) -> {name of an output: [(value, slack), ..]}
    reports: tuple = ()  # the kinds of report that the kernel must cause, none for a kernel that is right


@dataclasses.dataclass(frozen=True)
class Missing:
    """A kernel that ought to be here and is in no package."""

    name: str
    project: str
    why: str
