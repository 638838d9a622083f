# Installs the build tree, builds examples/embed against the install tree after that has been moved, and runs what came out.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

set(work ${BUILD}/install-test)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/moved)
unset(ENV{TILEWRIGHT_HOME})
unset(ENV{DESTDIR})
run(
  ${CMAKE_COMMAND} -G Ninja -S ${EXAMPLE} -B ${work}/build -D CMAKE_PREFIX_PATH=${work}/moved
  -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_BUILD_TYPE=
)
run(${CMAKE_COMMAND} --build ${work}/build)

# Away from the source tree, so that nothing is found above the binaries.
string(RANDOM LENGTH 12 name)
set(away /tmp/tilewright-install-test-${name})
file(COPY ${work}/build/embed ${work}/build/embed_c DESTINATION ${away})
execute_process(COMMAND ${away}/embed RESULT_VARIABLE embed ERROR_VARIABLE embed_error OUTPUT_QUIET)
execute_process(COMMAND ${away}/embed_c RESULT_VARIABLE embed_c ERROR_VARIABLE embed_c_error OUTPUT_QUIET)
file(REMOVE_RECURSE ${away})
if(NOT embed EQUAL 0 OR NOT embed_c EQUAL 0)
  message(FATAL_ERROR "embed: ${embed} ${embed_error}\nembed_c: ${embed_c} ${embed_c_error}")
endif()
run(${work}/moved/bin/tilewright run gemm M=8 N=8 K=8 --check)
file(REMOVE_RECURSE ${work})
