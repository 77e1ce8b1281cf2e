# SPDX-License-Identifier: MIT
logp_test_suites(SUITES agree)
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES refused until)
logp_test_suites(ALONE EXECUTORS thread fiber parallel ALSO shared SUITES compare)
logp_test_suites(ALONE EXECUTORS thread parallel ALSO fiber shared SUITES group groups options)
logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared SUITES progress)
logp_test_suites(ALONE EXECUTORS thread ALSO fiber SUITES shared)
