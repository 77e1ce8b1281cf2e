# SPDX-License-Identifier: MIT
# The tree itself: how sources and pages are written, and what the pages say.
if(TARGET docs)
  logp_script(docs:slow docs.sh ${CMAKE_BINARY_DIR} $<TARGET_FILE:logp>)
  set_tests_properties(docs PROPERTIES FIXTURES_SETUP site)
  if(PYTHON3 AND CHROMIUM AND NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
    logp_script(site:slow site.py ${CMAKE_BINARY_DIR}/docs/html ${CHROMIUM})
    set_tests_properties(site PROPERTIES FIXTURES_REQUIRED site)
  endif()
endif()
if(LOGP_TESTS_PLAIN)
  return()
endif()

# Skipped without clang-format and clang-tidy.
logp_script(format:slow:optional format.sh)
logp_script(format_changed:optional format.sh changed)
logp_script(headers:slow headers.sh ${PROJECT_SOURCE_DIR}/include)
logp_script(tidy:long:optional tidy.sh ${CMAKE_BINARY_DIR})
logp_script(tidy_changed:slow:optional tidy.sh ${CMAKE_BINARY_DIR} changed)
if(PYTHON3)
  foreach(what layers links message_page names pages words)
    logp_script(${what} ${what}.py)
  endforeach()
  foreach(page cluster_page command_page paper_page record_page)
    logp_script(${page} ${page}.py $<TARGET_FILE:logp_command>)
  endforeach()
  # The commands of one page take longer than those of all others.
  logp_script(page_commands page_commands.py $<TARGET_FILE:logp_command> --but docs/tutorial-machine.md)
  logp_script(page_commands_machine:slow page_commands.py $<TARGET_FILE:logp_command> docs/tutorial-machine.md)
  logp_script(mutation_operators mutate --self-test) # whether it makes the changes that it says
endif()
if(LOGP_SANITIZE)
  return()
endif()

find_program(ABIDIFF abidiff) # of abigail-tools
if(ABIDIFF)
  logp_script(abi abi/abi.sh test $<TARGET_FILE:logp> $<TARGET_FILE:logp_command>)
endif()
logp_script(page_session_race page_session.py ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}/docs/tutorial-race.md)
logp_script(page_session_algorithm page_session.py ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}/docs/own-algorithm.md)
logp_script(page_session_readme page_session.py ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}/README.md)
# They write the list of what is installed.
set_tests_properties(page_session_race page_session_algorithm page_session_readme PROPERTIES RESOURCE_LOCK installed)
