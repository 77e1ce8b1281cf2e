/* SPDX-License-Identifier: MIT */
/*
 * The broadcast tree as a space-time diagram, the way LogP papers draw it: a line for each
 * processor, time to the right, a box for each o, a slanted line for each message on the wire.
 */
#include "command.h"

enum { LEFT = 56, TOP = 34, ROW = 26, WIDTH = 720, BOX = 12, BOTTOM = 44 };

struct canvas {
    FILE *out;
    double per_ns; /* pixels */
};

static double x_of(const struct canvas *c, int64_t ns)
{
    return LEFT + (double)ns * c->per_ns;
}

static double y_of(int64_t id)
{
    return TOP + ROW * ((double)id + 0.5);
}

static void box(const struct canvas *c, int64_t id, int64_t from, int64_t length, const char *kind)
{
    fprintf(c->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
            kind, x_of(c, from), y_of(id) - BOX / 2.0, (double)length * c->per_ns, BOX);
}

static void messages_of(const struct canvas *c, const struct logp_tree *tree,
                        const struct logp_params *p, const struct logp_tree_node *node)
{
    struct logp_tree_node child;

    for (int64_t k = 0; logp_tree_child(tree, node, k, &child); k++) {
        const int64_t held = logp_tree_label(tree, &child);
        const int64_t start = tree->T - child.time - tree->d * tree->scale;

        fprintf(c->out, "<line class=\"wire\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                x_of(c, start + p->o_send_ns), y_of(node->id), x_of(c, held - p->o_recv_ns),
                y_of(child.id));
        box(c, node->id, start, p->o_send_ns, "send");
        box(c, child.id, held - p->o_recv_ns, p->o_recv_ns, "recv");
    }
}

static void axis(const struct canvas *c, const struct logp_tree *tree, int64_t unit_ns)
{
    const int64_t time = logp_tree_time(tree);
    const double y = TOP + ROW * (double)tree->P + 6;
    int64_t step = unit_ns;

    for (int turn = 0; time / step > 16; turn++)
        step = turn % 3 == 1 ? step / 2 * 5 : step * 2;
    for (int64_t t = 0; t <= time; t += step) {
        fprintf(c->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                x_of(c, t), TOP, x_of(c, t), y);
        fprintf(c->out, "<text class=\"mid\" x=\"%.1f\" y=\"%.1f\">%g</text>\n", x_of(c, t), y + 14,
                (double)t / (double)unit_ns);
    }
}

void draw_tree_svg(FILE *out, const struct options *o, const struct logp_tree *tree)
{
    const struct logp_params *params = &o->params;
    const int64_t unit_ns = o->unit_ns;
    const int64_t time = logp_tree_time(tree);
    const struct canvas c = {out, time > 0 ? (double)WIDTH / (double)time : 0};
    const int height = TOP + ROW * (int)tree->P + BOTTOM;

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<style>.send{fill:#c4572e}.recv{fill:#2e6fc4}.wire{stroke:#777}"
            ".grid{stroke:#e4e4e4}.life{stroke:#bbb}text{fill:#333}.mid{text-anchor:middle}"
            ".end{text-anchor:end}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            LEFT + WIDTH + 24, height, LEFT + WIDTH + 24, height);
    fprintf(out,
            "<text x=\"%d\" y=\"20\" font-size=\"13\">Optimal broadcast, P = %lld: %g units "
            "(L %g, o %g, g %g)</text>\n"
            "<rect class=\"send\" x=\"%d\" y=\"11\" width=\"12\" height=\"10\"/>"
            "<text x=\"%d\" y=\"20\">send</text>"
            "<rect class=\"recv\" x=\"%d\" y=\"11\" width=\"12\" height=\"10\"/>"
            "<text x=\"%d\" y=\"20\">receive</text>\n",
            LEFT, (long long)tree->P, (double)time / (double)unit_ns,
            (double)params->L_ns / (double)unit_ns, (double)params->o_send_ns / (double)unit_ns,
            (double)params->g_ns / (double)unit_ns, LEFT + WIDTH - 120, LEFT + WIDTH - 104,
            LEFT + WIDTH - 66, LEFT + WIDTH - 50);
    axis(&c, tree, unit_ns);
    for (int64_t id = 0; id < tree->P; id++) {
        fprintf(out,
                "<text class=\"end\" x=\"%d\" y=\"%.1f\">P%lld</text>"
                "<line class=\"life\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
                LEFT - 8, y_of(id) + 4, (long long)((id + o->root) % o->P), LEFT, y_of(id),
                LEFT + WIDTH, y_of(id));
    }
    for (int64_t id = 0; id < tree->P; id++) {
        const struct logp_tree_node node = logp_tree_find(tree, id);

        messages_of(&c, tree, params, &node);
    }
    fprintf(out, "<text class=\"mid\" x=\"%d\" y=\"%d\">time in units</text>\n</svg>\n",
            LEFT + WIDTH / 2, height - 8);
}
