# Language level, warnings, sanitizers, compiler cache and linker: everything that holds for every target.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)

# The IEEE meaning of a program is part of its contract: the compiler may neither contract a*b+c nor reassociate.
add_compile_options(-ffp-contract=off)

add_compile_options(
  -Wall
  -Wextra
  -Wpedantic
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  -Wno-missing-field-initializers # designated initialisers leave members at their defaults on purpose
  -Werror=return-type
  -Werror=switch # a new enumerator must be handled in every switch
)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-psabi)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # False positives of these versions on inlined std::string, std::variant and std::expected.
    add_compile_options(
      -Wno-restrict
      -Wno-error=array-bounds
      -Wno-error=dangling-pointer
      -Wno-error=free-nonheap-object
      -Wno-error=maybe-uninitialized
      -Wno-error=stringop-overflow
      -Wno-error=stringop-overread
    )
  endif()
else()
  add_compile_options(-Wno-missing-designated-field-initializers -fcolor-diagnostics)
endif()
if(TILEWRIGHT_WERROR)
  add_compile_options(-Werror)
endif()

if(TILEWRIGHT_SANITIZE)
  # vptr needs RTTI of every library; function reads in front of a callee, which generated code does not allow.
  set(sanitize_flags -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND sanitize_flags -fno-sanitize=function)
  endif()
  add_compile_options(${sanitize_flags} -fno-omit-frame-pointer)
  add_link_options(${sanitize_flags})
endif()
if(TILEWRIGHT_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TILEWRIGHT_FUZZ needs clang; the compiler is ${CMAKE_CXX_COMPILER_ID}. Use the preset dev.")
  endif()
endif()

if(TILEWRIGHT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TILEWRIGHT_CCACHE_PROGRAM ccache)
  if(TILEWRIGHT_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TILEWRIGHT_CCACHE_PROGRAM})
  endif()
endif()

if(TILEWRIGHT_LLD)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=lld)
  check_cxx_source_compiles("int main() { return 0; }" TILEWRIGHT_LLD_WORKS)
  if(TILEWRIGHT_LLD_WORKS)
    add_link_options(-fuse-ld=lld)
  else()
    # The versioned package puts no plain ld.lld in the path; g++ then finds it through -B.
    find_program(TILEWRIGHT_LLD_PROGRAM ld.lld HINTS /usr/lib/llvm-19/bin)
    if(TILEWRIGHT_LLD_PROGRAM)
      cmake_path(GET TILEWRIGHT_LLD_PROGRAM PARENT_PATH lld_folder)
      set(CMAKE_REQUIRED_LINK_OPTIONS -B${lld_folder} -fuse-ld=lld)
      check_cxx_source_compiles("int main() { return 0; }" TILEWRIGHT_LLD_WORKS_FROM_FOLDER)
      if(TILEWRIGHT_LLD_WORKS_FROM_FOLDER)
        add_link_options(-B${lld_folder} -fuse-ld=lld)
      endif()
    endif()
  endif()
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()
