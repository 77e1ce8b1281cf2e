# SPDX-License-Identifier: MIT
# The page of `logp report` from its files and the library that draws its curves, as bytes in C.
# Included, it adds the rule; run as a script (cmake -P) it is what the rule does.
cmake_minimum_required(VERSION 3.22)
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(LOGP_PAGE ${CMAKE_CURRENT_SOURCE_DIR}/view/report)
  # In the order in which they call each other.
  set(LOGP_PAGE_SCRIPTS format dom theme palette records paths save address spread ratios ranking
                        map what_if lag facts curves trace view lanes boxes_svg boxes_canvas overlay stage player
                        hands late diagram main)
  set(LOGP_PAGE_STYLES page controls figures diagram narrow)
  foreach(kind SCRIPTS STYLES)
    list(TRANSFORM LOGP_PAGE_${kind} PREPEND ${LOGP_PAGE}/)
  endforeach()
  list(TRANSFORM LOGP_PAGE_SCRIPTS APPEND .js)
  list(TRANSFORM LOGP_PAGE_STYLES APPEND .css)
  # Of pages that have no curves and no diagram: mpirun --report.
  set(LOGP_PLAIN_STYLES page controls figures diagram narrow)
  set(LOGP_PLAIN_SCRIPTS format dom theme save view overlay hands)
  list(TRANSFORM LOGP_PLAIN_SCRIPTS PREPEND ${LOGP_PAGE}/)
  list(TRANSFORM LOGP_PLAIN_SCRIPTS APPEND .js)
  list(APPEND LOGP_PLAIN_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/mpi/profile/timeline.js
       ${CMAKE_CURRENT_SOURCE_DIR}/mpi/profile/profile.js)
  list(TRANSFORM LOGP_PLAIN_STYLES PREPEND ${LOGP_PAGE}/)
  list(TRANSFORM LOGP_PLAIN_STYLES APPEND .css)
  list(APPEND LOGP_PLAIN_STYLES ${CMAKE_CURRENT_SOURCE_DIR}/mpi/profile/profile.css
       ${CMAKE_CURRENT_SOURCE_DIR}/view/versus/versus.css)
  # Debian's package libjs-dygraphs has all three.
  set(where PATHS /usr/share/javascript/dygraphs /usr/share/doc/libjs-dygraphs NO_DEFAULT_PATH)
  find_file(LOGP_DYGRAPHS_SCRIPT dygraph.min.js ${where})
  find_file(LOGP_DYGRAPHS_STYLES dygraph.min.css ${where})
  find_file(LOGP_DYGRAPHS_LICENCE copyright ${where})
  set(LOGP_PAGE_LIBRARY "")
  if(LOGP_DYGRAPHS_SCRIPT AND LOGP_DYGRAPHS_STYLES AND LOGP_DYGRAPHS_LICENCE)
    set(LOGP_PAGE_LIBRARY ${LOGP_DYGRAPHS_SCRIPT} ${LOGP_DYGRAPHS_STYLES} ${LOGP_DYGRAPHS_LICENCE})
  else()
    message(STATUS "no dygraphs: logp report will say what to install")
  endif()
  include(${LOGP_PAGE}/wasm.cmake)
  set(LOGP_PALETTE ${CMAKE_CURRENT_SOURCE_DIR}/view/canvas/palette.h)
  set(LOGP_PAGE_INC ${CMAKE_CURRENT_BINARY_DIR}/view/report/page.inc)
  add_custom_command(
    OUTPUT ${LOGP_PAGE_INC}
    COMMAND ${CMAKE_COMMAND} -D OUT=${LOGP_PAGE_INC} -D PAGE=${LOGP_PAGE}/page.html
            -D PALETTE=${LOGP_PALETTE}
            "-DSCRIPTS=${LOGP_PAGE_SCRIPTS}" "-DSTYLES=${LOGP_PAGE_STYLES}"
            "-DPLAIN=${LOGP_PLAIN_STYLES}" "-DPLAIN_SCRIPTS=${LOGP_PLAIN_SCRIPTS}" "-DLIBRARY=${LOGP_PAGE_LIBRARY}" "-DFOLD=${LOGP_FOLD}"
            -P ${LOGP_PAGE}/page.cmake
    DEPENDS ${LOGP_PAGE}/page.cmake ${LOGP_PAGE}/page.html ${LOGP_PALETTE} ${LOGP_PAGE_SCRIPTS}
            ${LOGP_PAGE_STYLES} ${LOGP_PLAIN_STYLES} ${LOGP_PLAIN_SCRIPTS} ${LOGP_PAGE_LIBRARY} ${LOGP_FOLD}
    COMMENT "Embedding the page of logp report" VERBATIM)
  # A target of its own: as one of the sources of logp_tools it, and all of them, would wait for the library.
  add_custom_target(logp_page DEPENDS ${LOGP_PAGE_INC})
  add_dependencies(logp_tools logp_page)
  set_source_files_properties(view/report/page.c PROPERTIES
    OBJECT_DEPENDS ${LOGP_PAGE_INC} INCLUDE_DIRECTORIES ${CMAKE_CURRENT_BINARY_DIR}/view/report)
  return()
endif()

function(write_file name file)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REPEAT "." 80 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  file(APPEND ${OUT} "static const unsigned char ${name}[] = {\n${bytes}};\n")
endfunction()

function(write_array name text)
  file(WRITE ${OUT}.bytes "${text}")
  write_file(${name} ${OUT}.bytes)
  file(REMOVE ${OUT}.bytes)
endfunction()

file(WRITE ${OUT} "/* Made by page.cmake. */\n")
if(FOLD)
  file(APPEND ${OUT} "#define LOGP_PAGE_FOLD true\n")
  write_file(page_fold ${FOLD})
else()
  file(APPEND ${OUT} "#define LOGP_PAGE_FOLD false\nstatic const unsigned char page_fold[1];\n")
endif()
# The colours: a variable of the style sheet for each role, and those of algorithms for palette.js.
file(READ ${PALETTE} palette)
set(color "\"(#[0-9a-f]+)\"")
string(REGEX MATCHALL "ROLE\\([A-Z_]+, ${color}, ${color}" all_roles "${palette}")
string(REGEX MATCHALL "SERIES\\(${color}, ${color}, ${color}, ${color}" all_series "${palette}")
set(roles "")
foreach(role IN LISTS all_roles)
  string(REGEX REPLACE "ROLE.([A-Z_]+), ${color}, ${color}" "--\\1: light-dark(\\2, \\3)" role "${role}")
  string(TOLOWER "${role}" role)
  string(REPLACE "_" "-" role "${role}")
  string(APPEND roles "  ${role};\n")
endforeach()
set(plain ":root {\n${roles}}\n")
foreach(file IN LISTS PLAIN)
  file(READ ${file} text)
  string(APPEND plain "\n${text}")
endforeach()
write_array(page_plain_styles "${plain}")
set(plain "")
foreach(file IN LISTS PLAIN_SCRIPTS)
  file(READ ${file} text)
  string(APPEND plain "<script>\n${text}</script>\n")
endforeach()
write_array(page_plain_scripts "${plain}")
if(NOT LIBRARY)
  file(APPEND ${OUT} "#define LOGP_PAGE_LACKS \\\n"
    "    \"it was built without dygraphs, which draws its curves: \" \\\n"
    "    \"install libjs-dygraphs, then configure and build again\"\n")
  file(APPEND ${OUT} "static const unsigned char page_head[1], page_tail[1];\n")
  return()
endif()
list(GET LIBRARY 0 script)
list(GET LIBRARY 1 styles)
list(GET LIBRARY 2 licence)
file(READ ${PAGE} page)
file(READ "${styles}" library_styles)
file(READ "${script}" library)
file(READ "${licence}" licence)
# They name files that are not there.
string(REGEX REPLACE "//# sourceMappingURL[^\n]*" "" library "${library}")
string(REGEX REPLACE "/\\*# sourceMappingURL[^*]*\\*/" "" library_styles "${library_styles}")
string(REPLACE "&" "&amp;" licence "${licence}")
string(REPLACE "<" "&lt;" licence "${licence}")
string(REGEX REPLACE "SERIES.${color}, ${color}, ${color}, ${color}"
  "{ fill: \"\\1\", ink: \"\\2\", light: \"\\3\", dark: \"\\4\" }" all_series "${all_series}")
string(REPLACE ";" ",\n  " series "${all_series}")
string(APPEND library_styles "\n:root {\n${roles}}\n")
set(scripts "<script>\n${library}\n</script>\n")
string(APPEND scripts "<script>\n\"use strict\";\nconst seriesColors = [\n  ${series},\n];\n</script>\n")
foreach(file IN LISTS SCRIPTS)
  file(READ ${file} text)
  string(APPEND scripts "<script>\n${text}</script>\n")
endforeach()
foreach(file IN LISTS STYLES)
  file(READ ${file} text)
  string(APPEND library_styles "\n${text}")
endforeach()
string(REPLACE "/*@styles@*/" "${library_styles}" page "${page}")
string(REPLACE "@licence@" "${licence}" page "${page}")
string(FIND "${page}" "<!--@data@-->" at)
string(SUBSTRING "${page}" 0 ${at} head)
string(SUBSTRING "${page}" ${at} -1 tail)
string(REPLACE "<!--@data@-->\n" "" tail "${tail}")
string(REPLACE "<!--@scripts@-->\n" "${scripts}" tail "${tail}")
file(APPEND ${OUT} "#define LOGP_PAGE_LACKS NULL\n")
write_array(page_head "${head}")
write_array(page_tail "${tail}")
