# SPDX-License-Identifier: MIT
logp_add_suite(timers)
target_sources(test_timers PRIVATE ${PROJECT_SOURCE_DIR}/runtime/host/histogram.c
                                   ${PROJECT_SOURCE_DIR}/runtime/host/memory.c
                                   ${PROJECT_SOURCE_DIR}/runtime/state/timers.c)
target_include_directories(test_timers PRIVATE ${PROJECT_SOURCE_DIR}/runtime)
logp_test_suites(SUITES timers)
