# SPDX-License-Identifier: MIT
logp_add_suite(stacks) # it stands in for pthread_create()
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES blocking signals stacks)
