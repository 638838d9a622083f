#include "report/cache_report.h"

#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/schema.h"

namespace tilewright::report {

namespace {

using CacheJson = nlohmann::ordered_json;

std::string dump(const CacheJson& json) { return json.dump(2, ' ', false, CacheJson::error_handler_t::replace) + "\n"; }

std::string utc_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

/// "gemm M=64 N=64 for znver5"
std::string key_text(const store::EntryKey& key) {
  const auto value = [&](std::string_view field) {
    const std::string* found = key.find(field);
    return found == nullptr ? std::string("?") : *found;
  };
  std::string text = value("name");
  constexpr std::string_view kBinding = "binding ", kType = "type ";
  for (const store::KeyField& field : key.fields())
    for (std::string_view kind : {kBinding, kType})
      if (field.name.starts_with(kind)) text += fmt::format(" {}={}", field.name.substr(kind.size()), field.value);
  return text + " for " + value("processor");
}

CacheJson entry_json(const store::EntrySummary& entry) {
  CacheJson json = {{"file", entry.file}, {"bytes", entry.bytes}, {"used_seconds", entry.used_seconds}};
  json["damage"] = entry.key ? CacheJson(nullptr) : CacheJson(entry.damage);
  json["key"] = nullptr;
  if (entry.key)
    for (const store::KeyField& field : entry.key->fields()) json["key"][field.name] = field.value;
  return json;
}

}  // namespace

std::string cache_text(const driver::CacheReport& report) {
  std::string text = fmt::format("{}: {} {}, {} of {} bytes\n", report.folder, report.entries.size(),
                                 report.entries.size() == 1 ? "entry" : "entries", report.bytes, report.limit_bytes);
  for (const store::EntrySummary& entry : report.entries)
    text += fmt::format("  {}  {:>8} bytes  {}\n", utc_text(entry.used_seconds), entry.bytes,
                        entry.key ? key_text(*entry.key) : entry.file + ": damaged: " + entry.damage);
  return text;
}

std::string cache_json(const driver::CacheReport& report) {
  CacheJson json = {{"schema", kSchema},
                    {"folder", report.folder},
                    {"bytes", report.bytes},
                    {"limit_bytes", report.limit_bytes},
                    {"entries", CacheJson::array()}};
  for (const store::EntrySummary& entry : report.entries) json["entries"].push_back(entry_json(entry));
  return dump(json);
}

std::string cache_clear_text(const driver::CacheClearReport& report) {
  return fmt::format("{}: removed {} {}, {} bytes\n", report.folder, report.entries,
                     report.entries == 1 ? "entry" : "entries", report.bytes);
}

std::string cache_clear_json(const driver::CacheClearReport& report) {
  return dump({{"schema", kSchema},
               {"folder", report.folder},
               {"cleared_entries", report.entries},
               {"cleared_bytes", report.bytes}});
}

}  // namespace tilewright::report
