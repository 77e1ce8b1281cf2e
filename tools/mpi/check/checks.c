/* SPDX-License-Identifier: MIT */
/* The hooks that the options select. */
#include "check.h"

/* A write to the buffer of an operation that is not complete changes the sum of the bytes that it
 * reads. */
static const struct checks sums = {
    .buffer = check_buffer, .buffers = check_buffers, .sum = check_sum};

static const struct checks all_checks = {.requests = check_requests,
                                         .buffer = check_buffer,
                                         .buffers = check_buffers,
                                         .apart = check_apart,
                                         .blocking = check_blocking,
                                         .forget_buffers = check_forget_buffers,
                                         .sum = check_sum,
                                         .signature_of = check_signature_of,
                                         .signature = check_signature,
                                         .alike = check_alike,
                                         .order = check_order,
                                         .members = check_members,
                                         .windows = check_windows,
                                         .origin = check_origin,
                                         .forget_origins = check_forget_origins,
                                         .access = check_access,
                                         .begin_access = check_begin_access,
                                         .performed = check_note_performed,
                                         .end_performed = check_end_performed,
                                         .end_accesses = check_end_accesses,
                                         .end_accesses_of = check_end_accesses_of,
                                         .end_own_accesses = check_end_own_accesses,
                                         .begin_fence = check_own_memory,
                                         .end_fence = check_note_fence,
                                         .returned = check_returned,
                                         .left = check_report_left,
                                         .messages = check_report_messages};

struct checks the_checks;
struct said the_said;

void check_begin(void)
{
    the_said = (struct said){.mutex = PTHREAD_MUTEX_INITIALIZER};
}

void check_choose(bool checks, bool checksums)
{
    check_begin();
    the_checks = checks ? all_checks : checksums ? sums : (struct checks){.requests = NULL};
}
