# The library that others link: a half of it is one shared and one static library, made of the layers that are compiled
# anyway (docs/design/library.md).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(ORBIS_PUBLIC_HEADERS ${PROJECT_BINARY_DIR}/include) # what is made of version.hpp.in
configure_file(${PROJECT_SOURCE_DIR}/include/orbis/version.hpp.in ${ORBIS_PUBLIC_HEADERS}/orbis/version.hpp @ONLY)

set(ORBIS_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/orbis)

# orbis_hidden(TARGET): what the target has can be in a shared library, which shows nothing but what says ORBIS_API
function(orbis_hidden target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE -ffunction-sections) # so that unused functions stay out of the library
endfunction()

# All libraries and what is installed with them.
add_custom_target(library)

# orbis_library(NAME LAYER face LAYERS layer… DESCRIPTION text [HEADERS folder] [MODULES pkg-config-module…]
#               [LIBRARIES name…])
#
# Makes liborbis-NAME.so and liborbis-NAME.a of the layer with the public functions and of the layers below it, the lower
# ones later. HEADERS is the folder of include/ with its headers. MODULES and LIBRARIES are what a program must link that
# uses the static one. The installed targets are orbis::NAME and orbis::NAME_static.
function(orbis_library name)
  cmake_parse_arguments(arg "" "LAYER;DESCRIPTION;HEADERS" "LAYERS;MODULES;LIBRARIES" ${ARGN})
  set(target orbis-${name})
  set(symbols ${PROJECT_SOURCE_DIR}/cmake/library.symbols)

  set(nothing ${PROJECT_BINARY_DIR}/library/nothing.cpp) # CMake wants a source; the layers are compiled already
  file(CONFIGURE OUTPUT ${nothing} CONTENT "")
  add_library(${target} SHARED EXCLUDE_FROM_ALL ${nothing})
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} EXPORT_NAME ${name}
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${symbols})
  target_link_libraries(${target} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,orbis_${arg_LAYER}>")
  target_link_options(${target} PRIVATE -Wl,--gc-sections -Wl,--as-needed -Wl,--no-undefined
                      -Wl,--version-script=${symbols})
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} INTERFACE cxx_std_23)

  # One object in which everything that is not public is local, so that it clashes with nothing in a program.
  set(object ${PROJECT_BINARY_DIR}/lib/${target}.o)
  set(archive ${PROJECT_BINARY_DIR}/lib/lib${target}.a)
  set(parts "")
  foreach(layer IN LISTS arg_LAYERS)
    list(APPEND parts $<TARGET_FILE:orbis_${layer}>)
  endforeach()
  find_program(ORBIS_BFD ld.bfd REQUIRED)
  add_custom_command(
    OUTPUT ${archive}
    COMMAND ${ORBIS_BFD} -r --force-group-allocation -o ${object} --whole-archive $<TARGET_FILE:orbis_${arg_LAYER}>
            --no-whole-archive --start-group ${parts} --end-group
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/weaken_unique.py ${object}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard --keep-global-symbol=_ZN5orbis* --keep-global-symbol=_ZNK5orbis*
            ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${object}
    DEPENDS orbis_${arg_LAYER} ${parts} ${PROJECT_SOURCE_DIR}/cmake/weaken_unique.py
    COMMENT "Joining ${archive}" VERBATIM)
  add_custom_target(${target}_static DEPENDS ${archive})
  add_dependencies(library ${target} ${target}_static)

  if(NOT ORBIS_LIBRARY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL OFF)
  set_target_properties(${target}_static PROPERTIES EXCLUDE_FROM_ALL OFF)
  set(folder ${PROJECT_BINARY_DIR}/library)
  string(REGEX REPLACE "[^/]+" ".." ORBIS_UP ${CMAKE_INSTALL_LIBDIR}) # from pkgconfig/ to the prefix
  string(JOIN " " ORBIS_MODULES ${arg_MODULES})
  list(TRANSFORM arg_LIBRARIES PREPEND -l OUTPUT_VARIABLE flags)
  string(JOIN " " ORBIS_FLAGS ${flags} -pthread)
  set(ORBIS_NAME ${name})
  set(ORBIS_DESCRIPTION ${arg_DESCRIPTION})
  set(ORBIS_LINKED ${arg_LIBRARIES})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/orbis.pc.in ${folder}/${target}.pc @ONLY)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/orbis_static.cmake.in ${folder}/${target}_static.cmake
                                INSTALL_DESTINATION ${ORBIS_CMAKE_FOLDER}
                                PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
  install(TARGETS ${target} EXPORT ${target}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name} NAMELINK_COMPONENT ${name}-dev)
  install(EXPORT ${target} NAMESPACE orbis:: FILE ${target}.cmake DESTINATION ${ORBIS_CMAKE_FOLDER} COMPONENT ${name}-dev)
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name}-dev)
  install(FILES ${folder}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${name}-dev)
  install(FILES ${folder}/${target}_static.cmake DESTINATION ${ORBIS_CMAKE_FOLDER} COMPONENT ${name}-dev)
  if(name STREQUAL "world") # the headers of the other half lie in a folder of these
    set(others PATTERN wire EXCLUDE)
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/${arg_HEADERS}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${arg_HEADERS}
          COMPONENT ${name}-dev FILES_MATCHING PATTERN "*.hpp" ${others})
endfunction()

# What both halves have in common belongs to the half that is always there.
if(ORBIS_LIBRARY)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/orbisConfig.cmake.in ${PROJECT_BINARY_DIR}/library/orbisConfig.cmake
                                INSTALL_DESTINATION ${ORBIS_CMAKE_FOLDER})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/library/orbisConfigVersion.cmake
                                   VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/library/orbisConfig.cmake ${PROJECT_BINARY_DIR}/library/orbisConfigVersion.cmake
          DESTINATION ${ORBIS_CMAKE_FOLDER} COMPONENT world-dev)
  install(FILES ${ORBIS_PUBLIC_HEADERS}/orbis/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orbis COMPONENT world-dev)
endif()
