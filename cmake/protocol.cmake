# The protocol: schemas become data of the program, and those of chosen builds C++ types. All of it is made
# by protocol/generate.py in the build folder.

set(ORBIS_PACKET_BUILDS "2026.02.17" CACHE STRING "Builds to generate C++ packets for; the first is the usual one")

find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB ORBIS_SCHEMAS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/protocol/schema/*.json)
file(GLOB ORBIS_DIALECTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/protocol/dialect/*.json)
file(GLOB ORBIS_GENERATOR CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/protocol/generate.py
     ${PROJECT_SOURCE_DIR}/protocol/generator/*.py)
set(ORBIS_GENERATE ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/protocol/generate.py)

set(schemas_source ${PROJECT_BINARY_DIR}/protocol/schemas.cpp)
add_custom_command(
  OUTPUT ${schemas_source}
  COMMAND ${ORBIS_GENERATE} embed ${schemas_source} ${ORBIS_SCHEMAS}
  DEPENDS ${ORBIS_SCHEMAS} ${ORBIS_DIALECTS} ${ORBIS_GENERATOR}
  COMMENT "Embedding the wire schemas")
orbis_embeds(${schemas_source} ${ORBIS_SCHEMAS} ${ORBIS_DIALECTS} ${PROJECT_SOURCE_DIR}/protocol/dissector.lua)

orbis_layer(protocol USES bytes LIBRARIES nlohmann_json::nlohmann_json SOURCES ${schemas_source})

# What must be made before a source can be read (tests/includes.py).
add_custom_target(generated_sources)

# orbis_packets(TARGET BUILD [USUAL] [FILES n] [SCHEMA file] [ONLY PACKET…]): a library with the C++ packets of a build,
# all or some of them. Those of the usual build are also to be had without its name; FILES says how many sources to make,
# SCHEMA names a schema that is not among those of the game.
function(orbis_packets target build)
  cmake_parse_arguments(arg "USUAL" "FILES;SCHEMA" "ONLY" ${ARGN})
  string(MAKE_C_IDENTIFIER "v${build}" folder)
  set(schema ${PROJECT_SOURCE_DIR}/protocol/schema/${build}.json)
  if(arg_SCHEMA)
    set(schema ${arg_SCHEMA})
  endif()
  set(out ${PROJECT_BINARY_DIR}/protocol/${target}/packets/${folder})
  set(options "")
  if(arg_USUAL)
    list(APPEND options --usual)
  endif()
  if(arg_FILES)
    list(APPEND options --files ${arg_FILES})
  endif()
  if(arg_ONLY)
    list(APPEND options --only ${arg_ONLY})
  endif()
  # Which files there are depends on both too.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema} ${ORBIS_GENERATOR})
  execute_process(COMMAND ${ORBIS_GENERATE} list ${schema} ${options} OUTPUT_VARIABLE names
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" names "${names}")
  list(TRANSFORM names PREPEND ${out}/ OUTPUT_VARIABLE files)
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${ORBIS_GENERATE} types ${out} ${schema} ${options}
    COMMAND ${CMAKE_COMMAND} -E touch ${files}
    DEPENDS ${schema} ${ORBIS_GENERATOR}
    COMMENT "Generating the packets of ${build}")
  add_custom_target(${target}_sources DEPENDS ${files}) # of its own, so that it waits for no layer
  if(NOT arg_FILES)
    add_dependencies(generated_sources ${target}_sources)
  endif()
  add_library(${target} STATIC ${files})
  orbis_hidden(${target})
  add_dependencies(${target} ${target}_sources)
  target_include_directories(${target} PUBLIC ${PROJECT_BINARY_DIR}/protocol/${target})
  target_link_libraries(${target} PUBLIC orbis_protocol)
endfunction()

foreach(build IN LISTS ORBIS_PACKET_BUILDS)
  list(FIND ORBIS_PACKET_BUILDS ${build} index)
  string(MAKE_C_IDENTIFIER "orbis_packets_${build}" target)
  if(index EQUAL 0)
    orbis_packets(${target} ${build} USUAL)
    add_library(orbis_packets ALIAS ${target})
  else()
    orbis_packets(${target} ${build})
  endif()
endforeach()

if(TARGET protocol_tests)
  # A few packets of a later build stand beside the usual ones.
  orbis_packets(protocol_test_packets 0.5.1 ONLY Connect ViewRadius ClientMovement InsecurePlayerOptions)
  # And what the format hytale-wire/2 can say, from a schema of the tests.
  set(wire2_schema ${PROJECT_SOURCE_DIR}/tests/protocol/wire2.json)
  orbis_packets(protocol_wire2_packets wire2 FILES 1 SCHEMA ${wire2_schema})
  add_dependencies(generated_sources protocol_wire2_packets_sources)
  target_compile_definitions(protocol_tests PRIVATE ORBIS_WIRE2_SCHEMA="${wire2_schema}")
  target_link_libraries(protocol_tests PRIVATE orbis_packets protocol_test_packets protocol_wire2_packets)
  add_test(NAME protocol_generated COMMAND ${ORBIS_GENERATE} check)
endif()

# The other builds, all of them, beside each other in one test (`./test builds`): the program does not have them. Not
# optimised and each in one piece, which takes 15 s of a processor for each build.
if(ORBIS_TESTS AND NOT ORBIS_SANITIZE)
  add_executable(all_builds_tests EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/protocol/all_builds_test.cpp)
  target_link_libraries(all_builds_tests PRIVATE orbis_protocol orbis_test_support GTest::gtest_main)
  foreach(schema IN LISTS ORBIS_SCHEMAS)
    get_filename_component(file ${schema} NAME)
    string(REGEX REPLACE "\\.json$" "" build ${file})
    if(build IN_LIST ORBIS_PACKET_BUILDS)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "all_builds_${build}" target)
    string(MAKE_C_IDENTIFIER "v${build}" space)
    orbis_packets(${target} ${build} FILES 1)
    target_compile_options(${target} PRIVATE -O0 -g0)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    target_link_libraries(all_builds_tests PRIVATE ${target})
    string(APPEND list "ORBIS_BUILD(\"${build}\", ${space})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/protocol/all_builds/all_builds.inc CONTENT "${list}")
  target_include_directories(all_builds_tests PRIVATE ${PROJECT_BINARY_DIR}/protocol/all_builds)
endif()
