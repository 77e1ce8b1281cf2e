# SPDX-License-Identifier: MIT
logp_add_suite(lanes host/memory.c mail/direct.c mail/lanes.c mail/mailbox.c mail/poll.c mail/pool.c mail/queue.c)
set_source_files_properties(${PROJECT_SOURCE_DIR}/runtime/mail/lanes.c PROPERTIES COMPILE_DEFINITIONS "aligned_alloc=test_aligned")
logp_add_suite(matching host/memory.c mail/heap.c mail/index.c mail/match.c mail/pool.c)
set_source_files_properties(${PROJECT_SOURCE_DIR}/runtime/mail/heap.c
                            ${PROJECT_SOURCE_DIR}/runtime/mail/index.c
                            PROPERTIES COMPILE_DEFINITIONS "calloc=test_calloc;realloc=test_realloc;lpi_memory_zeroed=test_zeroed")
logp_test_suites(SUITES lanes:first matching:first)
logp_test_suites(ALONE EXECUTORS thread fiber ALSO shared SUITES backpressure mailbox match:quick queue)
logp_test_suites(ALONE EXECUTORS thread ALSO fiber shared SUITES rendezvous_rule)
