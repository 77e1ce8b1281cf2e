# SPDX-License-Identifier: MIT
logp_add_suite(timers host/histogram.c host/memory.c state/timers.c)
logp_test_suites(SUITES timers:first)
