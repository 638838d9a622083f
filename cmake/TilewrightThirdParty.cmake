# isl and LLVM as targets, for this tree and for those who find its installation.

# isl, for src/sets alone.
find_path(ISL_INCLUDE_DIR isl/set.h REQUIRED)
find_library(ISL_LIBRARY isl REQUIRED)
add_library(third_party::isl UNKNOWN IMPORTED)
set_target_properties(
  third_party::isl PROPERTIES IMPORTED_LOCATION ${ISL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ISL_INCLUDE_DIR}
)

# LLVM 19, for src/emit/llvm and src/runtime/cpu alone: name it in PRIVATE_DEPS, never in DEPS. The shared library links
# quickly. Where LLVM was built without RTTI, whoever includes its headers compiles without RTTI too.
find_package(LLVM 19.1 CONFIG REQUIRED PATHS /usr/lib/llvm-19)
if(NOT TARGET LLVM)
  message(FATAL_ERROR "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR} has no shared library; install llvm-19-dev")
endif()
add_library(third_party::llvm INTERFACE IMPORTED)
target_link_libraries(third_party::llvm INTERFACE LLVM)
target_include_directories(third_party::llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
# LLVM's headers take the limits macros from here; _GNU_SOURCE is the compilers' default on Linux.
list(REMOVE_ITEM llvm_definitions -D_GNU_SOURCE)
target_compile_options(third_party::llvm INTERFACE ${llvm_definitions})
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(third_party::llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()
