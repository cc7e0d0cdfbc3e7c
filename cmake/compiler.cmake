# Flags that every target is built with.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -D_GLIBCXX_ASSERTIONS")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                    -Woverloaded-virtual -Wimplicit-fallthrough)
# Clang blames us for the buffer that the library's own stable_sort takes; the other compiler checks the rest.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(ORBIS_WERROR)
  add_compile_options(-Werror)
endif()

if(ORBIS_SANITIZE)
  add_compile_options(-fsanitize=${ORBIS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ORBIS_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized) # g++ 12 reports its own library under the sanitizers
  endif()
endif()
if(ORBIS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(ORBIS_CCACHE ccache)
if(ORBIS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ORBIS_CCACHE})
  if(ORBIS_PRECOMPILE) # what ccache wants before it keeps what was built with precompiled headers
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
endif()
find_program(ORBIS_MOLD mold)
if(ORBIS_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(ORBIS_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess) # ccache wants this too
endif()

# The headers of others that most sources include.
set(ORBIS_USUAL_HEADERS
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <deque>
    <expected> <filesystem> <fstream> <functional> <map> <memory> <mutex> <optional> <random> <set> <span> <string>
    <string_view> <thread> <unordered_map> <utility> <vector> <fmt/format.h>)

# orbis_precompile(TARGET FIRST [more-header…]): reads the usual headers once, in the target FIRST, and not for each
# source. Nothing happens without the option, which the presets of the sanitizers set: the other presets show that every
# source includes what it needs.
function(orbis_precompile target first)
  if(NOT ORBIS_PRECOMPILE)
    return()
  endif()
  if(target STREQUAL first)
    target_precompile_headers(${target} PRIVATE ${ORBIS_USUAL_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()
