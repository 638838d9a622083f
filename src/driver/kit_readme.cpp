#include "driver/kit_readme.h"

#include <fmt/format.h>

namespace tilewright::driver {

namespace {

std::string version_text(int version) { return fmt::format("{}.{}", version / 100, version % 100 / 10); }

std::string heading(const Kit& kit) {
  std::string text = fmt::format("# {} for a Mac\n\n", kit.program);
  text += fmt::format(
      "A kit of Tilewright {}: the Metal kernels of the program `{}` ({}, MSL {}, planned for `{}`), inputs, the "
      "results "
      "that are expected, and a small host program that compares and measures.\n\n",
      kit.made_by, kit.program, kit.target, version_text(kit.language_version), kit.device);
  if (!kit.bindings.empty()) {
    text += "Sizes and types:";
    for (const auto& [name, value] : kit.bindings) text += fmt::format(" `{}={}`", name, value);
    text += "\n\n";
  }
  return text + fmt::format("Made by\n\n```\n{}\n```\n\n", kit.command);
}

constexpr const char* kHowToRun = R"(## Run it

On a Mac with the command line tools of Xcode (`xcode-select --install`):

```
./run.sh
```

That compiles `main.mm` into a temporary folder, lets Metal compile `kernels.metal`, runs every case twice on guarded,
poisoned buffers, compares every element, and measures. It needs no network and changes nothing but `result.txt` here.

**No Apple compiler has seen `main.mm` or `kernels.metal`.** On Linux, kernels like these run on an emulator, the comparison
in `check.h` is tested, and the Metal calls of `main.mm` are held against declarations made by hand. If
`main.mm` does not compile, the message of the compiler is a useful answer too; it may be repaired here, since what the
kernels and the numbers depend on is checked by digest and the host program is not.

## What it says

```
device   Apple M1 Max
case     dyadic: ok, 2145 elements within their bounds, largest error 0
case     random:1: ok, 2145 elements within their bounds, largest error 3.1e-07
time     gemm_0: median 12.4 us, 11.9 to 15.2 us, 40 rounds
PASS
```

| last line | exit status | meaning |
|---|---|---|
| `PASS` | 0 | every element of every case is right, and nothing was written beside the outputs |
| `FAIL` | 1 | the line before names the first wrong element: buffer, indices, found, expected, bound; or Metal refused the text or a launch |
| `CANNOT RUN` | 2 | this Mac or this folder does not fit: the line before says what was expected and what was found |

Times are those of the GPU, from the start to the end of a command buffer with one launch. `./run.sh --rounds 200` measures
more rounds, `--device N` takes another GPU.

## Send it back

`result.txt` has everything: send it, with `kit.json` or the digest that `result.txt` names. For a failure the whole folder
helps. On Linux the same folder runs on the emulator: `tilewright emulate --kit DIR`.

)";

std::string file_table(const Kit& kit) {
  std::string text = "## Files\n\n| file | holds |\n|---|---|\n";
  text += "| `run.sh`, `main.mm`, `check.h` | the host program |\n";
  text += fmt::format("| `{}` | the kernels, with the plan in their comment |\n", kit.text_file);
  text +=
      "| `kit.json` | how the kernels are compiled and launched, where the numbers are, sizes and SHA-256 of all files "
      "|\n";
  for (const KitCase& one : kit.cases) {
    for (const auto& [name, array] : one.inputs)
      text += fmt::format("| `{}` | what `{}` holds in the case {} |\n", array.file, name, one.contents);
    for (const auto& [name, images] : one.expected)
      text += fmt::format(
          "| `{}`, `{}`, `{}` | what `{}` must hold then: the value, how far a right result may be from it, and 1 "
          "where "
          "the program stores |\n",
          images.value.file, images.bound.file, images.stored.file, name);
  }
  return text + "\nThe `.npy` files open with `numpy.load`; bf16 is two opaque bytes (`V2`).\n";
}

}  // namespace

std::string kit_readme(const Kit& kit) { return heading(kit) + kHowToRun + file_table(kit); }

}  // namespace tilewright::driver
