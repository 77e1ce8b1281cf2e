/* SPDX-License-Identifier: MIT */
/* A schedule as a C program that runs it over MPI point to point, and checks the result. */
#include "view/schedule/forms.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char declarations[] =
    "#include <mpi.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "enum buffer { BUF, RECV_BUF, SCRATCH };\n"
    "enum kind { SEND, RECEIVE, COMBINE, COMBINE_INTO_ONE, COPY };\n"
    "\n"
    "struct place {\n"
    "    enum buffer buffer;\n"
    "    size_t offset; /* in bytes */\n"
    "};\n"
    "\n"
    "struct step {\n"
    "    enum kind kind;\n"
    "    int peer, tag;\n"
    "    size_t n;     /* combine: elements; copy: pieces */\n"
    "    size_t bytes; /* of the message or of a piece */\n"
    "    struct place at, left, right;\n"
    "    size_t at_stride, right_stride;\n"
    "};\n"
    "\n"
    "/* What a rank must hold at the end. */\n"
    "struct promise {\n"
    "    struct place at;\n"
    "    size_t bytes;\n"
    "    int from, ranks; /* whose operands; several are combined */\n"
    "    size_t offset;   /* of the operands */\n"
    "    int whole;       /* all operands of these ranks, in one element */\n"
    "};\n"
    "\n";

/* %s: the type, the operation on a and b, an operand. */
static const char arithmetic[] = "typedef %s element;\n"
                                 "\n"
                                 "static element combine(element a, element b)\n"
                                 "{\n"
                                 "    return (element)(%s);\n"
                                 "}\n"
                                 "\n"
                                 "/* Operand i of a rank. */\n"
                                 "static element operand(int rank, size_t i)\n"
                                 "{\n"
                                 "    return (element)(%s);\n"
                                 "}\n"
                                 "\n";

static const char running[] =
    "static char *buffers[3];\n"
    "\n"
    "static char *address(struct place p)\n"
    "{\n"
    "    return buffers[p.buffer] + p.offset;\n"
    "}\n"
    "\n"
    "/* The bytes that a step writes. */\n"
    "static size_t written(const struct step *s)\n"
    "{\n"
    "    switch (s->kind) {\n"
    "    case SEND:\n"
    "        return 0;\n"
    "    case RECEIVE:\n"
    "        return s->bytes;\n"
    "    case COMBINE:\n"
    "        return s->n * sizeof(element);\n"
    "    case COMBINE_INTO_ONE:\n"
    "        return sizeof(element);\n"
    "    default:\n"
    "        return s->n > 0 ? (s->n - 1) * s->at_stride + s->bytes : 0;\n"
    "    }\n"
    "}\n"
    "\n"
    "/* Does a later step write where this message is sent from? Then it must leave at once. */\n"
    "static int is_overwritten(const struct step *s, const struct step *end)\n"
    "{\n"
    "    for (const struct step *later = s + 1; later < end; later++)\n"
    "        if (address(later->at) < address(s->at) + s->bytes &&\n"
    "            address(s->at) < address(later->at) + written(later))\n"
    "            return 1;\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "static void combine_step(const struct step *s)\n"
    "{\n"
    "    element *at = (element *)address(s->at);\n"
    "    const element *left = (const element *)address(s->left);\n"
    "    const element *right = (const element *)address(s->right);\n"
    "\n"
    "    for (size_t i = 0; i < s->n; i++) {\n"
    "        if (s->kind == COMBINE)\n"
    "            at[i] = combine(left[i], right[i]);\n"
    "        else\n"
    "            *at = combine(*at, right[i]);\n"
    "    }\n"
    "}\n"
    "\n"
    "static void copy_step(const struct step *s)\n"
    "{\n"
    "    for (size_t i = 0; i < s->n; i++)\n"
    "        memmove(address(s->at) + i * s->at_stride, address(s->right) + i * s->right_stride,\n"
    "                s->bytes);\n"
    "}\n"
    "\n"
    "/* No send waits for its receiver. */\n"
    "static void run(const struct step *begin, const struct step *end, const char "
    "*leaves_at_once,\n"
    "                MPI_Request *requests)\n"
    "{\n"
    "    int n = 0;\n"
    "\n"
    "    for (const struct step *s = begin; s < end; s++) {\n"
    "        if (s->kind == SEND && leaves_at_once[s - begin])\n"
    "            MPI_Bsend(address(s->at), (int)s->bytes, MPI_BYTE, s->peer, s->tag, "
    "MPI_COMM_WORLD);\n"
    "        else if (s->kind == SEND)\n"
    "            MPI_Isend(address(s->at), (int)s->bytes, MPI_BYTE, s->peer, s->tag, "
    "MPI_COMM_WORLD,\n"
    "                      &requests[n++]);\n"
    "        else if (s->kind == RECEIVE)\n"
    "            MPI_Recv(address(s->at), (int)s->bytes, MPI_BYTE, s->peer, s->tag, "
    "MPI_COMM_WORLD,\n"
    "                     MPI_STATUS_IGNORE);\n"
    "        else if (s->kind == COPY)\n"
    "            copy_step(s);\n"
    "        else\n"
    "            combine_step(s);\n"
    "    }\n"
    "    for (int i = 0; i < n; i++)\n"
    "        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);\n"
    "}\n"
    "\n"
    "static void fill(int rank)\n"
    "{\n"
    "    for (int b = BUF; b <= SCRATCH; b++)\n"
    "        memset(buffers[b], 0xa5, sizes[rank][b]);\n"
    "    for (size_t i = 0; i < sizes[rank][3] / sizeof(element); i++)\n"
    "        ((element *)buffers[BUF])[i] = operand(rank, i);\n"
    "}\n"
    "\n"
    "static element expected(const struct promise *p, size_t i)\n"
    "{\n"
    "    element all = 0;\n"
    "    int n = 0;\n"
    "\n"
    "    for (int r = p->from; r < p->from + p->ranks; r++) {\n"
    "        const size_t first = p->whole ? 0 : p->offset / sizeof(element) + i;\n"
    "        const size_t end = p->whole ? sizes[r][BUF] / sizeof(element) : first + 1;\n"
    "\n"
    "        for (size_t j = first; j < end; j++)\n"
    "            all = n++ == 0 ? operand(r, j) : combine(all, operand(r, j));\n"
    "    }\n"
    "    return all;\n"
    "}\n"
    "\n"
    "static int is_right(int rank)\n"
    "{\n"
    "    for (size_t j = first_promise[rank]; j < first_promise[rank + 1]; j++)\n"
    "        for (size_t i = 0; i < promises[j].bytes / sizeof(element); i++)\n"
    "            if (((element *)address(promises[j].at))[i] != expected(&promises[j], i))\n"
    "                return 0;\n"
    "    return 1;\n"
    "}\n"
    "\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    const int runs = argc > 1 ? atoi(argv[1]) : 1;\n"
    "    const struct step *begin, *end;\n"
    "    MPI_Request *requests;\n"
    "    char *leaves_at_once, *space;\n"
    "    double best = 0;\n"
    "    size_t bytes = MPI_BSEND_OVERHEAD + 1, n;\n"
    "    int rank, size, right = 1, all_right;\n"
    "\n"
    "    MPI_Init(&argc, &argv);\n"
    "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "    MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
    "    if (size != P) {\n"
    "        if (rank == 0)\n"
    "            fprintf(stderr, \"run it with %d processes, not %d\\n\", P, size);\n"
    "        MPI_Finalize();\n"
    "        return 2;\n"
    "    }\n"
    "    begin = steps + first_step[rank];\n"
    "    end = steps + first_step[rank + 1];\n"
    "    n = (size_t)(end - begin);\n"
    "    for (int b = BUF; b <= SCRATCH; b++)\n"
    "        buffers[b] = malloc(sizes[rank][b] + 1);\n"
    "    requests = malloc((n + 1) * sizeof(*requests));\n"
    "    leaves_at_once = calloc(n + 1, 1);\n"
    "    for (size_t i = 0; i < n; i++)\n"
    "        if (begin[i].kind == SEND && is_overwritten(&begin[i], end)) {\n"
    "            leaves_at_once[i] = 1;\n"
    "            bytes += begin[i].bytes + MPI_BSEND_OVERHEAD;\n"
    "        }\n"
    "    space = malloc(bytes);\n"
    "    for (int i = 0; i < runs; i++) {\n"
    "        double time, slowest;\n"
    "\n"
    "        fill(rank);\n"
    "        MPI_Buffer_attach(space, (int)bytes);\n"
    "        MPI_Barrier(MPI_COMM_WORLD);\n"
    "        time = MPI_Wtime();\n"
    "        run(begin, end, leaves_at_once, requests);\n"
    "        time = MPI_Wtime() - time;\n"
    "        MPI_Buffer_detach(&space, &(int){0});\n"
    "        right = right && is_right(rank);\n"
    "        MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);\n"
    "        if (i == 0 || slowest < best)\n"
    "            best = slowest;\n"
    "    }\n"
    "    if (!right)\n"
    "        fprintf(stderr, \"rank %d has a wrong result\\n\", rank);\n"
    "    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);\n"
    "    if (rank == 0)\n"
    "        printf(\"%s, P = %d: %s; the slowest rank took %.3f us, best of %d\\n\", NAME, P,\n"
    "               all_right ? \"verified\" : \"WRONG\", best * 1e6, runs);\n"
    "    MPI_Finalize();\n"
    "    return all_right ? 0 : 1;\n"
    "}\n";

/* ---- differences between schedules ---- */

static const char *const buffers[] = {
    [LOGP_BUF] = "BUF", [LOGP_RECV_BUF] = "RECV_BUF", [LOGP_SCRATCH] = "SCRATCH"};

static const struct {
    const char *name, *operation;
    const char *operand; /* chosen so that no result of many ranks is too large, or rounded */
} operations[] = {
    {"sum", "a + b", "((unsigned)rank * 31 + i) % 97"},
    {"prod", "a * b", "((unsigned)rank + i) % 16 == 0 ? 2 : 1"},
    {"min", "a < b ? a : b", "(((unsigned)rank + 1) * 1103 + i * 7) % 9973"},
    {"max", "a > b ? a : b", "(((unsigned)rank + 1) * 1103 + i * 7) % 9973"},
};

static const struct {
    const char *name, *type;
} types[] = {{"int32", "int32_t"}, {"int64", "int64_t"}, {"float", "float"}, {"double", "double"}};

static struct problem *print_arithmetic(FILE *f, const struct logp_op *op)
{
    size_t type = 0, operation = 0;

    if (op == NULL) {
        fprintf(f, arithmetic, "unsigned char", "a + b", "(unsigned)rank * 131 + i * 7 + i / 251");
        return NULL;
    }
    while (type < sizeof(types) / sizeof(*types) && strcmp(types[type].name, op->type) != 0)
        type++;
    while (operation < sizeof(operations) / sizeof(*operations) &&
           strcmp(operations[operation].name, op->name) != 0)
        operation++;
    if (type == sizeof(types) / sizeof(*types) ||
        operation == sizeof(operations) / sizeof(*operations))
        return option_problem("--format", "mpi-c", "%s of %s cannot be written", op->name,
                              op->type);
    fprintf(f, arithmetic, types[type].type, operations[operation].operation,
            operations[operation].operand);
    return NULL;
}

/* Refuse computations of a rank, because their code would have to be written, too. */
static struct problem *refuse_work(const struct schedule_shown *s)
{
    struct problem *problem = NULL;
    struct logp_step step;

    for (int64_t rank = 0; problem == NULL && rank < s->steps.P; rank++) {
        struct logp_invocation c = begin_shown_rank(s, rank);

        for (int64_t i = 0; problem == NULL && s->algorithm->steps(s->steps.P, rank, &c, i, &step);
             i++)
            if (step.kind == LOGP_STEP_COMPUTE && (step.n_bytes > 0 || step.work != NULL))
                problem = option_problem(
                    "--format", "mpi-c",
                    "rank %lld, step %lld computes data of its own; text, json or goal",
                    (long long)rank, (long long)i);
        logp_schedule_end(&c);
    }
    return problem;
}

static struct problem *mpi_begin(struct schedule_writer *w)
{
    const struct schedule_shown *s = w->shown;

    if (!s->has_data)
        return option_problem("--format", "mpi-c",
                              "needs to know what the file computes; add --as COLLECTIVE");
    TRY(refuse_work(s));
    fprintf(w->f,
            "/* Written by logp schedule. It runs the schedule over MPI, and checks the result:\n"
            " *     mpicc -O2 FILE.c -o program && mpirun -n %lld ./program [RUNS] */\n",
            (long long)s->steps.P);
    fprintf(w->f, "%s#define NAME \"%s\"\nenum { P = %lld };\n\n", declarations,
            s->collective->name, (long long)s->steps.P);
    TRY(print_arithmetic(w->f, s->steps.args.op));
    fprintf(w->f, "static const struct step steps[] = {\n");
    w->first_step = need(calloc((size_t)s->steps.P, sizeof(*w->first_step)));
    return NULL;
}

static void mpi_rank(struct schedule_writer *w, int64_t rank)
{
    w->first_step[rank] = w->n_steps;
    fprintf(w->f, "    /* rank %lld */\n", (long long)rank);
}

static void print_place(FILE *f, struct logp_buffer_ref at)
{
    fprintf(f, "{%s, %zu}, ", buffers[at.buffer], at.offset);
}

/* Write a step; a computation, which has a time but no data, is not written. */
static void mpi_step(struct schedule_writer *w, const struct logp_step *s, int64_t index)
{
    static const char *const kinds[] = {[LOGP_STEP_SEND] = "SEND",
                                        [LOGP_STEP_RECEIVE] = "RECEIVE",
                                        [LOGP_STEP_COMBINE] = "COMBINE",
                                        [LOGP_STEP_COPY] = "COPY"};
    const struct logp_buffer_ref none = {LOGP_BUF, 0};
    const bool moves = s->kind == LOGP_STEP_SEND || s->kind == LOGP_STEP_RECEIVE;
    const bool combines = s->kind == LOGP_STEP_COMBINE, copies = s->kind == LOGP_STEP_COPY;

    (void)index;
    if (s->kind == LOGP_STEP_COMPUTE)
        return;
    w->n_steps++;
    fprintf(w->f, "    {%s%s, %lld, %d, %lld, %zu, ", kinds[s->kind],
            combines && s->into_one ? "_INTO_ONE" : "", moves ? (long long)s->peer : 0,
            moves ? s->tag : 0, moves ? 0 : (long long)s->n, combines ? 0 : s->n_bytes);
    print_place(w->f, s->at);
    print_place(w->f, combines && !s->into_one ? s->left : none);
    print_place(w->f, moves ? none : s->right);
    fprintf(w->f, "%zu, %zu},\n", copies ? s->at_stride : 0, copies ? s->right_stride : 0);
}

static void print_sizes(struct schedule_writer *w)
{
    const struct schedule_shown *s = w->shown;

    fprintf(w->f, "};\n\nstatic const size_t first_step[P + 1] = {");
    for (int64_t rank = 0; rank < s->steps.P; rank++)
        fprintf(w->f, "%zu, ", w->first_step[rank]);
    fprintf(w->f,
            "%zu};\n\n/* By rank: bytes of its buffers, and of its operands in BUF. */\n"
            "static const size_t sizes[P][4] = {\n",
            w->n_steps);
    for (int64_t rank = 0; rank < s->steps.P; rank++) {
        struct logp_invocation c = begin_shown_rank(s, rank);
        size_t buf = 0, recv_buf = 0, given;

        s->collective->sizes((int)s->steps.P, (int)rank, &c, &buf, &recv_buf);
        given = s->collective->given != NULL ? s->collective->given(s->steps.P, rank, &c) : buf;
        fprintf(w->f, "    {%zu, %zu, %zu, %zu},\n", buf, recv_buf, c.plan.scratch_bytes, given);
        logp_schedule_end(&c);
    }
    fprintf(w->f, "};\n\n");
}

static void print_promises(struct schedule_writer *w)
{
    const struct schedule_shown *s = w->shown;
    size_t n = 0;

    fprintf(w->f, "static const struct promise promises[] = {\n");
    for (int64_t rank = 0; rank < s->steps.P; rank++) {
        struct logp_invocation c = begin_shown_rank(s, rank);
        struct logp_postcondition p = {.ranks = 1};

        w->first_step[rank] = n; /* for the promises from now on; all steps are written */
        for (int64_t i = 0; s->collective->postcondition != NULL &&
                            s->collective->postcondition(s->steps.P, rank, &c, i, &p);
             i++, n++) {
            fprintf(w->f, "    {{%s, %zu}, %zu, %lld, %lld, %zu, %d},\n", buffers[p.at.buffer],
                    p.at.offset, p.n_bytes, (long long)p.from, p.combined ? (long long)p.ranks : 1,
                    p.offset, p.combined && p.whole);
            p = (struct logp_postcondition){.ranks = 1};
        }
        logp_schedule_end(&c);
    }
    fprintf(w->f,
            "    {{BUF, 0}, 0, 0, 0, 0, 0}};\n\nstatic const size_t first_promise[P + 1] = {");
    for (int64_t rank = 0; rank < s->steps.P; rank++)
        fprintf(w->f, "%zu, ", w->first_step[rank]);
    fprintf(w->f, "%zu};\n\n", n);
}

static void mpi_end(struct schedule_writer *w)
{
    fprintf(w->f, "    {SEND, 0, 0, 0, 0, {BUF, 0}, {BUF, 0}, {BUF, 0}, 0, 0}\n");
    print_sizes(w);
    print_promises(w);
    fputs(running, w->f);
    free(w->first_step);
}

const struct step_form steps_as_mpi = {.with_data = true,
                                       .begin = mpi_begin,
                                       .begin_rank = mpi_rank,
                                       .step = mpi_step,
                                       .end = mpi_end};
