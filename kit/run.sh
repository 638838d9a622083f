#!/bin/bash
# Compiles the host program of this kit and runs it: ./run.sh [--rounds N] [--device N]
# Exit status: 0 pass, 1 fail, 2 this Mac or this folder does not fit.
set -u -o pipefail
cd "$(dirname "$0")" || exit 2

cannot_run() {
  echo "$1"
  echo "CANNOT RUN"
  exit 2
}

[ "$(uname -s)" = Darwin ] || cannot_run "expected macOS, found $(uname -s); on Linux: tilewright emulate --kit DIR"
xcrun --find clang++ >/dev/null 2>&1 || cannot_run "expected the command line tools of Xcode, found none: xcode-select --install"

build=$(mktemp -d "${TMPDIR:-/tmp}/tilewright-kit.XXXXXX") || cannot_run "no temporary folder can be made"
trap 'rm -rf "$build"' EXIT
{
  xcrun clang++ -std=c++17 -O2 -fobjc-arc -Wall main.mm -o "$build/host" \
    -framework Metal -framework Foundation -framework CoreGraphics ||
    cannot_run "the host program does not compile; the messages above say why"
  "$build/host" . "$@"
} 2>&1 | tee result.txt
