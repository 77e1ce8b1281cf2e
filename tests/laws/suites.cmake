# SPDX-License-Identifier: MIT
# Laws that hold for all rows of the table.
logp_test_suites(EXECUTORS shared ALSO thread fiber parallel SUITES cases:slow)
logp_test_suites(SUITES best:long table:long)
