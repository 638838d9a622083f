"""Public Metal kernels, fetched by package name, on the emulator: the parts of scripts/conformance."""
