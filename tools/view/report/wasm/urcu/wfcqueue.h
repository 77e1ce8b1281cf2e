/* SPDX-License-Identifier: MIT */
/* For the fold as WebAssembly: the runtime's messages name these types; a fold has no queue. */
#ifndef LOGP_WASM_WFCQUEUE_H
#define LOGP_WASM_WFCQUEUE_H

struct cds_wfcq_node {
    struct cds_wfcq_node *next;
};
struct __cds_wfcq_head {
    struct cds_wfcq_node node;
};
struct cds_wfcq_head {
    struct cds_wfcq_node node;
};
struct cds_wfcq_tail {
    struct cds_wfcq_node *p;
};

#endif
