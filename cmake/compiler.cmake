# Flags that every target is built with.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2") # lines of the sources (-g1) would cost a tenth of the time; asan and debug have them
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -D_GLIBCXX_ASSERTIONS")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                    -Woverloaded-virtual -Wimplicit-fallthrough)
# g++ 12 takes the unused half of std::expected for values that nobody set; clang looks for real ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-maybe-uninitialized)
endif()
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
endif()
if(ORBIS_FUZZ) # what the fuzz targets learn from; programs without libFuzzer are only a little slower by it
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(ORBIS_CCACHE ccache)
if(ORBIS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ORBIS_CCACHE})
  if(ORBIS_UNITY) # what ccache wants before it keeps what was built with precompiled headers
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
endif()
find_program(ORBIS_MOLD mold)
if(ORBIS_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(ORBIS_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess) # ccache wants this too
endif()
