/* SPDX-License-Identifier: MIT */
/* The order in which a host's hardware threads are taken: see core_order.c. */
#ifndef LPI_CORE_ORDER_H
#define LPI_CORE_ORDER_H

/* Sort n hardware threads. Any thread may call it. @return 0; -ENOMEM */
int lpi_core_order(int *cpus, int n);

#endif
