# SPDX-License-Identifier: MIT
# Laws that hold for all rows of the table.
logp_test_suites(EXECUTORS shared ALSO thread fiber parallel SUITES cases:slow)
logp_test_suites(SUITES best:long table:long guidelines monotone)
add_test(NAME guidelines_many COMMAND logp_tests --filter guidelines/* --jobs 1)
set_tests_properties(guidelines_many PROPERTIES ENVIRONMENT LOGP_TEST_POINTS=3000)
logp_declare(guidelines_many long)
logp_keep_memory(best guidelines guidelines_many monotone)
if(PYTHON3 AND NOT LOGP_TESTS_PLAIN)
  logp_script(golden golden.py $<TARGET_FILE:logp_command> ${CMAKE_CURRENT_LIST_DIR}/golden.txt)
endif()
