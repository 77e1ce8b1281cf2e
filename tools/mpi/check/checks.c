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
                                         .forget_buffers = forget_buffers,
                                         .sum = check_sum,
                                         .signature_of = signature_of,
                                         .signature = check_signature,
                                         .alike = check_alike,
                                         .order = check_order,
                                         .members = check_members,
                                         .windows = check_windows,
                                         .origin = check_origin,
                                         .forget_origins = forget_origins,
                                         .access = check_access,
                                         .begin_access = begin_access,
                                         .performed = note_performed,
                                         .end_performed = end_performed,
                                         .end_accesses = end_accesses,
                                         .end_accesses_of = end_accesses_of,
                                         .end_own_accesses = end_own_accesses,
                                         .begin_fence = check_own_memory,
                                         .end_fence = note_fence,
                                         .returned = check_returned,
                                         .left = report_left,
                                         .messages = report_messages};

struct checks the_checks;
struct said the_said;

void begin_checks(void)
{
    the_said = (struct said){.mutex = PTHREAD_MUTEX_INITIALIZER};
}

void choose_checks(bool checks, bool checksums)
{
    begin_checks();
    the_checks = checks ? all_checks : checksums ? sums : (struct checks){.requests = NULL};
}
