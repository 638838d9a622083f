"""Where the sources come from: packages of PyPI, pinned by version and SHA-256, fetched with pip and kept in a cache folder."""

import dataclasses
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

DOWNLOAD_SECONDS = 600


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    version: str
    archive: str  # file name that pip stores
    sha256: str
    members: tuple  # prefixes of the archive's members that are unpacked
    pip_options: tuple  # what makes pip choose this archive
    licence: str

    @property
    def title(self):
        return f"{self.name} {self.version}"


WHEEL_OF_MACOS = ("--only-binary=:all:", "--platform=macosx_14_0_arm64")

PACKAGES = {
    package.name: package
    for package in (
        Package(
            name="llama-cpp-python",
            version="0.3.36",
            archive="llama_cpp_python-0.3.36.tar.gz",
            sha256="832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
            members=(
                "llama_cpp_python-0.3.36/vendor/llama.cpp/ggml/src/ggml-metal/",
                "llama_cpp_python-0.3.36/vendor/llama.cpp/ggml/src/ggml-common.h",
            ),
            pip_options=("--no-binary=:all:",),
            licence="MIT",
        ),
        Package(
            name="mlx-metal",
            version="0.32.4",
            archive="mlx_metal-0.32.4-py3-none-macosx_14_0_arm64.whl",
            sha256="8019b2db622599267d66cc168b2f0dbf5af929790a6c3b3913e00eabc42a7947",
            members=("mlx/include/mlx/backend/metal/kernels/",),
            pip_options=WHEEL_OF_MACOS,
            licence="MIT",
        ),
        Package(
            name="torch",
            version="2.15.0",
            archive="torch-2.15.0-cp312-cp312-macosx_14_0_arm64.whl",
            sha256="593e5fd0c204284890d1c3dff643be34e549e1d24523e13402510f960d4da438",
            members=("torch/include/ATen/native/mps/kernels/", "torch/include/c10/metal/"),
            pip_options=WHEEL_OF_MACOS + ("--python-version=3.12",),
            licence="BSD-3-Clause",
        ),
        Package(
            name="mps-bitsandbytes",
            version="0.7.0",
            archive="mps_bitsandbytes-0.7.0.tar.gz",
            sha256="7f8553a9ed630644ebe82ee87a0aebdb23a81b2894b09ce4af6e27c1fb3c9973",
            members=("mps_bitsandbytes-0.7.0/mps_bitsandbytes/kernels/",),
            pip_options=("--no-binary=:all:",),
            licence="MIT",
        ),
    )
}


class Unavailable(Exception):
    """A package that could not be had; the text says why."""


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def require_digest(package, archive):
    found = sha256_of(archive)
    if found != package.sha256:
        os.remove(archive)
        raise Unavailable(f"{package.archive} has SHA-256 {found}, expected {package.sha256}")


def download(package, folder):
    """The digest is checked by pip before it runs the build backend of a source distribution, and again here."""
    requirement = os.path.join(folder, package.name + ".txt")
    with open(requirement, "w") as file:
        file.write(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--dest", folder]
    command += list(package.pip_options) + ["-r", requirement]
    try:
        result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DOWNLOAD_SECONDS)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"pip took longer than {DOWNLOAD_SECONDS} s") from None
    if result.returncode != 0:
        lines = [line for line in result.stdout.splitlines() if line.strip()] or ["pip said nothing"]
        raise Unavailable(f"pip: {lines[-1].strip()}")


def wanted(package, member):
    return member.startswith(package.members) and ".." not in member.split("/") and not member.endswith("/")


def write_member(folder, member, stream):
    path = os.path.join(folder, member)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        shutil.copyfileobj(stream, file)


def unpack(package, archive, folder):
    if archive.endswith(".whl"):
        with zipfile.ZipFile(archive) as bundle:
            for member in bundle.namelist():
                if wanted(package, member):
                    with bundle.open(member) as stream:
                        write_member(folder, member, stream)
        return
    with tarfile.open(archive) as bundle:
        for member in bundle:
            if member.isfile() and wanted(package, member.name):
                write_member(folder, member.name, bundle.extractfile(member))


def source_folder(package, cache):
    """The folder with the unpacked sources; fetches what is not there yet."""
    folder = os.path.join(cache, "sources", f"{package.name}-{package.version}")
    if os.path.isdir(folder):
        return folder
    downloads = os.path.join(cache, "downloads")
    os.makedirs(downloads, exist_ok=True)
    archive = os.path.join(downloads, package.archive)
    if not os.path.exists(archive):
        download(package, downloads)
    if not os.path.exists(archive):
        raise Unavailable(f"pip stored no {package.archive}")
    require_digest(package, archive)
    fresh = folder + ".new"
    shutil.rmtree(fresh, ignore_errors=True)
    unpack(package, archive, fresh)
    os.rename(fresh, folder)
    os.remove(archive)  # the wheels are large, the few members that count are unpacked
    return folder
