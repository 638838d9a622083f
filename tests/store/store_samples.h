// Keys and artifacts for tests of the store.
#pragma once

#include <string>

#include "artifact/artifact.h"
#include "store/entry_key.h"

namespace tilewright::store {

inline EntryKey sample_key(int number = 0) {
  EntryKey key;
  key.add("program", "gemm").add("M", std::to_string(number)).add("noalias", "false");
  return key;
}

/// Every field holds something; `number` is all over it.
inline artifact::Artifact sample_artifact(int number = 0, std::size_t code_bytes = 200) {
  artifact::Artifact made;
  made.program = "gemm" + std::to_string(number);
  made.target = "cpu:some";
  made.kind = artifact::CodeKind::Object;
  for (std::size_t i = 0; i < code_bytes; ++i)
    made.code += static_cast<char>((i * 31 + static_cast<unsigned>(number)) % 251);
  made.bindings.push_back({"A", artifact::BindingKind::Argument, artifact::BindingAccess::Read, DataType::F16, 12, {}});
  made.bindings.push_back({"t", artifact::BindingKind::Temporary, artifact::BindingAccess::ReadWrite, DataType::F32, 3,
                           artifact::TensorBinding{{2, 3}, {1, 2}}});
  artifact::GroupLaunch group;
  group.groups = {3, 2, 1};
  group.workers = 64;
  group.bindings = {0, 1};
  group.fences = artifact::FenceRecord{4, 2, true, "because"};
  made.launches.push_back({"tw0_gemm", {number, 2}, number * 2, 64, 100, {}});
  made.launches.push_back({"tw1_gemm", {}, 1, 0, 0, group, true});
  made.families = {"cpu.vector"};
  made.language_version = 310;
  made.flags = {"ieee-strict", "noalias"};
  made.hashes = {{"plan", "abc"}, {"text", "def"}};
  made.externals = {"expf", "memset"};
  return made;
}

}  // namespace tilewright::store
