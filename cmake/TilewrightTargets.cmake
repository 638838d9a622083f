# The functions with which every folder declares its targets.
#
#   tw_library(NAME SOURCES a.cpp b.cpp [HOT_SOURCES c.cpp ..] [DEPS ..] [PRIVATE_DEPS ..])
#       Static library tw_NAME of one folder of src/. DEPS are public: tw_support, fmt::fmt, ... PRIVATE_DEPS do not reach
#       those who link NAME. Without a .cpp among SOURCES (or without SOURCES) the library is header-only. HOT_SOURCES:
#       tests spend their time there, so debug builds optimize them lightly; the rest is not optimized, which builds in
#       half the time.
#   tw_test(NAME SOURCES a_test.cpp .. [DEPS ..] [LABELS quick|slow ..] [RAPIDCHECK] [SHARDS N] [TIMEOUT SECONDS])
#       One gtest executable test_NAME and one ctest entry NAME (N entries NAME_0.. with SHARDS, to share the cores).
#       Label quick unless slow is given; the folders under tests/ are labels too. RAPIDCHECK adds rapidcheck and its gtest
#       header. Macros for the sources: TILEWRIGHT_SOURCE_DIR, the root of the tree, and TILEWRIGHT_BINARY, the tool.
#   tw_example_test(NAME COMMAND..)
#       ctest entry example_NAME: the command checks its own results and exits with 0.
#   tw_bench(NAME SOURCES a.cpp .. [DEPS ..])
#       Executable NAME on Google Benchmark; not a test.
#   tw_fuzz(NAME SOURCES a.cpp [DEPS ..])
#       libFuzzer harness fuzz_NAME in tests/fuzz, built with TILEWRIGHT_FUZZ. Seeds: tests/fuzz/corpus/NAME/.

function(tw_note_deps target)
  foreach(dep IN LISTS ARGN)
    set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_DEPS "${target}>${dep}")
  endforeach()
endfunction()

# Called once, after every folder: a misspelt dependency is named here, before it is a riddle of the linker.
function(tw_check_deps)
  get_property(edges GLOBAL PROPERTY TILEWRIGHT_DEPS)
  foreach(edge IN LISTS edges)
    string(REPLACE ">" ";" edge "${edge}")
    list(POP_FRONT edge target dep)
    if(NOT TARGET ${dep})
      message(FATAL_ERROR "${target} depends on ${dep}, which is not a target. Folders of src/ are tw_support, tw_emit_llvm, ...")
    endif()
  endforeach()
endfunction()

function(tw_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HOT_SOURCES;DEPS;PRIVATE_DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tw_library(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target tw_${name})
  tw_note_deps(${target} ${arg_DEPS} ${arg_PRIVATE_DEPS})
  set(units ${arg_SOURCES})
  list(FILTER units INCLUDE REGEX "\\.cpp$")
  if(units)
    set(reach PUBLIC)
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
    if(arg_HOT_SOURCES)
      add_library(${target}_hot OBJECT ${arg_HOT_SOURCES})
      target_link_libraries(${target}_hot PRIVATE ${arg_DEPS} ${arg_PRIVATE_DEPS})
      target_include_directories(${target}_hot PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
      target_compile_options(${target}_hot PRIVATE $<$<CONFIG:Debug>:-O1>)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_hot>)
    endif()
  else()
    set(reach INTERFACE)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_DEPS} ${arg_PRIVATE_DEPS})
  endif()
  target_include_directories(
    ${target} ${reach} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  )
  # Libraries of tests stay in the tree.
  set(product_folder ${PROJECT_SOURCE_DIR}/src)
  cmake_path(IS_PREFIX product_folder "${CMAKE_CURRENT_SOURCE_DIR}" is_product)
  if(is_product)
    install(TARGETS ${target} EXPORT TilewrightExport ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  # Coverage for the fuzzers, where they look: instrumenting the rest would slow every build and test down.
  if(TILEWRIGHT_FUZZ AND units AND name MATCHES "^(support|tile)$")
    foreach(part IN ITEMS ${target} ${target}_hot)
      if(TARGET ${part})
        target_compile_options(${part} PRIVATE -fsanitize=fuzzer-no-link)
      endif()
    endforeach()
  endif()
endfunction()

function(tw_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RAPIDCHECK" "SHARDS;TIMEOUT" "SOURCES;DEPS;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "tw_test(${name}): SOURCES is missing, or unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target test_${name})
  tw_note_deps(${target} ${arg_DEPS})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_DEPS} GTest::gtest_main)
  if(arg_RAPIDCHECK)
    target_link_libraries(${target} PRIVATE rapidcheck rapidcheck_gtest)
  endif()
  target_include_directories(
    ${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/tests
  )
  target_compile_definitions(${target} PRIVATE TILEWRIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(TARGET tilewright)
    target_compile_definitions(${target} PRIVATE TILEWRIGHT_BINARY="$<TARGET_FILE:tilewright>")
    add_dependencies(${target} tilewright)
  endif()

  set(labels ${arg_LABELS})
  if(NOT "slow" IN_LIST labels AND NOT "quick" IN_LIST labels)
    list(APPEND labels quick)
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
  string(REPLACE "/" ";" folder "${folder}")
  list(APPEND labels ${folder})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 900)
    if("slow" IN_LIST labels)
      set(arg_TIMEOUT 1800)
    endif()
  endif()

  set(tests ${name})
  if(arg_SHARDS)
    set(tests "")
    math(EXPR last "${arg_SHARDS} - 1")
    foreach(shard RANGE ${last})
      list(APPEND tests ${name}_${shard})
    endforeach()
  endif()
  set(shard 0)
  foreach(test IN LISTS tests)
    add_test(NAME ${test} COMMAND ${target} --gtest_brief=1)
    # The library is found from the tree, wherever the build directory is.
    set(environment "TILEWRIGHT_HOME=${PROJECT_SOURCE_DIR}")
    if(arg_SHARDS)
      list(APPEND environment "GTEST_TOTAL_SHARDS=${arg_SHARDS}" "GTEST_SHARD_INDEX=${shard}")
    endif()
    set_tests_properties(
      ${test} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${environment}"
    )
    if(arg_SHARDS)
      math(EXPR shard "${shard} + 1")
    endif()
  endforeach()
endfunction()

function(tw_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  tw_note_deps(${name} ${arg_DEPS})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} benchmark::benchmark_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${name} PRIVATE TILEWRIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()

function(tw_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  if(NOT TILEWRIGHT_FUZZ)
    return()
  endif()
  set(target fuzz_${name})
  tw_note_deps(${target} ${arg_DEPS})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_DEPS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
endfunction()

function(tw_example_test name)
  if(TILEWRIGHT_TESTS)
    add_test(NAME example_${name} COMMAND ${ARGN})
    set_tests_properties(
      example_${name} PROPERTIES LABELS "quick;examples" TIMEOUT 300 ENVIRONMENT "TILEWRIGHT_HOME=${PROJECT_SOURCE_DIR}"
    )
  endif()
endfunction()
