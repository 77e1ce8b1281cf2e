# SPDX-License-Identifier: MIT
# Makes mpi.h, stubs, functions for --compute and the names PMPI_* from the lists of this folder.
# usage: awk -v make=header|stubs|checked|persistent|profile -v dir=DIR -f generate.awk
function lines_of(file, out,   n, line) {
    n = 0
    while ((getline line < (dir "/" file)) > 0)
        if (line !~ /^#/ && line != "")
            out[++n] = line
    close(dir "/" file)
    return n
}
function prototype(line, prefix,   at, head, words, n) {
    at = index(line, "(")
    head = substr(line, 1, at - 2)
    n = split(head, words, " ")
    return (n > 1 ? words[1] : "int") " " prefix words[n] substr(line, at)
}
function name_of(line,   words, n) {
    n = split(substr(line, 1, index(line, "(") - 2), words, " ")
    return words[n]
}
# The names of the parameters, for a call.
function names_of(line,   list, words, n, i, name, out) {
    list = substr(line, index(line, "(") + 1)
    sub(/\)$/, "", list)
    if (list == "void")
        return ""
    n = split(list, words, /, */)
    for (i = 1; i <= n; i++) {
        name = words[i]
        gsub(/\[[^]]*\]/, "", name)
        sub(/.*[ *]/, "", name)
        out = out (i > 1 ? ", " : "") name
    }
    return out
}
# Parameters that may not be null: those through which a result is given (statuses may be ignored), and the
# counts and types of all ranks; functions, strings and statuses that are read. "n:name" may be null if n is 0.
function not_null_of(line,   list, words, n, i, name, length_of, out) {
    if (line ~ /^T_/) # its results may be NULL: they are not wanted
        return ""
    list = substr(line, index(line, "(") + 1)
    sub(/\)$/, "", list)
    n = split(list, words, /, */)
    for (i = 1; i <= n; i++) {
        name = words[i]
        sub(/.*[ *]/, "", name)
        if (line ~ /^(All|Iall)(gatherv|toall[vw]) |^(R|Ir)educe_scatter / && name ~ /^(recv_)?(counts|displs|types)\[\]$/) {
            sub(/\[\]/, "", name)
            out = out " " name
        }
        if (words[i] ~ /^int (n|count|n_dims|max_dims|n_in|n_out|n_nodes)$/)
            length_of = name
        if (words[i] ~ /\[\]$/ && length_of != "" && name !~ /^edges/ && line !~ /^Dist_graph_create .*dests\[\], const int \*weights/) {
            sub(/\[\]/, "", name)
            out = out " " length_of ":" name
        }
        if (words[i] ~ /^(const char|const MPI_Status|MPI_User_function|MPI_[A-Za-z_]*errhandler_function) \*[a-z_]+$/)
            out = out " " name
        if (line ~ /^(Alloc_mem|Buffer_detach) / && words[i] ~ /^void \*/)
            out = out " " name
        if (words[i] ~ /^(int|char|MPI_(Aint|Count|Comm|Group|Request|Datatype|Errhandler|Win|Message|Info|Op)) \*[a-z_]+$/ &&
            (name !~ /^(argc|value|indices|in_weights|out_weights)$/))
            out = out " " name
    }
    return out
}
# What the function makes: in WHAT of its name; "" nothing
function made_by(line,   list, words, n, i, name) {
    if (name_of(line) ~ /_free$|_commit$|_disconnect$|^Comm_idup/)
        return ""
    if (name_of(line) ~ /_create_keyval$|^Keyval_create$/)
        return "keyval"
    list = substr(line, index(line, "(") + 1)
    sub(/\)$/, "", list)
    n = split(list, words, /, */)
    for (i = 1; i <= n; i++)
        if (words[i] ~ /^MPI_(Comm|Datatype|Errhandler|Group|Info|Op|Win) \*[a-z_]+$/) {
            name = words[i]
            sub(/^MPI_/, "", name)
            what = name ~ /^Comm/ ? "communicator" : name ~ /^Err/ ? "error handler" : name ~ /^Op/ ? "operation" : name ~ /^Win/ ? "window" : tolower(name)
            if (what !~ /^error/)
                sub(/ .*/, "", what)
            sub(/.*\*/, "", name)
            return name
        }
    return ""
}
# The function, if none of them is null. Unless it makes something, its return address stays the caller's.
function checked(line,   words, n, i, name, comm, made, parts) {
    name = name_of(line)
    n = split(not_null_of(line), words, " ")
    if (n == 0)
        return
    comm = line ~ /MPI_Comm comm[,)]/ ? "comm" : "MPI_COMM_NULL"
    printf "static %s\n{\n%s", prototype(line, "checked_"), made_by(line) != "" ? "    int rc;\n\n" : ""
    for (i = 1; i <= n; i++) {
        if (split(words[i], parts, ":") == 1) {
            parts[2] = parts[1]
            printf "    if (%s == NULL)\n", parts[2]
        } else
            printf "    if (%s > 0 && %s == NULL)\n", parts[1], parts[2]
        printf "        return null_argument(\"MPI_%s\", %s, \"%s\");\n", name, comm, parts[2]
    }
    made = made_by(line)
    if (made != "") {
        printf "    rc = PMPI_%s(%s);\n    if (rc == MPI_SUCCESS)\n", name, names_of(line)
        if (made == "keyval")
            printf "        note_keyval(*keyval, \"MPI_%s\", __builtin_return_address(0));\n", name
        else
            printf "        note_object(\"%s\", \"MPI_%s\", *%s, __builtin_return_address(0));\n", what, name, made
        printf "    return rc;\n}\n\n"
    } else
        printf "    return PMPI_%s(%s);\n}\n\n", name, names_of(line)
    is_checked[name]
}
function timed(line,   type, name, noted) {
    type = prototype(line, "")
    sub(/ .*/, "", type)
    name = name_of(line)
    noted = type == "int" # those that return a time are not reported
    printf "static %s\n{\n    %s rc;\n\n", prototype(line, "timed_"), type
    if (noted)
        printf "    begin_call(\"MPI_%s\", __builtin_return_address(0));\n", name
    else
        print "    charge_computing();"
    if (name in is_checked)
        printf "    rc = the_run.checks ? checked_%s(%s) : MPI_%s(%s);\n", name, names_of(line), name, names_of(line)
    else
        printf "    rc = MPI_%s(%s);\n", name, names_of(line)
    printf "    %s();\n    return rc;\n}\n\n", noted ? "end_call" : "resume_computing"
}
# A collective that is started, as MPI_Igather(): MPI_Gather_init() makes it a persistent request.
function is_started(line) {
    return line ~ /^I(barrier|bcast|gatherv?|scatterv?|allgatherv?|alltoall[vw]?|(all)?reduce|reduce_scatter(_block)?|(ex)?scan|neighbor_[a-z]*) \(/
}
function with_persistent(   n, i, line) {
    n = n_functions
    for (i = 1; i <= n; i++)
        if (is_started(functions[i])) {
            line = functions[i]
            line = toupper(substr(line, 2, 1)) substr(line, 3)
            sub(/ \(/, "_init (", line)
            sub(/MPI_Request \*request/, "MPI_Info info, MPI_Request *request", line)
            functions[++n_functions] = line
            started[n_functions] = name_of(functions[i])
        }
}
function persistent(line, start,   list, words, n, i, name, kept, op) {
    name = name_of(line)
    list = substr(line, index(line, "(") + 1)
    sub(/, MPI_Info info, MPI_Request \*request\)$/, "", list)
    printf "struct %s {\n    struct again again;\n", tolower(name)
    n = split(list, words, /, */)
    for (i = 1; i <= n; i++) {
        if (words[i] ~ /^MPI_Datatype /)
            kept = kept (kept == "" ? "" : ", ") "type_of(" substr(words[i], 14) ")"
        if (words[i] == "MPI_Op op")
            op = ", .op = &x->op"
        if (sub(/\[\]/, "", words[i]))
            sub(/[^ ]*$/, "*&", words[i])
        printf "    %s;\n", words[i]
    }
    list = names_of("x (" list ")")
    n = split(list, words, ", ")
    printf "};\n\nstatic int start_%s(const struct again *again, MPI_Request *request)\n{\n", tolower(name)
    printf "    const struct %s *x = (const struct %s *)again;\n\n    return MPI_%s(", tolower(name), tolower(name), start
    for (i = 1; i <= n; i++)
        printf "x->%s, ", words[i]
    printf "request);\n}\n\n%s\n{\n    struct %s *x = malloc(sizeof(*x));\n\n    CALLED();\n", prototype(line, "MPI_"), tolower(name)
    printf "    (void)info;\n    if (x != NULL)\n        *x = (struct %s){{.start = start_%s, .types = {%s}%s}, %s};\n", tolower(name), tolower(name), (kept == "" ? "NULL" : kept), op, list
    printf "    return make_persistent(\"MPI_%s\", x != NULL ? &x->again : NULL, comm, request);\n}\n\n", name
}
function handles(   n, i, words, type) {
    n = lines_of("handles.txt", list)
    for (i = 1; i <= n; i++) {
        if (split(list[i], words, " ") == 1) {
            type = "MPI_" words[1]
            printf("%stypedef struct MPI_ABI_%s *%s;\n", (i > 1 ? "\n" : ""), words[1], type)
        } else if (words[2] == "=")
            printf "#define MPI_%s MPI_%s\n", words[1], words[3]
        else
            printf "#define MPI_%s ((%s)%s)\n", words[1], type, words[2]
    }
    print ""
}
function integers(   n, i, words) {
    n = lines_of("integers.txt", list)
    print "enum {"
    for (i = 1; i <= n; i++) {
        split(list[i], words, " ")
        printf("    MPI_%s = %s,\n", words[1], words[2])
    }
    print "};\n\n#define MPI_DISPLACEMENT_CURRENT ((MPI_Offset)-1)\n"
}
BEGIN {
    n_functions = lines_of("functions.txt", functions)
    with_persistent()
    n_missing = lines_of("missing.txt", missing)
    if (make == "header") {
        while ((getline line < (dir "/mpi.h.in")) > 0)
            if (line == "@handles@")
                handles()
            else if (line == "@integers@")
                integers()
            else if (line == "@functions@")
                for (i = 1; i <= n_functions; i++)
                    print prototype(functions[i], "MPI_") ";\n" prototype(functions[i], "PMPI_") ";"
            else
                print line
    } else if (make == "stubs") {
        print "/* The functions that are not there: made from missing.txt. */"
        print "#include \"mpi/standard/missing.h\"\n"
        for (i = 1; i <= n_missing; i++)
            printf "MISSING(%s)\n", missing[i]
    } else if (make == "persistent") {
        print "/* Persistent collectives: made from functions.txt. */"
        print "#include \"mpi/standard/state.h\"\n"
        for (i = 1; i <= n_functions; i++)
            if (i in started)
                persistent(functions[i], started[i])
    } else if (make == "checked") {
        print "/* The functions of MPI with a check of their results, and those that charge the computing before them:"
        print " * made from functions.txt. */"
        print "#include \"mpi/profile/timed.h\"\n"
        for (i = 1; i <= n_functions; i++)
            if (functions[i] !~ /\.\.\./) {
                checked(functions[i])
                timed(functions[i])
            }
        print "const struct second_function second_functions[] = {"
        for (i = 1; i <= n_functions; i++)
            if (functions[i] !~ /\.\.\./) {
                name = name_of(functions[i])
                printf "    {\"MPI_%s\", (void (*)(void))MPI_%s, %s, (void (*)(void))timed_%s},\n", name, name, (name in is_checked ? "(void (*)(void))checked_" name : "NULL"), name
            }
        print "    {NULL, NULL, NULL, NULL},\n};"
    } else {
        for (i = 1; i <= n_functions; i++)
            printf "PMPI_%s = MPI_%s;\n", name_of(functions[i]), name_of(functions[i])
        for (i = 1; i <= n_missing; i++)
            printf "PMPI_%s = MPI_%s;\n", missing[i], missing[i]
    }
}
