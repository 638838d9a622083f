#include "proof/verdict.h"

namespace tilewright::proof {

std::string_view kind_name(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::Proved:
      return "proved";
    case Finding::Kind::Refuted:
      return "refuted";
    case Finding::Kind::Unknown:
      return "unknown";
  }
  return "?";
}

}  // namespace tilewright::proof
