# SPDX-License-Identifier: MIT
logp_add_suite(clock host/clock.c)
logp_test_suites(SUITES clock:first)
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES placement)
logp_add_suite(cores host/allowed.c host/choice.c host/quota.c host/topology.c)
logp_test_suites(SUITES cores)
