# SPDX-License-Identifier: MIT
# Plug-ins that the tests of the command load.
if(LOGP_TESTS_PLAIN)
  return()
endif()
foreach(plugin plugins/away plugins/five_ns ${PROJECT_SOURCE_DIR}/docs/examples/jitter plugins/two_ways plugins/wrong)
  get_filename_component(source ${plugin}.c ABSOLUTE)
  get_filename_component(plugin ${plugin} NAME)
  add_library(${plugin} MODULE ${source})
  target_link_libraries(${plugin} PRIVATE logp_headers)
endforeach()
# One whose algorithm has an odd name, and one whose name moves a terminal's cursor.
foreach(name strange control)
  string(TOUPPER ${name} kind)
  add_library(${name} MODULE plugins/two_ways.c)
  target_compile_definitions(${name} PRIVATE TWO_WAYS_${kind})
  target_link_libraries(${name} PRIVATE logp_headers)
endforeach()
# Plug-ins with which something is wrong, or that refuse what they are given.
foreach(odd "refusing;BRINGS=true" "newer;NEWER=1" "older;NEWER=-1" "sizeless;SIZE=0"
            "larger;SIZE=sizeof(struct odd)" "empty;BRINGS=false"
            "taken;ROWS=1;NAMES=\"flat\"" "nameless;ROWS=1;NAMES=NULL" "idle;ROWS=1")
  list(POP_FRONT odd name)
  list(TRANSFORM odd PREPEND ODD_)
  add_library(odd_${name} MODULE plugins/odd.c)
  target_compile_definitions(odd_${name} PRIVATE ${odd})
  target_link_libraries(odd_${name} PRIVATE logp_headers)
endforeach()
