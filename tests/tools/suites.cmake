# SPDX-License-Identifier: MIT
# What the command shows: records, papers, pictures, the terminal and the report page. Its command lines: lines/.
if(PYTHON3 AND NOT LOGP_TESTS_PLAIN)
  logp_script(watch:alone watch.py $<TARGET_FILE:logp_command>)
  logp_script(palette palette.py $<TARGET_FILE:logp_command>)
endif()
if(LOGP_TESTS_PLAIN)
  return()
endif()

# Command lines, a table for each topic; its first line may have marks (tests/CMakeLists.txt), and feign, if rows need
# tests/command/feign.c: # marks: slow feign
add_executable(lines tools/lines.c)
target_link_libraries(lines PRIVATE logp_tools)
file(GLOB tables CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/lines/*.txt)
foreach(table IN LISTS tables)
  get_filename_component(topic ${table} NAME_WE)
  file(STRINGS ${table} marks LIMIT_COUNT 1 REGEX "^# marks: ")
  string(REGEX REPLACE "^# marks: *" ":" marks "${marks}")
  string(REPLACE " " ":" marks "${marks}")
  set(command $<TARGET_FILE:lines>)
  if(LOGP_SANITIZE MATCHES "thread" OR (LOGP_SANITIZE AND marks MATCHES ":feign"))
    continue()
  elseif(marks MATCHES ":feign")
    string(REPLACE ":feign" "" marks "${marks}")
    list(PREPEND command ${CMAKE_COMMAND} -E env LD_PRELOAD=$<TARGET_FILE:feign>)
  endif()
  logp_command_test(command_${topic}${marks} ${command} ${table} ${CMAKE_CURRENT_LIST_DIR}/inputs
                    $<TARGET_FILE:five_ns>)
endforeach()

if(LOGP_SANITIZE)
  return()
endif()

add_library(canned MODULE tools/canned.c)
target_link_libraries(canned PRIVATE logp_headers)
logp_script(records records.sh $<TARGET_FILE:logp_command> $<TARGET_FILE:canned> $<TARGET_FILE:five_ns>)

add_library(canned_paper MODULE tools/canned_paper.c)
target_link_libraries(canned_paper PRIVATE logp_headers ${CMAKE_DL_LIBS})
# Skipped where there is no rsvg-convert.
logp_script(pictures:long:optional pictures.py $<TARGET_FILE:logp_command> $<TARGET_FILE:canned_paper>)
logp_script(papers:long papers.py $<TARGET_FILE:logp_command> $<TARGET_FILE:canned_paper>)

# The command as a library, called in one process.
foreach(suite answer canvas question views)
  logp_add_suite(${suite})
  target_link_libraries(test_${suite} PRIVATE logp_tools)
endforeach()
logp_test_suites(SUITES answer canvas question views)

# The page of logp report, in a browser that has no network.
if(PYTHON3 AND CHROMIUM)
  logp_script(report_page:long report/page.py $<TARGET_FILE:logp_command> --browser ${CHROMIUM})
  # axe-core comes from npm, in the version of report/package-lock.json: tools/setup.sh installs it there.
  logp_script(report_axe:long:optional report/axe.py $<TARGET_FILE:logp_command>
              ${CMAKE_BINARY_DIR}/axe/node_modules/axe-core/axe.min.js --browser ${CHROMIUM})
  if(LOGP_HAS_FOLD)
    add_executable(what_if_peer tools/report/what_if_peer.c ${PROJECT_SOURCE_DIR}/tools/view/report/what_if.c)
    target_include_directories(what_if_peer PRIVATE ${PROJECT_SOURCE_DIR}/tools)
    target_link_libraries(what_if_peer PRIVATE logp::logp)
    logp_script(report_what_if:long report/what_if.py $<TARGET_FILE:logp_command>
                $<TARGET_FILE:what_if_peer> --browser ${CHROMIUM})
  endif()
endif()

if(VALGRIND)
  logp_script(command_leaks:long leaks.sh ${VALGRIND} $<TARGET_FILE:logp_command>)
endif()
