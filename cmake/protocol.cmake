# The protocol: schemas become data of the program, and those of chosen builds C++ types. All of it is made
# by protocol/generate.py in the build folder.

find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB ORBIS_SCHEMAS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/protocol/schema/*.json)
file(GLOB ORBIS_GENERATOR CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/protocol/generate.py
     ${PROJECT_SOURCE_DIR}/protocol/generator/*)
set(ORBIS_GENERATE ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/protocol/generate.py)

set(schemas_source ${CMAKE_BINARY_DIR}/protocol/schemas.cpp)
add_custom_command(
  OUTPUT ${schemas_source}
  COMMAND ${ORBIS_GENERATE} embed ${schemas_source} ${ORBIS_SCHEMAS}
  DEPENDS ${ORBIS_SCHEMAS} ${ORBIS_GENERATOR}
  COMMENT "Embedding the wire schemas")
set_source_files_properties(${schemas_source} PROPERTIES OBJECT_DEPENDS "${ORBIS_SCHEMAS}")

orbis_layer(protocol USES bytes LIBRARIES nlohmann_json::nlohmann_json SOURCES ${schemas_source})
