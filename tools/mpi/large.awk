# SPDX-License-Identifier: MIT
# Makes the functions NAME_c of functions.txt, whose counts are large, of the functions NAME: large.c has what they use.
# usage: awk -v dir=DIR -f functions.awk -f large.awk
function ctype(f, i,   k) {
    k = kind[f, i]
    return k in c_type ? c_type[k] : k
}
# The number of elements of array i
function elements(f, i,   p, k, sent, root) {
    p = plain[f]
    if (length_of[p, i] != "?")
        for (k = 1; k <= n_of[p]; k++)
            if (parameter[p, k] == length_of[p, i])
                return "(int)" parameter[f, k]
    sent = parameter[f, i] ~ /^s/
    root = "NO_ROOT"
    for (k = 1; k <= n_of[f]; k++)
        if (parameter[f, k] == "root")
            root = "root"
    return sprintf("mpi_large_n(comm, %s, %s, %s, %s)", root, sent ? "true" : "false", name[f] ~ /eighbor/ ? "true" : "false", sent ? "send_buf" : "NULL")
}
function has_op(f,   i) {
    for (i = 1; i <= n_of[f]; i++)
        if (kind[f, i] == "op")
            return 1
    return 0
}
# How argument i is given to NAME
function given(f, i,   p, a, b, x) {
    p = plain[f]
    x = parameter[f, i]
    a = ctype(p, i)
    b = ctype(f, i)
    if (a == b)
        return i > 1 && i - 1 in is_pair ? is_pair[i - 1] ".type" : x
    if (a == "MPI_Aint" && is_address(f, i))
        return sprintf("(%sMPI_Aint *)%s", direction[f, i] == "in" ? "const " : "", x)
    if (a == "MPI_Aint")
        return "(MPI_Aint)" x
    if (length_of[f, i] != "") {
        before = before sprintf("    int *%s_ints;\n", x)
        fits = fits sprintf("    %s_ints = mpi_large_ints(&x, %s, %s);\n", x, x, elements(f, i))
        return x "_ints"
    }
    if (direction[f, i] != "in") {
        before = before sprintf("    int %s_out = 0;\n", x)
        if (direction[f, i] == "inout")
            fits = fits sprintf("    %s_out = mpi_large_int(&x, *%s);\n", x, x)
        after = after sprintf("        *%s = %s_out;\n", x, x)
        return "&" x "_out"
    }
    if (kind[p, i] == "count" && kind[f, i + 1] == "type" && length_of[f, i + 1] == "" && !has_op(f)) {
        is_pair[i] = "pair_" x
        before = before sprintf("    struct large_pair pair_%s;\n", x)
        fits = fits sprintf("    pair_%s = mpi_large_pair(&x, %s, %s);\n", x, x, parameter[f, i + 1])
        return "pair_" x ".count"
    }
    before = before sprintf("    int %s_int;\n", x)
    fits = fits sprintf("    %s_int = mpi_large_int(&x, %s);\n", x, x)
    return x "_int"
}
function large(f,   i, list, made) {
    before = fits = after = ""
    delete is_pair
    for (i = 1; i <= n_of[f]; i++) {
        list = list (i > 1 ? ", " : "") given(f, i)
        if (kind[f, i] == "request" && direction[f, i] == "out")
            made = parameter[f, i]
    }
    printf "%s\n{\n    struct large x = {.name = __func__};\n%s    int rc;\n\n    mpi_large_begins(&x, __builtin_return_address(0));\n%s", prototype(f, "MPI_"), before, fits
    printf "    if (x.failed)\n        return mpi_large_ends(&x, MPI_SUCCESS, NULL);\n"
    printf "    rc = MPI_%s(%s);\n", name[plain[f]], list
    if (after != "")
        printf "    if (rc == MPI_SUCCESS) {\n%s    }\n", after
    printf "    return mpi_large_ends(&x, rc, %s);\n}\n\n", made == "" ? "NULL" : made
}
BEGIN {
    read_functions(dir "/functions.txt")
    print "/* Functions with large counts: made from functions.txt. */\n#include \"mpi/standard/large.h\"\n"
    for (f = 1; f <= n_functions; f++)
        if (form[f] == "large")
            large(f)
}
