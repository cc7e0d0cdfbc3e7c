# Files of data/ become part of the program, so that it runs from anywhere without an installation.

# orbis_embeds(SOURCE FILE…): the assembler copies these files into the object of the source. The compiler does not
# know of them, so the object is named as depending on them; CMake would forget that in a unit with other sources.
function(orbis_embeds source)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${ARGN}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# orbis_embed(TARGET FILE…): each file of data/ becomes a function `std::string_view orbis::data::<name>()`,
# where <name> is the file's name with every character that C++ does not allow turned into an underscore.
function(orbis_embed target)
  set(declarations "")
  foreach(file IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER ${file} name)
    set(path ${PROJECT_SOURCE_DIR}/data/${file})
    set(source ${PROJECT_BINARY_DIR}/embedded/${name}.cpp)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.cpp.in ${source} @ONLY)
    orbis_embeds(${source} ${path})
    target_sources(${target} PRIVATE ${source})
    string(APPEND declarations "std::string_view ${name}();\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.hpp.in ${PROJECT_BINARY_DIR}/embedded/data/embedded.hpp @ONLY)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded)
endfunction()
