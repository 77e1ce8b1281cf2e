# SPDX-License-Identifier: MIT
# From tools/mpi/functions.txt a program that calls each function of MPI with one wrong argument at a time: a null or
# freed handle, a negative count, a rank or a tag that is not there. Each such call must return an error.
# usage: awk -v functions=functions.txt -f functions.awk -f wrong.awk > wrong.c
function right(f, i) {
    if (is_address(f, i)) return "(void *)(memory[" i "])"
    if (kind[f, i] == "comm") return "MPI_COMM_WORLD"
    if (kind[f, i] == "type") return "MPI_INT"
    if (kind[f, i] == "op") return "MPI_SUM"
    if (kind[f, i] == "errhandler") return "MPI_ERRORS_RETURN"
    if (kind[f, i] == "request") return "MPI_REQUEST_NULL"
    if (kind[f, i] ~ /^(group|win|info)$/) return kind[f, i]
    if (kind[f, i] ~ /^(rank|tag|flag|keyval)$/ || parameter[f, i] ~ /displ|assert|key|color|direction/) return "0"
    return kind[f, i] ~ /^MPI_/ ? "(void *)(memory[" i "])" : "1"
}
# What is wrong for it; "": nothing that every function refuses
function wrong(f, i) {
    if (is_address(f, i)) return ""
    if (kind[f, i] == "comm") return "MPI_COMM_NULL freed_comm"
    if (kind[f, i] == "type") return "MPI_DATATYPE_NULL freed_type"
    if (kind[f, i] == "op") return "MPI_OP_NULL"
    if (kind[f, i] == "group") return "MPI_GROUP_NULL freed_group"
    if (kind[f, i] == "win") return "MPI_WIN_NULL"
    if (kind[f, i] == "count") return "-1"
    if (kind[f, i] == "rank") return "99 -77"
    if (kind[f, i] == "tag") return "-77"
    return ""
}
function call(f, at, bad,   i, out) {
    for (i = 1; i <= n_of[f]; i++)
        out = out (i > 1 ? ", " : "") (i == at ? bad : right(f, i))
    return "MPI_" name[f] "(" out ")"
}
# Those that end the program, make no use of their arguments, wait for another rank, or are told of errors in another way
function is_left_out(f) {
    return result[f] != "int" || parameters(f) ~ /\.\.\./ || form[f] == "persistent" || (form[f] == "large" && form[plain[f]] == "persistent") || name[f] ~ /^(Init|Init_thread|Finalize|Abort|Wait|Test|Start|Cancel|Grequest|Pcontrol|Intercomm_create|Dist_graph|Mrecv|Imrecv|Win_(wait|test|start|post|complete|lock|unlock|flush|sync|fence|free)|Request|Buffer|Attr|Keyval|Errhandler|Type_(create_darray|create_subarray|struct|hindexed|get_contents)|Alloc|Free|Query|Is_thread|Comm_call_errhandler|Win_call_errhandler|Add_error|Error)/ || name[f] ~ /^(Comm|Type|Win)_get_name$/ # a null handle has a name, too (MPI 4.0)
}
BEGIN {
    read_functions(functions)
    for (f = 1; f <= n_functions; f++)
        for (i = 1; i <= n_of[f] && !is_left_out(f); i++) {
            k = split(wrong(f, i), all, " ")
            for (j = 1; j <= k; j++)
                body = body sprintf("    refused(\"MPI_%s\", \"%s\", \"%s\", %s);\n", name[f], parameter[f, i], all[j], call(f, i, all[j]))
        }
    print "/* Made by wrong.awk. */"
    print "#include <mpi.h>\n#include <stdio.h>\n#include <string.h>\n"
    print "static long memory[32][64];\nstatic int n_refused, n_wrong;\n"
    print "static void refused(const char *call, const char *argument, const char *value, int error)\n{"
    print "    if (error == MPI_SUCCESS) {\n        printf(\"%s takes %s as its %s\\n\", call, value, argument);\n        n_wrong++;\n    } else {\n        n_refused++;\n    }\n}\n"
    print "int main(int argc, char **argv)\n{\n    MPI_Comm freed_comm, comm;\n    MPI_Datatype freed_type, type;\n    MPI_Group group, freed_group, other;\n    MPI_Info info;\n    MPI_Win win;\n"
    print "    MPI_Init(&argc, &argv);\n    MPI_Comm_dup(MPI_COMM_WORLD, &comm);\n    freed_comm = comm;\n    MPI_Comm_free(&comm);"
    print "    MPI_Type_contiguous(2, MPI_INT, &type);\n    freed_type = type;\n    MPI_Type_free(&type);"
    print "    MPI_Comm_group(MPI_COMM_WORLD, &group);\n    MPI_Comm_group(MPI_COMM_WORLD, &other);\n    freed_group = other;\n    MPI_Group_free(&other);"
    print "    MPI_Info_create(&info);\n    MPI_Win_create(memory[31], sizeof(memory[31]), 1, info, MPI_COMM_WORLD, &win);\n    MPI_Win_fence(0, win);"
    print "    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);"
    print "    setvbuf(stdout, NULL, _IOLBF, 0);"
    printf "%s", body
    print "    MPI_Win_fence(0, win);\n    MPI_Win_free(&win);\n    MPI_Info_free(&info);\n    MPI_Group_free(&group);"
    print "    if (n_wrong == 0)\n        printf(\"wrong arguments: all hold, %d calls refused\\n\", n_refused);\n    MPI_Finalize();\n    return n_wrong > 0;\n}"
}
