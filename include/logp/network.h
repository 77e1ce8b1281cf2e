/* SPDX-License-Identifier: MIT */
/**
 * @file network.h
 * The network between the processors of a machine: what messages cost, which way they take, which
 * sends wait for their receiver, and what goes wrong.
 *
 *     const struct logp_network network = {.params = {.L_ns = 6000, .o_send_ns = 2000,
 *                                                     .o_recv_ns = 2000, .g_ns = 4000}};
 *     const struct logp_config config = {.size = sizeof(config), .n_processors = 8,
 *                                        .network = &network};
 *
 * One description serves all: a machine emulates it (machine.h), algorithms are planned, chosen
 * and predicted for it (collective.h, schedule.h), the test kit varies runs on it (check.h). An
 * experiment (experiment.h) predicts for the network of its machine, so that its prediction is for
 * the network on which it ran.
 *
 * Threads: a network is constant; any thread may read it.
 */
#ifndef LOGP_NETWORK_H
#define LOGP_NETWORK_H

#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

struct logp_latency; /**< latency.h */

/** A network. Zero is a good default for every field; with all of them 0 messages cost nothing.
 *  What it points to must stay as long as the struct is used. A machine, and a delay model made of
 *  a network, copy what they need. */
struct logp_network {
    /** The parameters as the delay model takes them: logp_delay_params(). They name the built-in
     *  model, too: logp_delay_name(). The seed is that of latencies, faults and noise as well. */
    struct logp_params params;
    /** The links between the processors, and with a mesh or torus the sizes those of the
     *  algorithms mesh and torus. NULL: any two processors are neighbours, and these are square. */
    const struct logp_topology *topology;
    /** What differs from params from pair to pair; algorithms plan with params. NULL: nothing. No
     *  topology then. */
    const struct logp_links *links;
    /** Nothing is emulated: messages take the host's own time. A machine has the delay model
     *  `none`, algorithms are chosen for the host, and the test kit says nothing of time. */
    bool undelayed;
    /**
     * A send of this many bytes or more waits for its receiver; one without bytes counts as one of
     * 1 byte. 0: none waits; 1: every send does. This is the only convention: what is written as
     * "more than S bytes", as by the option --rendezvous, is S + 1.
     *
     * At s such a send is charged its gap and o_send for a request, which is at the receiver at
     * s + o_send + L. When the request is there and a matching receive is posted (in logp_recv():
     * the receiver has reached that call), the answer takes L back, and then the payload is sent as
     * a plain send. Request and answer cost the receiver nothing, and take no part in its gap.
     * logp_send() and logp_sendrecv() end with the payload, logp_isend() with the request: the
     * payload is sent within the first call that receives, waits, tests or probes once the answer
     * is there (before a message that comes as late is taken), in the order of the answers. A
     * program that relies on buffers deadlocks. While choices are explored (explore.h) the payload
     * of logp_isend() goes with the request, and its request is complete when the answer is there.
     */
    int64_t rendezvous_from;
    const struct logp_latency *latency; /**< latencies by chance; NULL: as params say */
    const char *faults;                 /**< "drop:1e-3,stop@5:20us", as fault.h says; NULL: none */
    const char *noise;                  /**< "exp:500ns", the same; NULL: none */
    int64_t unit_ns;                    /**< of times in faults and noise without a suffix; 0: 1 */
    int64_t reserved[4];                /**< 0; for later fields */
};

/** Room for why a network is refused. */
#define LOGP_NETWORK_WHY 256

/**
 * The delay model of a network. logp_machine_create() calls it for logp_config.network; a program
 * needs it for logp_machine_set_delay() and logp_schedule_fold().
 * @param P    processors, 1 .. LOGP_MAX_PROCESSORS: of faults and noise
 * @param own  a model of one's own in place of params, topology and links; it goes over, and after
 *             an error it is freed. NULL: none
 * @param out  out: the model `none` of an undelayed network; else one that is given to a machine, or
 *             freed with logp_delay_destroy(). After an error: no model
 * @param why  out: where -EINVAL is returned, which field is wrong and what is allowed, in a line;
 *             otherwise "". NULL: not wanted
 * @return 0; -EINVAL (no built-in model has these parameters, or one is out of range: see
 *         logp_delay_create(); both topology and links; what logp_topology_delay(),
 *         logp_links_delay(), logp_latency_create() and logp_fault_create() refuse), -E2BIG (a
 *         reserved field is not 0), -ENOMEM
 */
LOGP_API int logp_network_delay(const struct logp_network *network, int64_t P,
                                const struct logp_delay *own, struct logp_delay *out,
                                char why[LOGP_NETWORK_WHY]);

/**
 * The network of a machine. It is that of logp_config.network; without one, or once the delay model
 * has been replaced, that of the model in force (logp_delay_ops.network and params). Where nothing
 * is emulated it is undelayed on the wall clock in one process, and params are what algorithms are
 * planned with.
 * @param out  out: what it points to stays until the model is replaced or the machine destroyed
 * Threads: as logp_machine_run(), while it does not run.
 */
LOGP_API void logp_machine_network(const struct logp_machine *machine, struct logp_network *out);

/**
 * Replace logp_network.rendezvous_from of a machine from the next run on.
 * @param from  bytes, as there; 0: no send waits
 * Threads: as logp_machine_run(), not during a run; also by the function of logp_machine_repeat()
 * @return 0; -EINVAL (negative); -ENOTSUP (a parallel machine, or one over processes); -EBUSY (a
 *         run is under way, or one of its vps has not come home); -ENOMEM
 */
LOGP_API int logp_machine_set_rendezvous_from(struct logp_machine *machine, int64_t from);

/**
 * Draw latencies, faults and noise of the machine's network from this seed from now on, and count
 * anew what strikes. Threads: as logp_machine_run(), not during a run.
 */
LOGP_API void logp_machine_set_seed(struct logp_machine *machine, uint64_t seed);

LOGP_END_DECLS

#endif
