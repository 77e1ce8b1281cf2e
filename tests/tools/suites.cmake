# SPDX-License-Identifier: MIT
# The command as a library, called in one process.
if(NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  logp_add_suite(question)
  target_link_libraries(test_question PRIVATE logp_tools)
  logp_test_suites(SUITES question)
endif()
