# SPDX-License-Identifier: MIT
logp_add_suite(clock)
target_sources(test_clock PRIVATE ${PROJECT_SOURCE_DIR}/runtime/host/clock.c)
target_include_directories(test_clock PRIVATE ${PROJECT_SOURCE_DIR}/runtime)
logp_test_suites(SUITES clock)
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES placement)
if(NOT LOGP_SANITIZE AND NOT LOGP_TESTS_PLAIN)
  # Each of its tests is a process of its own, which they are not under tsan.
  logp_add_suite(core_order)
  target_sources(test_core_order PRIVATE ${PROJECT_SOURCE_DIR}/runtime/host/core_order.c)
  target_include_directories(test_core_order PRIVATE ${PROJECT_SOURCE_DIR}/runtime)
  target_link_libraries(test_core_order PRIVATE PkgConfig::HWLOC)
  logp_test_suites(ALONE SUITES core_order)
endif()
