/* SPDX-License-Identifier: MIT */
/* The tree of cores along which a start is released, and the time that is left for it. */
#include "support.h"

#include "core/core.h"

#include <inttypes.h>

enum { MOST = 130, NEVER = -1, BACK_NS = 4500 /* the first core may be busy for so long */ };

/* When each core has released its vps, if a line takes line_ns, a core looks as late as it may, and
 * gives each vp its deadline in 100 ns. @return the last */
static int64_t release_all(int n, int members, int64_t line_ns, int64_t released[MOST])
{
    int64_t noticed[MOST], last = 0;
    int queue[MOST], n_queued = 1;

    for (int i = 0; i < n; i++)
        noticed[i] = NEVER;
    noticed[0] = 0;
    queue[0] = 0;
    for (int i = 0; i < n_queued; i++) {
        const int core = queue[i];
        int64_t at = noticed[core];

        for (int k = 0, child; (child = lpi_release_child(n, core, k)) >= 0; k++) {
            cr_assert(child < n && noticed[child] == NEVER, "%d cores: %d notices twice", n, child);
            at += line_ns;                       /* to write to its line */
            noticed[child] = at + line_ns + 400; /* it has it back, and looks again */
            queue[n_queued++] = child;
        }
        released[core] = at + 100 * (int64_t)members;
        last = released[core] > last ? released[core] : last;
    }
    cr_assert_eq(n_queued, n, "%d of %d cores notice", n_queued, n);
    return last;
}

Test(release, the_margin_covers_the_last_release)
{
    static const int64_t lines_ns[] = {107, 300};
    int64_t released[MOST];

    for (size_t l = 0; l < sizeof(lines_ns) / sizeof(lines_ns[0]); l++)
        for (int n = 1; n <= 128; n++)
            for (int members = 2; members <= 1024; members *= 2) {
                const int each = (members + n - 1) / n;
                const int64_t last = release_all(n, each, lines_ns[l], released);

                cr_assert(BACK_NS + last < lpi_release_ns(n, each, lines_ns[l]),
                          "%d cores, %d vps: %" PRId64 " ns", n, members, last);
            }
}

Test(release, the_last_of_many_cores_does_not_wait_for_all_others)
{
    int64_t released[MOST];

    cr_assert(release_all(128, 1, 107, released) < 128 * 107 / 2);
    cr_assert(released[0] < 8 * 107 + 200, "the first core has few to tell");
}
