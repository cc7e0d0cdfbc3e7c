# One folder of src/ is one library. Sources, headers and tests stand side by side; files that end in
# _test.cpp go into the layer's test program.

# Headers of others that most sources include. None of ours: a changed line would build everything again.
set(ORBIS_USUAL_HEADERS
    <algorithm> <array> <atomic> <bit> <bitset> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring>
    <deque> <expected> <filesystem> <fstream> <functional> <list> <map> <memory> <mutex> <optional> <random> <ranges>
    <set> <span> <stop_token> <string> <string_view> <thread> <unordered_map> <unordered_set> <utility> <variant>
    <vector> <fmt/format.h>)

# orbis_unity(TARGET COUNT FIRST [header…]): compiles COUNT sources at once, and reads the usual headers and those given
# here once, in the target FIRST (docs/design/building.md). Names in anonymous namespaces must then differ within a layer.
# The preset `debug` compiles each source alone.
function(orbis_unity target count first)
  if(NOT ORBIS_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  if(target STREQUAL first)
    target_precompile_headers(${target} PRIVATE ${ORBIS_USUAL_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()

# orbis_quick_to_build(TARGET): for tests and verbs. The work is done in the layers, so that optimising more costs more to
# build than it saves. Clang takes a third of the time without any, which pays under the sanitizers alone: inline functions
# of the layers are compiled into the tests too, the linker takes either copy, and tests in full would run for longer. Some
# layers have tests that calculate for long even there; the thread sanitizer runs hardly any of those.
set(ORBIS_LONG_TESTS "")
if(ORBIS_SANITIZE MATCHES "address")
  set(ORBIS_LONG_TESTS chunk_tests world_tests map_tests)
endif()
function(orbis_quick_to_build target)
  if(ORBIS_SANITIZE AND NOT target IN_LIST ORBIS_LONG_TESTS)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# orbis_without_fuzzing(TARGET): for what no fuzz target runs and what has its own precompiled header. It builds and runs
# faster without the counters that guide the fuzz targets.
function(orbis_without_fuzzing target)
  if(ORBIS_FUZZ)
    target_compile_options(${target} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
endfunction()

# All that the program is compiled of but the page, which tools/setup.sh makes meanwhile.
add_custom_target(layers)

# orbis_layer(NAME [USES layer…] [LIBRARIES target…] [SOURCES extra-file…])
function(orbis_layer name)
  cmake_parse_arguments(arg "" "" "USES;LIBRARIES;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp
       ${PROJECT_SOURCE_DIR}/src/${name}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  add_library(orbis_${name} STATIC ${sources} ${arg_SOURCES})
  target_include_directories(orbis_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
                             ${ORBIS_PUBLIC_HEADERS})
  orbis_hidden(orbis_${name})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(orbis_${name} PUBLIC orbis_${used})
  endforeach()
  target_link_libraries(orbis_${name} PUBLIC ${arg_LIBRARIES})
  set(first orbis_bytes)
  if(name STREQUAL "map") # its flags for mathematics want their own
    set(first orbis_map)
  endif()
  set(count 10)
  if(ORBIS_LARGE_UNITS)
    set(count 25)
  elseif(name MATCHES "^(jobs|game)$") # whose sources take longest
    set(count 3)
  endif()
  orbis_unity(orbis_${name} ${count} ${first})
  if(NOT name MATCHES "^(page|wire)$") # the public face of the wire is for other programs
    add_dependencies(layers orbis_${name})
  endif()
  orbis_layer_tests(${name} orbis_${name})
endfunction()

# orbis_program(FOLDER NAME program [USES layer…] [LIBRARIES target…]): its main.cpp is not in the test program, which
# has a main of its own
function(orbis_program folder)
  cmake_parse_arguments(arg "" "NAME" "USES;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  add_library(orbis_${folder} OBJECT ${sources}) # so that all but linking is done before the page is there
  target_compile_definitions(orbis_${folder} PRIVATE ORBIS_VERSION="${PROJECT_VERSION}"
                             ORBIS_VERSION_DATE="${ORBIS_VERSION_DATE}")
  target_include_directories(orbis_${folder} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  foreach(used IN LISTS arg_USES)
    target_link_libraries(orbis_${folder} PUBLIC orbis_${used})
  endforeach()
  target_link_libraries(orbis_${folder} PUBLIC ${arg_LIBRARIES})
  orbis_quick_to_build(orbis_${folder})
  orbis_unity(orbis_${folder} 13 orbis_${folder})
  if(NOT ORBIS_SANITIZE STREQUAL "thread") # whose tests are those of the layers
    add_dependencies(layers orbis_${folder})
  endif()
  orbis_without_fuzzing(orbis_${folder})
  add_executable(${arg_NAME} ${PROJECT_SOURCE_DIR}/src/${folder}/main.cpp)
  target_link_libraries(${arg_NAME} PRIVATE orbis_${folder})
  orbis_layer_tests(${folder} orbis_${folder})
endfunction()

# What all programs with tests of layers are built by.
add_custom_target(layer_tests)

# Every test program gets the shared helpers of tests/support and its own folder to write in.
function(orbis_layer_tests name library)
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*_test.cpp
       ${PROJECT_SOURCE_DIR}/src/${name}/*/*_test.cpp)
  if(ORBIS_SANITIZE STREQUAL "thread")
    orbis_keep_thread_tests(tests)
  endif()
  if(NOT ORBIS_TESTS OR NOT tests)
    return()
  endif()
  add_executable(${name}_tests ${tests})
  add_dependencies(layer_tests ${name}_tests)
  target_link_libraries(${name}_tests PRIVATE ${library} orbis_test_support GTest::gtest_main rapidcheck)
  orbis_quick_to_build(${name}_tests)
  # A test that asks a success for its error, or a span for what is not there, ends instead of comparing chance.
  target_compile_definitions(${name}_tests PRIVATE _GLIBCXX_ASSERTIONS)
  set(count 8)
  if(ORBIS_LARGE_UNITS)
    set(count 20)
  endif()
  set(first bytes_tests)
  if(${name}_tests IN_LIST ORBIS_LONG_TESTS) # whose flags differ from those of the others
    list(GET ORBIS_LONG_TESTS 0 first)
  endif()
  orbis_unity(${name}_tests ${count} ${first} <gtest/gtest.h> <rapidcheck.h>)
  if(ORBIS_FUZZ) # what is tested is watched, not the tests: they build in half of the time
    target_compile_options(${name}_tests PRIVATE -fno-sanitize=undefined,fuzzer-no-link)
  endif()
  set(environment TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp)
  if(ORBIS_SANITIZE)
    list(APPEND environment RC_PARAMS=max_success=25) # of the 100 random cases of each property elsewhere
  endif()
  # Layers whose tests compute or wait for long share them among processes. Tests with a costly beginning in common
  # stay together: for each of these filters one process more.
  set(shards 1)
  set(cost 30) # the long ones begin first (tests/CMakeLists.txt)
  set(together "")
  if(name MATCHES "^(chunk|world|jobs|map|http|net|game)$")
    set(shards 2)
    set(cost 80)
  endif()
  if(name STREQUAL "jobs")
    set(shards 3)
    set(together Corpus/Damage*sample_* Corpus/Damage*real_*) # the worlds to break
  endif()
  string(JOIN ":" apart ${together})
  set(number 0)
  foreach(filter IN LISTS together ITEMS "*:-${apart}")
    set(processes 1)
    if(filter STREQUAL "*:-${apart}")
      set(processes ${shards})
    endif()
    foreach(shard RANGE 1 ${processes})
      math(EXPR number "${number} + 1")
      math(EXPR index "${shard} - 1")
      add_test(NAME ${name}_${number} COMMAND ${name}_tests --gtest_brief=1 --gtest_filter=${filter}
               --gtest_output=json:${PROJECT_BINARY_DIR}/times/${name}_${number}.json)
      set_tests_properties(${name}_${number} PROPERTIES
                           ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=${processes};GTEST_SHARD_INDEX=${index}"
                           COST ${cost} LABELS ${name})
    endforeach()
  endforeach()
endfunction()
