/* SPDX-License-Identifier: MIT */
/*
 * The tests of the suites that say what collectives bring to whom, over the processes of an MPI
 * program, which all run this: tests/mpi/processes.sh. The suites are those that run on one box, but
 * their machines are not: test_machine_of() in support.h. Each process looks at what its own ranks
 * got. Tests of times and of what is of one box are not among these.
 */
#include "support.h"

struct plain_test *plain_tests;
struct logp_machine *test_machine_kept;

static const char *const payload[] = {
    "calls/each_does_what_it_promises",
    "calls/items_of_any_size_arrive",
    "calls/bad_arguments_are_refused",
    "cases/every_algorithm_is_right_and_on_time",
    "vector_variants/calls_of_a_program",
    "vector_variants/nothing_is_not_sent_to_each",
    "vector_variants/what_does_not_fit_is_said",
    "in_place/every_algorithm_can_be",
    "in_place/calls_of_a_program",
    "in_place/only_where_there_is_something_in_common",
    "reduce/the_call_reduces_under_any_model",
    "reduce/a_single_byte_is_a_vector_too",
    "transpose/twice_is_the_matrix_itself",
    "summation/thousands_of_operands_are_summed_exactly_by_every_operation",
    "options/every_way_of_sending_meets_every_way_of_receiving",
    "pending/many_at_once_all_come_to_the_right_end",
    "nonblocking/the_order_of_waiting_is_each_ones_own",
    "nonblocking/a_collective_that_is_run_carries_on_those_that_were_started",
    "nonblocking/a_plan_may_be_started_again",
    "groups/splits_of_splits_have_who_wished_for_them",
    "groups/lists_may_overlap",
    "groups/a_list_is_of_ranks_of_the_group",
    "groups/messages_of_groups_with_the_same_members_are_apart",
    "groups/every_group_has_a_context_of_its_own",
};

int main(void)
{
    for (size_t i = 0; i < sizeof(payload) / sizeof(payload[0]); i++) {
        const struct plain_test *t = plain_tests;

        while (t != NULL && strcmp(t->name, payload[i]) != 0)
            t = t->next;
        printf("%s\n", payload[i]);
        fflush(stdout);
        cr_assert(t != NULL);
        t->body();
    }
#undef logp_machine_destroy
    cr_assert_eq(logp_machine_destroy(test_machine_kept), 0);
    return 0;
}
