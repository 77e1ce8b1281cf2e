# SPDX-License-Identifier: MIT
# From tools/mpi/functions.txt a program that calls each function of MPI with one wrong argument at a time: a null or
# freed handle, a negative count, a rank or a tag that is not there. Each such call must return an error.
# usage: awk -f wrong.awk functions.txt > wrong.c
function right(type, name,   s) {
    if (type == "MPI_Comm") return "MPI_COMM_WORLD"
    if (type == "MPI_Datatype") return "MPI_INT"
    if (type == "MPI_Op") return "MPI_SUM"
    if (type == "MPI_Group") return "group"
    if (type == "MPI_Win") return "win"
    if (type == "MPI_Info") return "info"
    if (type == "MPI_Errhandler") return "MPI_ERRORS_RETURN"
    if (type == "MPI_Request") return "MPI_REQUEST_NULL"
    if (type ~ /^(int|MPI_Aint|MPI_Count|MPI_Fint|MPI_Offset)$/) {
        if (name ~ /rank|root|dest|source|peer|leader|tag|displ|assert|position|keyval|high|key|color|direction|low|reorder|flag/) return "0"
        return "1"
    }
    return "" # some memory
}
# What is wrong for it; "": nothing that every function refuses
function wrong(type, name) {
    if (type == "MPI_Comm") return "MPI_COMM_NULL freed_comm"
    if (type == "MPI_Datatype") return "MPI_DATATYPE_NULL freed_type"
    if (type == "MPI_Op") return "MPI_OP_NULL"
    if (type == "MPI_Group") return "MPI_GROUP_NULL freed_group"
    if (type == "MPI_Win") return "MPI_WIN_NULL"
    if (type == "int" && name ~ /^(count|send_count|recv_count|origin_count|target_count|result_count)$/) return "-1"
    if (type == "int" && name ~ /^(dest|source|root)$/) return "99 -77"
    if (type == "int" && name ~ /^(tag|send_tag|recv_tag)$/) return "-77"
    return ""
}
function arguments(n, at, bad,   i, out, value) {
    for (i = 1; i <= n; i++) {
        value = i == at ? bad : right(types[i], names[i])
        if (value == "")
            value = "(void *)(memory[" i "])"
        out = out (i > 1 ? ", " : "") value
    }
    return out
}
# Those that end the program, make no use of their arguments, wait for another rank, or are told of errors in another way
/^#/ || /^$/ || /\.\.\./ { next }
/^(double|MPI_[A-Za-z]+|void) / { next }
/^(Init|Init_thread|Finalize|Abort|Wait|Test|Start|Cancel|Grequest|Pcontrol|Intercomm_create|Dist_graph|Mrecv|Imrecv|Win_(wait|test|start|post|complete|lock|unlock|flush|sync|fence|free)|Request|Buffer|Attr|Keyval|Errhandler|Type_(create_darray|create_subarray|struct|hindexed|get_contents)|Alloc|Free|Query|Is_thread|Comm_call_errhandler|Win_call_errhandler|Add_error|Error)/ { next }
{
    name = substr($0, 1, index($0, " (") - 1)
    list = substr($0, index($0, "(") + 1)
    sub(/\)$/, "", list)
    n = list == "void" ? 0 : split(list, parameters, /, */)
    for (i = 1; i <= n; i++) {
        names[i] = parameters[i]
        sub(/.*[ *]/, "", names[i])
        types[i] = parameters[i]
        sub(/^const /, "", types[i])
        if (parameters[i] ~ /[*\[]/)
            types[i] = "pointer"
        else
            sub(/ .*/, "", types[i])
    }
    for (i = 1; i <= n; i++) {
        if (name ~ /^(Comm|Type|Win)_get_name$/)
            continue # a null handle has a name, too (MPI 4.0)
        k = split(wrong(types[i], names[i]), all, " ")
        for (j = 1; j <= k; j++)
            body = body sprintf("    refused(\"MPI_%s\", \"%s\", \"%s\", MPI_%s(%s));\n", name, names[i], all[j], name, arguments(n, i, all[j]))
    }
}
END {
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
