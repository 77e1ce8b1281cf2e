# SPDX-License-Identifier: MIT
logp_add_suite(clock host/clock.c)
logp_test_suites(SUITES clock:first)
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES placement)
if(NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  # Each of its tests is a process of its own, which they are not under tsan.
  logp_add_suite(core_order host/core_order.c)
  logp_test_suites(ALONE SUITES core_order)
endif()
