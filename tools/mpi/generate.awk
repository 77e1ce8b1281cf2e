# SPDX-License-Identifier: MIT
# Makes mpi.h, stubs, functions for --compute and the names PMPI_* from the lists of this folder.
# usage: awk -v make=header|stubs|timed|profile -v dir=DIR -f generate.awk
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
function timed(line,   type) {
    type = prototype(line, "")
    sub(/ .*/, "", type)
    printf "static %s\n{\n    %s rc;\n\n    charge_computing();\n", prototype(line, "timed_"), type
    printf "    rc = MPI_%s(%s);\n    resume_computing();\n    return rc;\n}\n\n", name_of(line), names_of(line)
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
        print "#include \"missing.h\"\n"
        for (i = 1; i <= n_missing; i++)
            printf "MISSING(%s)\n", missing[i]
    } else if (make == "timed") {
        print "/* The functions of MPI that charge the computing before them: made from functions.txt. */"
        print "#include \"host.h\"\n"
        for (i = 1; i <= n_functions; i++)
            if (functions[i] !~ /\.\.\./)
                timed(functions[i])
        print "const struct timed_function timed_functions[] = {"
        for (i = 1; i <= n_functions; i++)
            if (functions[i] !~ /\.\.\./)
                printf "    {\"MPI_%s\", (void (*)(void))timed_%s},\n", name_of(functions[i]), name_of(functions[i])
        print "    {NULL, NULL},\n};"
    } else {
        for (i = 1; i <= n_functions; i++)
            printf "PMPI_%s = MPI_%s;\n", name_of(functions[i]), name_of(functions[i])
        for (i = 1; i <= n_missing; i++)
            printf "PMPI_%s = MPI_%s;\n", missing[i], missing[i]
    }
}
