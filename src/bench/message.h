// Lines between the bench and its contestants: fields parted by tabs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::bench {

using Fields = std::vector<std::string>;

/// One line, its end included; tabs, ends of lines and backslashes in fields are escaped.
std::string encode_message(const Fields& fields);
/// Of a line without its end.
Fields decode_message(std::string_view line);

/// Descriptors that a contestant finds open: it reads orders, writes answers, and puts outputs.
inline constexpr int kOrderDescriptor = 3, kAnswerDescriptor = 4, kOutputDescriptor = 5;

/// The verbs. Orders and what is answered:
///   (start)                                               hello VERSION CORE VARIANT..  |  refused REASON
///   prepare PROGRAM M N K VARIANT PLAN (NAME VALUE)..     ready SLOT HARMED NS MULTIPLY_ADDS  |  refused REASON
///   sample SLOT CALLS WARM CLOCK                          time NS
///   release                                               done
/// prepare runs on a poisoned output, puts the output, and measures one call roughly. HARMED counts bytes beside the
/// operands that changed. sample makes WARM untimed calls and then CALLS timed ones, in up to eleven parts; NS is of
/// one call, the median of the parts.
inline constexpr std::string_view kHello = "hello", kRefused = "refused", kPrepare = "prepare", kReady = "ready",
                                  kSample = "sample", kTime = "time", kRelease = "release", kDone = "done",
                                  kWallClock = "wall", kProcessorClock = "processor";

}  // namespace tilewright::bench
