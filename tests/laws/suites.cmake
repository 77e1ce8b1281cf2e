# SPDX-License-Identifier: MIT
# Laws that hold for all rows of the table.
logp_test_suites(EXECUTORS shared ALSO thread fiber parallel SUITES cases:slow)
logp_test_suites(SUITES best:long table:long)
if(PYTHON3 AND NOT LOGP_TESTS_PLAIN)
  logp_script(golden golden.py $<TARGET_FILE:logp_command> ${CMAKE_CURRENT_LIST_DIR}/golden.txt)
endif()
