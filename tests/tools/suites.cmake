# SPDX-License-Identifier: MIT
# The command as a library, called in one process.
if(NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  foreach(suite answer canvas question views)
    logp_add_suite(${suite})
    target_link_libraries(test_${suite} PRIVATE logp_tools)
  endforeach()
  logp_test_suites(SUITES answer canvas question views)
endif()
