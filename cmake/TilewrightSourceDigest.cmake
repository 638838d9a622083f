# cmake -D ROOT=.. -D LIST=FILE -D OUTPUT=HEADER -P TilewrightSourceDigest.cmake
#
# Writes a header with one macro, TILEWRIGHT_SOURCE_DIGEST: a SHA-256 over the names and contents of the listed files,
# which are relative to ROOT. Caches of compiled code have it in their keys.
file(STRINGS ${LIST} sources)
set(digests "")
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} digest)
  string(APPEND digests "${source} ${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE ${OUTPUT} "#pragma once\n#define TILEWRIGHT_SOURCE_DIGEST \"${digest}\"\n")
