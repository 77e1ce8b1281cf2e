/* SPDX-License-Identifier: MIT */
/**
 * @file history.h
 * Histories: invocations and returns of clients, and a check that they are linearizable: that each
 * operation could have taken effect at one instant between its invocation and its return.
 * Unstable: this header may change in any version.
 *
 *     static struct logp_history *history;              // logp_history_create(); `before` of the
 *                                                       // check calls logp_history_reset()
 *     id = logp_history_invoke(history, vp, rank, LOGP_HISTORY_WRITE, 0, 7);
 *     ...                                               // the protocol's messages
 *     rc = logp_history_return(history, vp, id, 0);
 *     ...
 *     LOGP_CHECK_LINEARIZABLE(vp, history, logp_model_find("register"));
 *
 * Each client calls the macro when it is done. Operations that have not returned are pending: they
 * may or may not have taken effect. So an early check raises no false alarm, and the last client's
 * check covers all. The same holds for clients that have crashed.
 *
 * Each invocation and each return is a touch of one object (logp_shared_touch()): in a check other
 * vps may run before it, so that an operation may begin late, and exhaustive tries all orders.
 *
 * Without a check of programs, vp is NULL: the order of calls is the order of events.
 *
 * Source: Herlihy and Wing, TOPLAS 12(3), 1990; Wing and Gong, JPDC 17, 1993; the memoisation is
 * Lowe's, CCPE 29(4), 2017, as in Porcupine.
 */
#ifndef LOGP_HISTORY_H
#define LOGP_HISTORY_H

#include <logp/check.h>

LOGP_BEGIN_DECLS

/** The operations of the built-in models. The caller's own models may use any numbers. */
enum logp_history_kind {
    LOGP_HISTORY_READ,    /**< register, key-value: the output is the value */
    LOGP_HISTORY_WRITE,   /**< register, key-value: writes the input */
    LOGP_HISTORY_REMOVE,  /**< key-value: the key has no value afterwards */
    LOGP_HISTORY_ENQUEUE, /**< queue: appends the input */
    LOGP_HISTORY_DEQUEUE, /**< queue: the output is the first value, which is removed */
    LOGP_HISTORY_ACQUIRE, /**< lock: the output is 1 if the client got it, 0 if it was held */
    LOGP_HISTORY_RELEASE, /**< lock: by the client that holds it */
};

/** The output of reading a key without a value, and of LOGP_HISTORY_DEQUEUE of an empty queue. */
#define LOGP_HISTORY_EMPTY INT64_MIN

/** One operation of a client. */
struct logp_history_operation {
    int client, kind;
    bool pending; /**< it has not returned: `output` has no meaning */
    int64_t key, input, output;
};

/** The state of a model: a list of values. Equal lists are equal states. */
struct logp_model_state {
    int64_t *values;
    size_t n_values;
};

/** A sequential object. */
struct logp_model {
    const char *name;
    const int64_t *initial; /**< the values of the first state; n_initial = 0: may be NULL */
    size_t n_initial;
    bool by_key; /**< operations of different keys are independent: each key has its own
                      state, and is checked separately */
    /**
     * Do an operation. There is space for one more value than n_values.
     * @return false: the operation cannot have this output in this state, and `state` is undefined
     */
    bool (*step)(struct logp_model_state *state, const struct logp_history_operation *operation);
};

/** @return a built-in model: "register" (0 at first), "queue", "key-value", "lock"; NULL: none. */
LOGP_API const struct logp_model *logp_model_find(const char *name);

/** The operations of any number of clients. */
struct logp_history;

/** @param out  free it with logp_history_destroy() @return 0; -ENOMEM */
LOGP_API int logp_history_create(struct logp_history **out);

/** NULL is allowed. */
LOGP_API void logp_history_destroy(struct logp_history *history);

/** Forget all operations. Threads: any, one at a time with other calls. */
LOGP_API void logp_history_reset(struct logp_history *history);

/**
 * Note that a client invokes an operation.
 * Threads: any, several at once; so are the next two.
 * @param vp      of the client: its clock orders events, then the order of calls; NULL: the order
 *                of calls alone
 * @param client  >= 0; it has one lane in the picture
 * @return the number of the operation, >= 0; -EINVAL (client), -ENOMEM, -EOVERFLOW (2^31 - 1
 *         operations), or the error that stops the run
 */
LOGP_API int logp_history_invoke(struct logp_history *history, struct logp_vp *vp, int client,
                                 int kind, int64_t key, int64_t input);

/**
 * Note that an operation returns.
 * @param operation  the result of logp_history_invoke()
 * @return 0; -EINVAL (there is no such operation, or it has returned), or the error that stops the
 *         run
 */
LOGP_API int logp_history_return(struct logp_history *history, struct logp_vp *vp, int operation,
                                 int64_t output);

/**
 * Check that a history is linearizable. The time is exponential in the number of operations that
 * overlap, in the worst case.
 * @return 0; -EPROTO: it is not; -EINVAL (no history, no model), -ENOMEM
 */
LOGP_API int logp_history_check(struct logp_history *history, const struct logp_model *model);

/**
 * Draw the shortest beginning of a history that is not linearizable, with one lane for each client.
 * It is red where no order of the operations explains a return; a pending operation has no right
 * end. With by_key, only the operations of the key that fails are drawn; at most the last 40.
 * @param svg  out; free it with free(); NULL after an error
 * @return 0; -EINVAL (no history, no model), -ENODATA: the history is linearizable; -ENOMEM
 */
LOGP_API int logp_history_svg(struct logp_history *history, const struct logp_model *model,
                              char **svg);

/**
 * As LOGP_CHECK(), of a history. Lack of memory also fails, and so does a history or a model that is
 * NULL: the report names it.
 * @return as LOGP_CHECK()
 */
#define LOGP_CHECK_LINEARIZABLE(vp, history, model)                                                \
    logp_history_holds((vp), (history), (model), #history " is linearizable", __FILE__, __LINE__)

/** Called by LOGP_CHECK_LINEARIZABLE(). The text of a failure of logp_check() shows the operations that no
 *  order explains, by client. The two texts must live as long as the report. */
LOGP_API int logp_history_holds(struct logp_vp *vp, struct logp_history *history,
                                const struct logp_model *model, const char *expression,
                                const char *file, int line);

LOGP_END_DECLS

#endif
