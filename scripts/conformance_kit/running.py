"""Runs the launches of a case with `tilewright emulate` and compares what comes back."""

import dataclasses
import json
import math
import os
import subprocess

from .arrays import read_npy, write_npy
from .packages import PACKAGES, Unavailable, source_folder

LAUNCH_SECONDS = 300
FAULTS_SHOWN = 4
REFUSAL_LINES = 9


@dataclasses.dataclass
class Outcome:
    status: str  # passed, failed, skipped
    detail: str = ""
    reports: list = dataclasses.field(default_factory=list)


class Refused(Exception):
    """The emulator ran nothing; the text says why."""


class Workshop:
    """The cache folder, the program that is tested, and where sources are looked for first."""

    def __init__(self, tool, cache, schedules):
        self.tool = tool
        self.cache = cache
        self.schedules = schedules
        self.replaced = {}  # package -> folder with changed copies of its files
        self.unavailable = {}

    def package_folder(self, name):
        if name in self.unavailable:
            raise Unavailable(self.unavailable[name])
        if name in self.replaced:
            return self.replaced[name]
        try:
            return source_folder(PACKAGES[name], self.cache)
        except Unavailable as error:
            self.unavailable[name] = str(error)
            raise

    def source_file(self, source, stem):
        """The .metal file, and the folders and macros that it is compiled with."""
        folder = self.package_folder(source.package)
        path = os.path.join(folder, source.path)
        if not source.path:
            path = os.path.join(self.cache, "work", stem + ".metal")
            with open(path, "w") as file:
                file.write(source.text)
        options = ["--dialect", source.dialect, "--metal", source.metal]
        for include in source.includes:
            options += ["--include", os.path.join(folder, include)]
        for define in source.defines:
            options += ["--define", define]
        return path, options


def number_list(values):
    return ",".join(map(str, values))


def command_of(workshop, launch, arrays, stem):
    work = os.path.join(workshop.cache, "work")
    path, options = workshop.source_file(launch.source, stem)
    command = [workshop.tool, "emulate", path, "--kernel", launch.kernel, "--json", "--timeout", str(LAUNCH_SECONDS)]
    command += ["--grid", number_list(launch.grid), "--group", number_list(launch.group), *options]
    command += ["--schedules", str(workshop.schedules), *launch.device]
    for index, name in launch.inputs.items():
        file = os.path.join(work, f"{stem}-{index}.npy")
        write_npy(file, arrays[name])
        command += ["--buffer", f"{index}={file}:ro"]
    for index, (_, element, count) in launch.outputs.items():
        kind = "u16" if element == "bf16" else element
        command += ["--buffer", f"{index}=out:{kind}:{count}", "--out", f"{index}={os.path.join(work, f'{stem}-{index}.npy')}"]
    for index, value in launch.constants.items():
        command += ["--constant", f"{index}={value}"]
    for index, size in launch.threadgroup.items():
        command += ["--threadgroup", f"{index}={size}"]
    return command


def run_launch(workshop, launch, arrays, stem):
    """Puts the outputs into `arrays`; returns the reports."""
    command = command_of(workshop, launch, arrays, stem)
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=2 * LAUNCH_SECONDS)
    try:
        answer = json.loads(result.stdout)
    except ValueError:
        answer = {}
    if result.returncode not in (0, 1) or "reports" not in answer:
        lines = (result.stderr or result.stdout).strip().splitlines()[:REFUSAL_LINES]
        raise Refused("\n".join([f"{launch.kernel}: exit status {result.returncode}", *lines]))
    work = os.path.join(workshop.cache, "work")
    for index, (name, element, _) in launch.outputs.items():
        file = os.path.join(work, f"{stem}-{index}.npy")
        if os.path.exists(file):
            arrays[name] = read_npy(file, element)
    return answer["reports"]


def differences(found, expected):
    """What is off, in words; empty when all is within the slack."""
    wrong = []
    for index, (got, (value, allowed)) in enumerate(zip(found, expected)):
        if not abs(got - value) <= allowed and not (math.isinf(value) and got == value):
            wrong.append(f"[{index}] is {got!r}, expected {value!r} within {allowed:.3g}")
    if len(found) != len(expected):
        wrong.append(f"{len(found)} elements, expected {len(expected)}")
    return wrong


def report_line(report):
    return f"{report.get('file', '')}:{report.get('line', 0)}: {report['kind']}: {report.get('message', '')}"


def run_case(workshop, case, arrays=None):
    os.makedirs(os.path.join(workshop.cache, "work"), exist_ok=True)
    arrays = dict(arrays or case.arrays())
    reports = []
    try:
        for number, launch in enumerate(case.launches(arrays)):
            reports += run_launch(workshop, launch, arrays, f"{case.name}-{number}")
    except Unavailable as error:
        return Outcome("skipped", str(error))
    except Refused as error:
        return Outcome("failed", str(error))
    return judged(case, arrays, reports)


def judged(case, arrays, reports):
    kinds = {report["kind"] for report in reports}
    if kinds != set(case.reports):
        lines = [report_line(report) for report in reports[:FAULTS_SHOWN]]
        wanted = ", ".join(case.reports) or "none"
        return Outcome("failed", "\n".join([f"reports expected: {wanted}; found: {len(reports)}", *lines]), reports)
    if case.reports:
        return Outcome("passed", f"reported as expected: {', '.join(sorted(kinds))}", reports)
    for name, expected in case.expected(arrays).items():
        if wrong := differences(arrays[name].values, expected):
            lines = [f"{len(wrong)} of {len(expected)} elements of {name} are wrong", *wrong[:FAULTS_SHOWN]]
            return Outcome("failed", "\n".join(lines), reports)
    return Outcome("passed", case.compared, reports)
