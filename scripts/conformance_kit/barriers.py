"""Deletes each barrier of the public kernels, one at a time, and requires a report or a reason why it is redundant."""

import dataclasses
import fnmatch
import os
import re
import shutil

from . import running
from .barrier_table import PLACES, REDUNDANT
from .packages import Unavailable

BARRIER = re.compile(r"\b(?:threadgroup|simdgroup)_barrier\s*\([^;]*?\)\s*;")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Barrier:
    place: object
    number: int  # among the barriers of the function, from 1
    line: int
    start: int
    end: int
    text: str

    def __str__(self):
        return f"{os.path.basename(self.place.file)}:{self.line}, {self.place.function}, barrier {self.number}: {self.text}"


def blanked(text):
    """The text with comments turned into blanks, of the same length."""
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def closing(text, position, opening, end):
    depth = 0
    for index in range(position, len(text)):
        depth += (text[index] == opening) - (text[index] == end)
        if depth == 0:
            return index
    raise ValueError(f"no closing {end}")


def body_of(text, function, occurrence):
    """Where the body of a function's definition starts and ends."""
    for found in re.finditer(rf"\b{re.escape(function)}\s*\(", text):
        after = closing(text, found.end() - 1, "(", ")") + 1
        if re.match(r"\s*(?:const\s*)?(?:thread\s*)?\{", text[after:]):
            occurrence -= 1
            if occurrence == 0:
                start = text.index("{", after)
                return start, closing(text, start, "{", "}")
    raise ValueError(f"no definition of {function}")


def barriers_of(place, text):
    clean = blanked(text)
    start, end = body_of(clean, place.function, place.occurrence)
    result = []
    for number, found in enumerate(BARRIER.finditer(clean, start, end), 1):
        statement = re.sub(r"\s+", " ", text[found.start() : found.end() - 1])
        line = text.count("\n", 0, found.start()) + 1
        result.append(Barrier(place, number, line, found.start(), found.end(), statement))
    return result


def reason_of(barrier):
    for entry in REDUNDANT:
        fits = barrier.place.file.endswith(entry.file) and entry.function in ("", barrier.place.function)
        if fits and (barrier.number in entry.numbers or entry.text == barrier.text):
            return entry.reason
    return None


def without(text, barrier):
    gap = re.sub(r"[^\n]", " ", text[barrier.start : barrier.end - 1])
    return text[: barrier.start] + gap + text[barrier.end - 1 :]


def outcome_of(workshop, barrier, cases):
    """The first report that a case gives which it does not give as written."""
    notes = []
    for case in cases:
        outcome = running.run_case(workshop, case)
        if outcome.status == "skipped":
            return outcome
        fresh = [report for report in outcome.reports if report["kind"] not in case.reports]
        if fresh:
            return running.Outcome("passed", f"{case.name}: {running.report_line(fresh[0])}")
        notes.append(f"{case.name}: {'nothing changed' if outcome.status == 'passed' else outcome.detail}")
    return running.Outcome("failed", "not reported\n" + "\n".join(notes))


def mutated_copy(workshop, place):
    original = workshop.package_folder(place.package)
    copy = os.path.join(workshop.cache, "work", "without-a-barrier", place.package)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(original, copy)
    return copy


def show(status, barrier, detail):
    first, *rest = detail.splitlines()
    print(f"{status:<10} {barrier}: {first}", *rest, sep="\n    ", flush=True)


def run_place(workshop, place, cases, counts):
    try:
        folder = mutated_copy(workshop, place)
    except Unavailable as error:
        counts["skipped"] += 1
        print(f"{'skipped':<10} {place.file}: {error}", flush=True)
        return
    path = os.path.join(folder, place.file)
    with open(path) as file:
        text = file.read()
    workshop.replaced[place.package] = folder
    try:
        for barrier in barriers_of(place, text):
            if reason := reason_of(barrier):
                counts["redundant"] += 1
                show("redundant", barrier, reason)
                continue
            with open(path, "w") as file:
                file.write(without(text, barrier))
            outcome = outcome_of(workshop, barrier, cases)
            counts[outcome.status] += 1
            show(outcome.status, barrier, outcome.detail)
    finally:
        del workshop.replaced[place.package]


def run_all(workshop, cases):
    counts = {"passed": 0, "failed": 0, "skipped": 0, "redundant": 0}
    for place in PLACES:
        fitting = [case for case in cases if any(fnmatch.fnmatchcase(case.name, pattern) for pattern in place.cases)]
        if fitting:
            run_place(workshop, place, fitting, counts)
    print(f"{counts['redundant']} barriers are redundant for the reason given")
    return counts
