#include "report/kit_report.h"

#include <fmt/format.h>

#include "report/check_report.h"
#include "report/schema.h"

namespace tilewright::report {

using KitJson = nlohmann::ordered_json;

std::string kit_text(const driver::KitReport& report) {
  std::string cases;
  for (const driver::KitCase& one : report.kit.cases) cases += (cases.empty() ? "" : ", ") + one.contents;
  const std::string folder = driver::shell_word(report.folder);
  return fmt::format(
      "wrote {} files of {} bytes to {}, cases: {}\non a Mac: {}/run.sh\nhere: tilewright emulate --kit {}\n",
      report.kit.files.size() + 1, report.bytes, report.folder, cases, folder, folder);
}

std::string kit_emulation_text(const driver::KitEmulation& emulation) {
  const driver::Kit& kit = emulation.kit;
  std::string text = fmt::format("kit {}: {} for {}\n", emulation.folder, kit.program, kit.target);
  for (const driver::FillCheck& check : emulation.cases) text += check_line(check);
  return text + fmt::format("{} launches in {:.0f} ms\n{}\n", kit.launches.size(), emulation.milliseconds,
                            emulation.ok() ? "PASS" : "FAIL");
}

std::string kit_emulation_json(const driver::KitEmulation& emulation) {
  const driver::Kit& kit = emulation.kit;
  KitJson json = {{"schema", kSchema}, {"kit", emulation.folder}, {"program", kit.program}, {"target", kit.target}};
  json["bindings"] = KitJson::object();
  for (const auto& [name, value] : kit.bindings) json["bindings"][name] = value;
  json["ok"] = emulation.ok();
  json["checks"] = KitJson::array();
  for (const driver::FillCheck& check : emulation.cases) json["checks"].push_back(check_json(check));
  json["launches"] = KitJson::array();
  for (const driver::KitLaunch& launch : kit.launches) json["launches"].push_back(launch.entry);
  json["milliseconds"] = emulation.milliseconds;
  return json.dump(2, ' ', false, KitJson::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
