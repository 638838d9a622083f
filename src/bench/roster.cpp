#include "bench/roster.h"

#include <algorithm>

namespace tilewright::bench {

namespace {

constexpr double kStartSeconds = 120;

/// The first three numbers of a longer version.
std::string short_version(const std::string& version) {
  std::size_t end = 0;
  for (int dots = 0; end < version.size(); ++end)
    if (version[end] == '.' && ++dots == 3) break;
  return version.substr(0, end);
}

class RosterMaker {
 public:
  RosterMaker(const BenchRequest& request, const OutputFile& output) : request_(request), output_(output) {}

  Result<Roster> make() {
    TW_TRY_VOID(add_builtin(LibraryKind::Tilewright, Role::Ours));
    for (const LibraryKind kind : request_.peers)
      if (kind == LibraryKind::Broken) TW_TRY_VOID(add_builtin(kind, Role::Peer));
    TW_TRY_VOID(add_peers());
    const bool rows = std::any_of(request_.suite.problems.begin(), request_.suite.problems.end(),
                                  [](const Problem& problem) { return is_row_program(problem.program); });
    if (rows) {
      TW_TRY_VOID(add_builtin(LibraryKind::Passes, Role::Peer));
      TW_TRY_VOID(add_builtin(LibraryKind::Copy, Role::Copy));
    }
    TW_TRY_VOID(add_builtin(LibraryKind::Peak, Role::Peak));
    return std::move(roster_);
  }

 private:
  Result<void> add_builtin(LibraryKind kind, Role role) {
    const std::string name(library_kind_name(kind));
    TW_TRY(auto worker, Worker::start(request_.program, kind, {"", request_.threads}, output_));
    const Answer hello = worker.greeting(kStartSeconds);
    if (!hello.is(kHello)) {
      if (role == Role::Ours)
        return failure(DiagCode::ToolMissing, "the process of '" + name + "' did not start: " + hello.reason,
                       "this program must be able to start itself");
      return {};
    }
    if (role == Role::Peak && hello.fields.size() > 2) roster_.peak_name = hello.fields[2];
    add(std::move(worker), Roster::kNoPeer, role, name, hello);
    return {};
  }

  Result<void> add_peers() {
    std::vector<LibraryKind> kinds;
    for (const LibraryKind kind : peer_kinds())
      if (std::find(request_.peers.begin(), request_.peers.end(), kind) != request_.peers.end()) kinds.push_back(kind);
    const std::vector<PeerFile> files = find_peers(request_.search, kinds);
    for (const PeerFile& file : files) {
      const auto count = std::ranges::count(files, file.kind, &PeerFile::kind);
      TW_TRY_VOID(add_peer(file, count > 1));
    }
    return {};
  }

  Result<void> add_peer(const PeerFile& file, bool has_namesakes) {
    PeerReport peer;
    peer.kind = peer.name = library_kind_name(file.kind);
    peer.file = file.file;
    peer.reason = file.reason;
    if (file.file.empty()) {
      roster_.peers.push_back(std::move(peer));
      return {};
    }
    TW_TRY(auto worker, Worker::start(request_.program, file.kind, {file.file, request_.threads}, output_));
    const Answer hello = worker.greeting(kStartSeconds);
    if (!hello.is(kHello) || hello.fields.size() < 4) {
      peer.reason = hello.reason;
      roster_.peers.push_back(std::move(peer));
      return {};
    }
    peer.version = hello.fields[1];
    peer.core = hello.fields[2];
    peer.present = true;
    if (has_namesakes) peer.name = free_name(peer.kind + "-" + short_version(peer.version));
    const std::string name = peer.name;
    roster_.peers.push_back(std::move(peer));
    add(std::move(worker), roster_.peers.size() - 1, Role::Peer, name, hello);
    return {};
  }

  bool is_taken(const std::string& name) const {
    return std::any_of(roster_.peers.begin(), roster_.peers.end(),
                       [&](const PeerReport& peer) { return peer.present && peer.name == name; });
  }

  std::string free_name(const std::string& wanted) const {
    std::string name = wanted;
    for (int i = 2; is_taken(name); ++i) name = wanted + "#" + std::to_string(i);
    return name;
  }

  void add(Worker worker, std::size_t peer, Role role, const std::string& name, const Answer& hello) {
    roster_.workers.push_back(std::move(worker));
    roster_.peer_of_worker.push_back(peer);
    for (std::size_t i = 3; i < hello.fields.size(); ++i) {
      const std::string& variant = hello.fields[i];
      roster_.contestants.push_back(
          {variant.empty() ? name : name + ":" + variant, role, roster_.workers.size() - 1, i - 3});
    }
  }

  const BenchRequest& request_;
  const OutputFile& output_;
  Roster roster_;
};

}  // namespace

Result<Roster> make_roster(const BenchRequest& request, const OutputFile& output) {
  return RosterMaker(request, output).make();
}

}  // namespace tilewright::bench
