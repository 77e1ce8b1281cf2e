# SPDX-License-Identifier: MIT
# Makes mpi.h, forms.h, stubs, the second functions, persistent collectives and the names PMPI_* from the lists of this folder.
# usage: awk -v make=header|forms|stubs|checked|persistent|profile -v dir=DIR -f functions.awk -f generate.awk
# What a check of a function's address in C compares; "": it may be null
function null_if(f, i) {
    if (may_be_null[f, i] || kind[f, i] == "buffer" || !is_address(f, i))
        return ""
    return (length_of[f, i] ~ /^\??$/ ? "" : length_of[f, i] " > 0 && ") parameter[f, i] " == NULL"
}
# The function, if none of them is null. Unless it makes something, its return address stays the caller's.
function checked(f,   i, comm, made, body, call) {
    comm = "MPI_COMM_NULL"
    for (i = 1; i <= n_of[f]; i++) {
        if (null_if(f, i) != "")
            body = body sprintf("    if (%s)\n        return profile_null_argument(\"MPI_%s\", @, \"%s\");\n", null_if(f, i), name[f], parameter[f, i])
        if (kind[f, i] == "comm" && parameter[f, i] == "comm" && direction[f, i] == "in")
            comm = "comm"
        if (direction[f, i] == "new" && made == 0)
            made = i
    }
    if (body == "")
        return
    gsub(/@/, comm, body)
    call = "PMPI_" name[f] "(" arguments(f) ")"
    printf "static %s\n{\n%s%s", prototype(f, "checked_"), made ? "    int rc;\n\n" : "", body
    if (made) {
        printf "    rc = %s;\n    if (rc == MPI_SUCCESS)\n        ", call
        if (kind[f, made] == "keyval")
            printf "mpi_note_keyval(*keyval, \"MPI_%s\"", name[f]
        else
            printf "mpi_note_object(\"%s\", \"MPI_%s\", *%s", what[kind[f, made]], name[f], parameter[f, made]
        print ", __builtin_return_address(0));\n    return rc;\n}\n"
    } else
        printf "    return %s;\n}\n\n", call
    is_checked[f]
}
function timed(f,   noted) {
    noted = result[f] == "int" # those that return a time are not reported
    printf "static %s\n{\n    %s rc;\n\n", prototype(f, "timed_"), result[f]
    if (noted)
        printf "    profile_begin_call(\"MPI_%s\", __builtin_return_address(0));\n", name[f]
    else
        printf "    profile_begin_time(\"MPI_%s\");\n", name[f]
    printf "    rc = "
    if (f in is_checked)
        printf "the_run.checks ? checked_%s(%s) : ", name[f], arguments(f)
    printf "MPI_%s(%s);\n    %s();\n    return rc;\n}\n\n", name[f], arguments(f), noted ? "profile_end_call" : "profile_end_time"
}
# A collective with the parameters `info` and `request` after those of its struct
function persistent(f,   i, types, op, its) {
    its = tolower(name[f])
    printf "struct %s {\n    struct again again;\n", its
    for (i = 1; i <= n_of[plain[f]]; i++) {
        if (kind[f, i] == "type" && length_of[f, i] == "")
            types = types (types == "" ? "" : ", ") "mpi_type_of(" parameter[f, i] ")"
        if (kind[f, i] == "op")
            op = ", .op = &x->op"
        printf "    %s;\n", declared_in_struct(f, i)
    }
    printf "};\n\nstatic int start_%s(const struct again *again, MPI_Request *request)\n{\n", its
    printf "    const struct %s *x = (const struct %s *)again;\n\n    return MPI_%s(%s, request);\n}\n\n", its, its, name[plain[f] + 1], arguments(plain[f], "x->")
    printf "%s\n{\n    struct %s *x = malloc(sizeof(*x));\n\n    CALLED();\n    (void)info;\n", prototype(f, "MPI_"), its
    printf "    if (x != NULL)\n        *x = (struct %s){{.start = start_%s, .comm = &x->comm, .types = {%s}%s}, %s};\n", its, its, types == "" ? "NULL" : types, op, arguments(plain[f])
    printf "    return mpi_make_persistent(\"MPI_%s\", x != NULL ? &x->again : NULL, comm, request);\n}\n\n", name[f]
}
function declared_in_struct(f, i,   text) {
    text = declared(f, i)
    if (sub(/\[\]$/, "", text))
        sub(/[^ ]*$/, "*&", text)
    return text
}
# Those of handles, or the integers
function constants(of_integers,   line, words, type) {
    if (of_integers)
        print "enum {"
    while ((getline line < (dir "/constants.txt")) > 0) {
        if (line ~ /^#/)
            continue
        if (split(line, words, " ") == 1) {
            if (words[1] != "int" && !of_integers)
                printf "%stypedef struct MPI_ABI_%s *MPI_%s;\n", type != "" ? "\n" : "", words[1], words[1]
            type = words[1]
        } else if ((type == "int") != of_integers)
            continue
        else if (of_integers)
            printf "    MPI_%s = %s,\n", words[1], words[2]
        else if (words[2] == "=")
            printf "#define MPI_%s MPI_%s\n", words[1], words[3]
        else
            printf "#define MPI_%s ((MPI_%s)%s)\n", words[1], type, words[2]
    }
    close(dir "/constants.txt")
    print of_integers ? "};\n\n#define MPI_DISPLACEMENT_CURRENT ((MPI_Offset)-1)\n" : ""
}
function header(   line, f) {
    while ((getline line < (dir "/mpi.h.in")) > 0)
        if (line == "@handles@" || line == "@integers@")
            constants(line == "@integers@")
        else if (line == "@functions@")
            for (f = 1; f <= n_functions; f++)
                print prototype(f, "MPI_") ";\n" prototype(f, "PMPI_") ";"
        else
            print line
}
function forms(   f) {
    print "/* The parameters of functions that have a started form, and its name: made from functions.txt. */"
    for (f = 1; f <= n_functions; f++)
        if (form[f] == "started") {
            printf "#define STARTED_%s MPI_%s\n", name[plain[f]], name[f]
            printf "#define PARAMETERS_%s %s\n", name[plain[f]], parameters(plain[f])
            printf "#define ARGUMENTS_%s %s\n", name[plain[f]], arguments(plain[f])
        }
}
function second_functions(   f) {
    for (f = 1; f <= n_functions; f++)
        if (parameters(f) !~ /\.\.\./) {
            checked(f)
            timed(f)
            rows = rows sprintf("    {\"MPI_%s\", (void (*)(void))MPI_%s, %s, (void (*)(void))timed_%s},\n", name[f], name[f], f in is_checked ? "(void (*)(void))checked_" name[f] : "NULL", name[f])
        }
    print "const struct second_function second_functions[] = {\n" rows "    {NULL, NULL, NULL, NULL},\n};"
}
function stubs(   f, names, n, its) {
    print "/* The functions that are not there: made from missing.txt. */\n#include \"mpi/standard/rank.h\"\n"
    print "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n"
    for (f = first_missing; f <= n_functions; f++) {
        printf "%s\n{\n    return mpi_end_for_missing(__func__);\n}\n", prototype(f, "MPI_")
        for (n = 0; n < 4 && name[f] !~ /^T_/; n++) { # as Fortran calls it
            its = (n % 2 ? "p" : "") "mpi_" tolower(name[f]) (n < 2 ? "_" : "_f08_")
            printf "__attribute__((visibility(\"default\"))) void %s(void);\nvoid %s(void)\n{\n    mpi_end_for_missing(\"MPI_%s\");\n}\n", its, its, name[f]
        }
        print ""
        names = names "    \"MPI_" name[f] "\",\n"
    }
    print "const char *const mpi_missing_functions[] = {\n" names "    NULL,\n};"
}
BEGIN {
    read_functions(dir "/functions.txt")
    if (make ~ /^(header|stubs|profile)$/)
        read_missing(dir "/missing.txt")
    if (make == "header")
        header()
    else if (make == "stubs")
        stubs()
    else if (make == "forms")
        forms()
    else if (make == "persistent") {
        print "/* Persistent collectives: made from functions.txt. */\n#include \"mpi/standard/rank.h\"\n#include \"mpi/standard/request.h\"\n\n#include <stdlib.h>\n"
        for (f = 1; f <= n_functions; f++)
            if (form[f] == "persistent")
                persistent(f)
    } else if (make == "checked") {
        print "/* The functions of MPI with a check of their addresses, and those that take times: made from functions.txt. */"
        print "#include \"mpi/profile/timed.h\"\n#include \"mpi/standard/attributes.h\"\n"
        second_functions()
    } else {
        for (f = 1; f <= n_functions; f++)
            if (f in alias)
                printf "MPI_%s = MPI_%s;\n", name[f], alias[f]
        for (f = 1; f <= n_functions; f++)
            printf "PMPI_%s = MPI_%s;\n", name[f], name[f]
    }
}
