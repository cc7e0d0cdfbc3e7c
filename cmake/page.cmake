# The page of the map becomes part of the program. tools/setup.sh builds it from web/ into build/web, once for
# all presets; a build without that folder has no page and says so when it is asked for one.

set(ORBIS_PAGE_FOLDER ${PROJECT_SOURCE_DIR}/build/web CACHE PATH "The built page to embed")

# orbis_page_sources(VARIABLE): a generated source that defines orbis::page::files()
function(orbis_page_sources variable)
  file(GLOB_RECURSE paths CONFIGURE_DEPENDS RELATIVE ${ORBIS_PAGE_FOLDER} ${ORBIS_PAGE_FOLDER}/*)
  list(SORT paths COMPARE STRING)
  set(types_html "text/html; charset=utf-8")
  set(types_js "text/javascript; charset=utf-8")
  set(types_css "text/css; charset=utf-8")
  set(types_svg "image/svg+xml")
  set(types_png "image/png")
  set(index 0)
  foreach(path IN LISTS paths)
    get_filename_component(extension ${path} LAST_EXT)
    string(SUBSTRING "${extension}" 1 -1 extension)
    if(NOT DEFINED types_${extension})
      message(FATAL_ERROR "${ORBIS_PAGE_FOLDER}/${path}: cmake/page.cmake knows no media type for it")
    endif()
    set(file ${ORBIS_PAGE_FOLDER}/${path})
    list(APPEND files ${file})
    string(APPEND blobs "        \"orbis_page_${index}:\\n\"\n        \".incbin \\\"${file}\\\"\\n\"\n"
           "        \"orbis_page_${index}_end:\\n\"\n        \".byte 0\\n\"\n")
    string(APPEND symbols "extern \"C\" const std::uint8_t orbis_page_${index}[];\n"
           "extern \"C\" const std::uint8_t orbis_page_${index}_end[];\n")
    string(APPEND entries "        {\"${path}\", \"${types_${extension}}\", {orbis_page_${index}, orbis_page_${index}_end}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/embedded/page_files.cpp)
  if(paths)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [=[
#include "page/files.hpp"

__asm__(".pushsection .rodata\n"
@blobs@        ".popsection\n");

@symbols@
namespace orbis::page {

std::span<const File> files() {
    static const File all[] = {
@entries@    };
    return all;
}

} // namespace orbis::page
]=])
  else()
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [=[
#include "page/files.hpp"

namespace orbis::page {

std::span<const File> files() { return {}; }

} // namespace orbis::page
]=])
  endif()
  orbis_embeds(${source} ${files})
  set(${variable} ${source} PARENT_SCOPE)
endfunction()

orbis_page_sources(page_source)
orbis_layer(page USES bytes SOURCES ${page_source})
