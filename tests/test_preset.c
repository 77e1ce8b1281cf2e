/* SPDX-License-Identifier: MIT */
/* Presets of machines, and the torus broadcast in their cycles and bits as its paper has it. */
#include "support.h"
#include <logp/paper.h>

Test(preset, presets_convert_exactly)
{
    static const struct {
        const char *name;
        int64_t L, o, g, G_ps;
    } expected[] = {
        {"ncube2", 1000, 80000, 160000, 200000}, {"cm5", 200, 45000, 90000, 50000},
        {"dash", 60, 450, 1200, 15000},          {"jmachine", 62, 248, 1240, 31000},
        {"monsoon", 40, 100, 200, 10000},
    };
    const struct logp_preset odd = {"odd", "odd", 3, 7, 5, 2, 1};
    const size_t n = sizeof(expected) / sizeof(expected[0]);

    cr_assert(logp_preset_at(n - 1) != NULL && logp_preset_at(n) == NULL);
    for (size_t i = 0; i < n; i++) {
        const struct logp_params p = logp_preset_params(logp_preset_find(expected[i].name));

        cr_expect_eq(p.L_ns, expected[i].L);
        cr_expect_eq(p.o_send_ns, expected[i].o);
        cr_expect_eq(p.o_recv_ns, expected[i].o);
        cr_expect_eq(p.g_ns, expected[i].g);
        cr_expect_eq(p.G_ps, expected[i].G_ps);
        cr_expect(p.store_forward);
    }
    cr_expect_null(logp_preset_find("cray"));
    cr_expect_eq(logp_preset_params(&odd).o_send_ns, 6);
    cr_expect_eq(logp_preset_params(&odd).o_recv_ns, 9);
    cr_expect_eq(logp_preset_params(&odd).G_ps, 3429);
}

static struct logp_torus paper(const char *machine, int64_t size)
{
    return (struct logp_torus){logp_preset_find(machine), 16, size, size};
}

Test(preset, the_paper_s_formulas_have_the_golden_values)
{
    const struct logp_torus dash = paper("dash", 1024), cm5 = paper("cm5", 1024);
    const struct logp_torus small = paper("monsoon", 1024), large = paper("monsoon", 2048);

    cr_expect_eq(logp_torus_plain(&dash), 2560);
    cr_expect_eq(logp_torus_pipelined(&dash, 248), 2240);
    cr_expect_eq(logp_torus_pipelined(&dash, 256), 1972);
    cr_expect_eq(logp_torus_plain(&small), 2240);
    cr_expect_eq(logp_torus_pipelined(&small, 144), 1628);
    cr_expect_eq(logp_torus_plain(&large), 4288);
    cr_expect_eq(logp_torus_pipelined(&large, 203), 2828);
    cr_expect_eq(logp_torus_block_by_work(&dash), 248);
    cr_expect_eq(logp_torus_block_by_work(&small), 144);
    cr_expect_eq(logp_torus_block_by_work(&large), 203);
    cr_expect_eq(logp_torus_block_by_gap(&dash), 287); /* sqrt(81920) */
    cr_expect(logp_torus_pipelining_helps(&dash));
    cr_expect(logp_torus_pipelining_helps(&small));
    cr_expect(!logp_torus_pipelining_helps(&cm5));
}

Test(preset, the_paper_s_best_block_is_the_best_of_all)
{
    uint64_t random = UINT64_C(20240618);
    size_t n = 0;

    while (logp_preset_at(n) != NULL)
        n++;
    cr_log_info("seed %llu", (unsigned long long)random);
    for (int i = 0; i < 500 / TEST_SCALE; i++) {
        const struct logp_torus t = {
            logp_preset_at(test_random(&random) % n), 2 + (int64_t)(test_random(&random) % 40),
            1 + (int64_t)(test_random(&random) % 4000), (int64_t)(test_random(&random) % 4000)};
        int64_t least = INT64_MAX;

        for (int64_t m = 1; m <= t.M; m++)
            least = least < logp_torus_pipelined(&t, m) ? least : logp_torus_pipelined(&t, m);
        cr_assert_eq(logp_torus_pipelined(&t, logp_torus_best_block(&t)), least);
    }
}
