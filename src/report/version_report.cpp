#include "report/version_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/schema.h"

namespace tilewright::report {

std::string version_text(const driver::VersionFacts& facts) {
  return fmt::format("tilewright {}\nLLVM {}\nhost {}, {} core{}\n", facts.version, facts.llvm,
                     facts.host.empty() ? "unknown" : facts.host, facts.cores, facts.cores == 1 ? "" : "s");
}

std::string version_json(const driver::VersionFacts& facts) {
  const nlohmann::ordered_json json = {{"schema", kSchema},
                                       {"version", facts.version},
                                       {"llvm", facts.llvm},
                                       {"host", facts.host},
                                       {"cores", facts.cores}};
  return json.dump(2) + "\n";
}

}  // namespace tilewright::report
