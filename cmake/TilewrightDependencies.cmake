# Third-party libraries. Targets for DEPS: fmt::fmt, nlohmann_json::nlohmann_json, CLI11::CLI11, TBB::tbb,
# Threads::Threads, Boost::context, third_party::isl, third_party::llvm.

find_package(Threads REQUIRED)
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
find_package(fmt CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(TBB CONFIG REQUIRED)

include(TilewrightThirdParty)

if(TILEWRIGHT_TESTS)
  find_package(GTest CONFIG REQUIRED)
  find_package(rapidcheck CONFIG REQUIRED)
endif()
