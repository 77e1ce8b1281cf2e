# SPDX-License-Identifier: MIT
logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared parallel SUITES trace)
logp_test_suites(EXECUTORS shared parallel ALSO thread fiber SUITES trace_rules)
