/* SPDX-License-Identifier: MIT */
/* A comparison in words and as two space-time diagrams on one time axis: text, SVG, and both as a page.
 * Times in words are microseconds. */
#include "view/views.h"
#include "view/report/report.h"
#include "view/trace/trace.h"
#include "answer/versus/versus.h"
#include "view/records/records.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static const char *name_of(const struct versus *v, int i)
{
    return v->out.rows[i].algorithm->name;
}

static int64_t time_of(const struct versus *v, int i)
{
    return v->out.rows[i].explained->ns;
}

/* "optimal is faster than binomial: 240.000 us, not 300.000 us, which is 20.0 % less" */
static const char *verdict(const struct versus *v, char buf[MAX_CAPTION])
{
    const int fast = time_of(v, 1) < time_of(v, 0), slow = 1 - fast;
    const double less = us(time_of(v, slow) - time_of(v, fast));
    const char *most = v->out.rows[0].explained->params.latency_varies ? "at most " : "";

    if (time_of(v, 0) == time_of(v, 1))
        snprintf(buf, MAX_CAPTION, "%s and %s take the same time, %s%.3f us", name_of(v, 0),
                 name_of(v, 1), most, us(time_of(v, 0)));
    else
        snprintf(buf, MAX_CAPTION,
                 "%s is faster than %s: %s%.3f us, not %.3f us, which is %.1f %% "
                 "less",
                 name_of(v, fast), name_of(v, slow), most, us(time_of(v, fast)),
                 us(time_of(v, slow)), 100 * less / us(time_of(v, slow)));
    return buf;
}

/* "optimal: T = 2L + 4o + 1g"; to be freed */
static char *formula(const struct versus *v, int i)
{
    char *text = NULL;
    size_t size;
    FILE *f = need(open_memstream(&text, &size));

    fprintf(f, "%s: ", name_of(v, i));
    write_terms(f, v->out.rows[i].explained);
    return close_text(f, &text);
}

/* The place where the critical paths part, in a line. */
static const char *parting(const struct versus *v, char buf[MAX_CAPTION])
{
    if (!v->path.found)
        snprintf(buf, MAX_CAPTION, "The critical paths are made of the same parts");
    else if (v->path.segment == 0)
        snprintf(buf, MAX_CAPTION, "The critical paths differ from the start");
    else
        snprintf(buf, MAX_CAPTION,
                 "The critical paths take the same time up to %.3f us, and differ "
                 "from there",
                 us(v->path.at_ns));
    return buf;
}

static int width_of_names(const struct versus *v)
{
    const int a = (int)strlen(name_of(v, 0)), b = (int)strlen(name_of(v, 1));

    return a > b ? a : b;
}

/* o alone, where o_send and o_recv are the same. */
static struct part next_part(const struct logp_explanation *e, int *i)
{
    struct part part = part_of_time(e, (*i)++), more;

    if (part.name == NULL || strcmp(part.name, "o_send") != 0 ||
        e->params.o_send_ns != e->params.o_recv_ns)
        return part;
    more = part_of_time(e, (*i)++);
    return (struct part){"o", part.count + more.count, part.ps + more.ps};
}

static void print_difference(FILE *f, const struct versus *v)
{
    const int width = width_of_names(v) > 12 ? width_of_names(v) : 12;
    int i = 0, k = 0;

    fprintf(f, "\n%-9s %*s %*s  difference in us\n", "", width, name_of(v, 0), width,
            name_of(v, 1));
    for (;;) {
        const struct part a = next_part(v->out.rows[0].explained, &i),
                          b = next_part(v->out.rows[1].explained, &k);

        if (a.name == NULL)
            break;
        if (a.ps == 0 && b.ps == 0 && a.count <= 0 && b.count <= 0)
            continue;
        if (a.count >= 0)
            fprintf(f, "%-9s %*lld %*lld", a.name, width, (long long)a.count, width,
                    (long long)b.count);
        else
            fprintf(f, "%-9s %*.3f %*.3f", a.name, width, (double)a.ps / 1e6, width,
                    (double)b.ps / 1e6);
        fprintf(f, "  %+16.3f\n", (double)(b.ps - a.ps) / 1e6);
    }
    fprintf(f, "%-9s %*.3f %*.3f  %+16.3f\n", "T in us", width, us(time_of(v, 0)), width,
            us(time_of(v, 1)), us(time_of(v, 1) - time_of(v, 0)));
}

static void print_parting_path(FILE *f, const struct versus *v)
{
    const int width = width_of_names(v);
    char text[MAX_CAPTION];

    fprintf(f, "\n%s%s\n", parting(v, text), v->path.found ? ":" : "");
    if (v->path.found)
        fprintf(f, "%-*s %12s %12s  %s\n", width, "", "from", "to", "processor");
    for (int i = 0; i < 2 && v->path.found; i++) {
        const struct logp_explanation *e = v->out.rows[i].explained;

        fprintf(f, "%-*s ", width, name_of(v, i));
        if (v->path.segment < e->n_path)
            print_segment(f, e, &e->path[v->path.segment]);
        else
            fprintf(f, "%12.3f %12s  has ended\n", us(e->ns), "");
    }
}

static void print_task(FILE *f, const struct logp_task *t, int64_t rank)
{
    fprintf(f, "%12.3f %12.3f  %-12lld ", us(t->start_ns), us(t->end_ns), (long long)rank);
    if (t->peer < 0)
        fputs("computes\n", f);
    else
        fprintf(f, "%s %lld, %zu byte%s\n",
                t->kind == LOGP_STEP_SEND ? "sends to" : "receives from", (long long)t->peer,
                t->n_bytes, t->n_bytes == 1 ? "" : "s");
}

static void print_parting_tasks(FILE *f, const struct versus *v)
{
    const int width = width_of_names(v);

    if (!v->timeline.found) {
        fputs("\nAll processors do the same at the same times\n", f);
        return;
    }
    fprintf(f, "\nProcessor %lld is the first that acts differently, at %.3f us:\n",
            (long long)v->timeline.rank, us(v->timeline.at_ns));
    for (int i = 0; i < 2; i++) {
        fprintf(f, "%-*s ", width, name_of(v, i));
        if (v->timeline.task[i] != NULL)
            print_task(f, v->timeline.task[i], v->timeline.rank);
        else
            fprintf(f, "%12s %12s  %-12lld does nothing more\n", "", "",
                    (long long)v->timeline.rank);
    }
}

static void print_words(FILE *f, const struct versus *v)
{
    for (int i = 0; i < 2; i++) {
        char *line = formula(v, i);

        fprintf(f, "%s\n", line);
        free(line);
    }
    print_difference(f, v);
    print_parting_path(f, v);
    print_parting_tasks(f, v);
}

/* ---- diagrams ---- */

static void draw(FILE *f, const struct versus *v, const struct trace_form *form, const char *title,
                 const char *foot, bool in_page)
{
    char *names[2] = {formula(v, 0), formula(v, 1)};
    const struct shown s = {.q = v->out.q,
                            .title = title,
                            .failure = foot,
                            .trace = v->traces[0],
                            .predicted = v->traces[1],
                            .names = {names[0], names[1]},
                            .paths = {v->out.rows[0].explained, v->out.rows[1].explained},
                            .in_page = in_page,
                            .parted_ns = v->path.found ? v->path.at_ns : -1};

    form->show(f, &s);
    free(names[0]);
    free(names[1]);
}

static void show_text(FILE *f, const struct versus *v)
{
    char text[MAX_CAPTION];

    print_table(f, &v->out);
    fprintf(f, "\n%s\n\n", verdict(v, text));
    print_words(f, v);
    if (v->traces[0] != NULL)
        draw(f, v, &trace_as_text, "", "", false);
    else
        fprintf(f, "\nDiagrams of text are drawn for up to %d processors\n", VERSUS_LINES);
}

static void draw_svg(FILE *f, const struct versus *v, bool in_page)
{
    char title[MAX_CAPTION], foot[MAX_CAPTION];

    parting(v, foot);
    if (v->path.found)
        snprintf(foot + strlen(foot), MAX_CAPTION - strlen(foot), " (dotted line)");
    draw(f, v, &trace_as_svg, in_page ? "" : verdict(v, title), foot, in_page);
}

static void show_svg(FILE *f, const struct versus *v)
{
    draw_svg(f, v, false);
}

/* A text for a page, with the characters special to XML escaped; to be freed. */
static char *escaped(const char *words)
{
    char *text = NULL;
    size_t size;
    FILE *f = need(open_memstream(&text, &size));

    write_xml(f, words);
    return close_text(f, &text);
}

static void write_partings(FILE *f, const struct versus *v)
{
    char *text = NULL, *save = NULL;
    size_t size;
    FILE *words = need(open_memstream(&text, &size));

    print_parting_path(words, v);
    print_parting_tasks(words, v);
    close_text(words, &text);
    for (char *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        write_xml(f, line);
        putc('\n', f);
    }
    free(text);
}

static void write_difference(FILE *f, const struct versus *v, char *const names[2])
{
    int i = 0, k = 0;

    fprintf(
        f,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table: the times as "
        "sums\"><table class=\"wide\"><caption class=\"hidden\">The times as sums</caption><thead>"
        "<tr><th scope=\"col\">Part</th><th scope=\"col\">%s</th><th scope=\"col\">%s</th><th "
        "scope=\"col\">Difference in us</th></tr></thead><tbody>\n",
        names[0], names[1]);
    for (;;) {
        const struct part a = next_part(v->out.rows[0].explained, &i),
                          b = next_part(v->out.rows[1].explained, &k);

        if (a.name == NULL)
            break;
        if (a.ps == 0 && b.ps == 0 && a.count <= 0 && b.count <= 0)
            continue;
        fprintf(f, "<tr><th scope=\"row\">%s</th>", a.name);
        if (a.count >= 0)
            fprintf(f, "<td>%lld</td><td>%lld</td>", (long long)a.count, (long long)b.count);
        else
            fprintf(f, "<td>%.3f</td><td>%.3f</td>", (double)a.ps / 1e6, (double)b.ps / 1e6);
        fprintf(f, "<td>%+.3f</td></tr>\n", (double)(b.ps - a.ps) / 1e6);
    }
    fprintf(f,
            "<tr><th scope=\"row\">T in us</th><td>%.3f</td><td>%.3f</td><td>%+.3f</td></tr>\n"
            "</tbody></table></div>\n",
            us(time_of(v, 0)), us(time_of(v, 1)), us(time_of(v, 1) - time_of(v, 0)));
}

/* The page: its title has the parameters, and its styles and scripts are those of the reports. */
static void show_html(FILE *f, const struct versus *v)
{
    const struct shown s = {.q = v->out.q, .trace = v->traces[0]};
    char buf[MAX_CAPTION], *plain[2] = {formula(v, 0), formula(v, 1)};
    char *formulas[2] = {escaped(plain[0]), escaped(plain[1])},
         *names[2] = {escaped(name_of(v, 0)), escaped(name_of(v, 1))},
         *model = escaped(model_of(&s, buf)), *says = escaped(verdict(v, buf));

    fprintf(f,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
            "<title>%s: %s and %s, P = %lld, %s</title>\n<style>\n",
            v->out.collective, names[0], names[1], (long long)v->out.q->model.P, model);
    write_plain_styles(f);
    fprintf(
        f,
        "</style></head>\n<body><header class=\"top\"><div class=\"top-row\"><p class=\"brand\">"
        "LogP <span>explanation</span></p><nav aria-label=\"Sections\"><a href=\"#terms\">Terms"
        "</a><a href=\"#diagrams\">Diagrams</a></nav><button type=\"button\" id=\"theme\" "
        "class=\"quiet\" aria-pressed=\"false\">Dark</button></div></header>\n<main>\n"
        "<section class=\"lead\" aria-labelledby=\"title\"><h1 id=\"title\">%s: %s and %s, "
        "P = %lld</h1><p class=\"soft\">%s</p><p>%s.</p></section>\n"
        "<section id=\"terms\" aria-labelledby=\"terms-title\"><h2 id=\"terms-title\">The times "
        "as sums</h2><p>%s<br>%s</p>\n",
        v->out.collective, names[0], names[1], (long long)v->out.q->model.P, model, says,
        formulas[0], formulas[1]);
    write_difference(f, v, names);
    fputs("</section>\n<section id=\"diagrams\" aria-labelledby=\"diagrams-title\"><h2 "
          "id=\"diagrams-title\">Diagrams and critical paths</h2>\n<pre class=\"partings\" "
          "tabindex=\"0\">",
          f);
    write_partings(f, v);
    fputs("</pre>\n<figure id=\"both\" class=\"space-time-part\" data-figure=\"diagrams\" "
          "tabindex=\"0\" "
          "aria-label=\"Both space-time diagrams\">\n",
          f);
    draw_svg(f, v, true);
    fprintf(f, "</figure></section>\n</main>\n<footer>liblogp %s</footer>\n", logp_version());
    write_plain_scripts(f);
    fputs("</body></html>\n", f);
    for (int i = 0; i < 2; i++) {
        free(plain[i]);
        free(formulas[i]);
        free(names[i]);
    }
    free(model);
    free(says);
}

const struct versus_form versus_as_text = {show_text, false};
const struct versus_form versus_as_svg = {show_svg, true};
const struct versus_form versus_as_html = {show_html, true};
