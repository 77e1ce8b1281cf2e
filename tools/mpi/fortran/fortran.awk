# SPDX-License-Identifier: MIT
# Makes what programs in Fortran need from the lists of this folder: the subroutines in C (wrap.h), mpif.h, and the modules
# mpi and mpi_f08. A row of functions.txt that is new is in all of them.
# usage: awk -v make=wrappers|mpif|modules [-v only=REGEX -v but=REGEX] -v dir=DIR -f functions.awk -f fortran/fortran.awk
function is_handle(k) {
    return k ~ /^(comm|type|group|op|request|win|info|errhandler|message|file|session)$/
}
function is_callback(f, i) {
    return kind[f, i] ~ /_function(_c)?$/
}
# No function of Fortran: tools and conversions of handles
function is_of_c(f,   i) {
    for (i = 1; i <= n_of[f]; i++)
        if (kind[f, i] ~ /^(fint|MPI_)/ && !is_callback(f, i))
            return 1
    return name[f] ~ /^T_|_(c2f|f2c|toint|fromint)$/
}
# Those with functions or attributes of the program: callbacks.c
function is_by_hand(f) {
    return name[f] ~ /^(Comm|Type|Win)_(create_keyval|set_attr|get_attr)$|^(Keyval_create|Attr_put|Attr_get|Grequest_start|Register_datarep(_c)?)$/
}
# Of MPI-1: what is an address or a distance elsewhere is INTEGER
function is_old(f) {
    return name[f] ~ /^(Address|Type_(extent|lb|ub|hvector|hindexed|struct)|Keyval_create|Attr_put|Attr_get)$/
}
# The words of the command line are not arguments of Fortran
function is_dropped(f, i) {
    return (parameter[f, i] ~ /^(argc|argv)$/ && name[f] ~ /^(Init|Init_thread|Info_create_env)$/) || kind[f, i] == "..."
}
function is_logical(f, i) {
    return kind[f, i] == "flag" || (kind[f, i] == "int" && parameter[f, i] ~ /^(flag|commutes?)$/)
}
# A type that Fortran passes as it is: its name in C
function plain_type(f, i,   k) {
    k = kind[f, i]
    if (k ~ /^(aint|pointer)$/)
        return is_old(f) ? "MPI_Fint" : "MPI_Aint"
    return k == "bigcount" ? "MPI_Count" : k == "offset" ? "MPI_Offset" : "MPI_Fint"
}
function is_array(f, i) {
    return length_of[f, i] != ""
}
# An array of handles, or of distances that were INTEGER, is copied; so many entries
function is_copied(f, i) {
    return is_array(f, i) && (is_handle(kind[f, i]) || (is_old(f) && kind[f, i] == "aint"))
}
function entries(f, i,   j) {
    if (name[f] ~ /lltoallw/) {
        for (j = 1; parameter[f, j] != "comm"; j++)
            ;
        return (name[f] ~ /eighbor/ ? "logp_fortran_neighbors(comm_in(comm), " (parameter[f, i] ~ /^send/ ? 1 : 0) ")" : "logp_fortran_peers(comm_in(comm))")
    }
    if (length_of[f, i] != "?")
        return "*" length_of[f, i]
    for (j = i - 1; j > 1 && !(kind[f, j] ~ /^(int|count|bigcount)$/ && direction[f, j] == "in" && !is_array(f, j)); j--)
        ; # the last one before it; else the first parameter is the number
    return "*" parameter[f, j]
}
# ---- the subroutines in C ----
function c_parameter(f, i) {
    if (kind[f, i] ~ /^(buffer|status)$/)
        return "void *" parameter[f, i]
    if (kind[f, i] == "string")
        return "char *" parameter[f, i]
    if (is_callback(f, i))
        return "void (*" parameter[f, i] ")(void)"
    return (kind[f, i] == "range" ? "MPI_Fint" : is_handle(kind[f, i]) ? "MPI_Fint" : plain_type(f, i)) " *" parameter[f, i]
}
function before(text) {
    Before = Before "    " text "\n"
}
function after(text) {
    After = After "    " text "\n"
}
# An argument of the call in C; what is before and after the call is noted
function c_argument(f, i,   p, k, own, type, length_before, condition) {
    p = parameter[f, i]
    k = kind[f, i]
    own = "c_" p
    if (k == "..." )
        return ""
    if (is_dropped(f, i))
        return is_address(f, i) ? "NULL" : k ~ /^(words|argv)$/ ? "NULL" : "0"
    if (is_callback(f, i)) {
        if (k ~ /errhandler_function$/)
            after("mark_errhandler(c_" parameter[f, i + 1] ");")
        else
            after("mark_op(c_" parameter[f, n_of[f]] ");")
        return "(" k " *)" p
    }
    if (k == "buffer")
        return "buffer_of(" p ")"
    if (k == "status")
        return "status_of(" p ")"
    if (k == "range")
        return "(int(*)[3])" p
    if (k == "pointer") {
        if (name[f] !~ /etach/)
            return p
        before("void *" own " = NULL;")
        if (Of_f08)
            after("*" p " = (MPI_Aint)" own ";")
        else
            after("(void)" p ";")
        return "&" own
    }
    if (k == "string" && direction[f, i] == "in") {
        before("char *" own " = logp_fortran_text(" p ", length_" p ", " (name[f] ~ /^Info_/ ? 1 : 0) ");")
        After_all = After_all "    free(" own ");\n"
        return own
    }
    if (k == "string") {
        length_before = ""
        if (kind[f, i - 1] == "int" && !is_array(f, i - 1) && name[f] ~ /^(Info_get|Info_get_string|Session_get_nth_pset)$/) {
            length_before = parameter[f, i - 1]
            before("char *" own " = logp_fortran_room((*" length_before " > 0 ? *" length_before " : 0) + 1, 1);")
            After_all = After_all "    free(" own ");\n"
        } else
            before("char " own "[MPI_MAX_LIBRARY_VERSION_STRING];")
        before("*" own " = '\\0';")
        condition = kind[f, i + 1] == "flag" ? "*" parameter[f, i + 1] : "1"
        if (length_before != "" && direction[f, i - 1] == "inout")
            condition = condition " && has_" length_before
        after((condition != "1" ? "if (" condition ")\n            " : "") "logp_fortran_pad(" p ", length_" p ", " own ");")
        return own
    }
    # the length that a text has in Fortran is one less than in C
    if (k == "int" && direction[f, i] == "inout" && kind[f, i + 1] == "string") {
        before("const int has_" p " = *" p " > 0;")
        before("int " own " = has_" p " ? *" p " + 1 : 0;")
        after("*" p " = " own " > 0 ? " own " - 1 : 0;")
        return "&" own
    }
    if (is_copied(f, i)) {
        type = is_handle(k) ? c_type[k] : "MPI_Aint"
        before("const MPI_Count n_" p " = " entries(f, i) ";")
        before(type " few_" p "[FEW] = {0}, *" own " = ROOM(few_" p ", n_" p ");")
        if (direction[f, i] != "out")
            Given = Given "    " (is_handle(k) ? k "_each_in(" own ", " p ", n_" p ");" : "for (MPI_Count i = 0; i < n_" p "; i++)\n        " own "[i] = " p "[i];") "\n"
        if (direction[f, i] == "out") { # it may give fewer of them
            Given = Given "    memset(" own ", 0, (size_t)(n_" p " > 0 ? n_" p " : 0) * sizeof(*" own "));\n"
            after("for (MPI_Count i = 0; i < n_" p " && " own "[i] != NULL; i++)\n            " k "_out(&" p "[i], " own "[i]);")
        }
        else if (direction[f, i] != "in")
            After_all = After_all "    " k "_each_out(" p ", " own ", n_" p ");\n"
        # the types of a persistent collective are read again at each start
        if (form[f] != "persistent" && name[f] !~ /_init(_c)?$/)
            After_all = After_all "    drop_room(" own ", few_" p ");\n"
        else
            sub("ROOM\\(few_" p ", n_" p "\\)", "logp_fortran_room(n_" p ", sizeof(*c_" p "))", Before)
        if (form[f] == "persistent" || name[f] ~ /_init(_c)?$/)
            sub(" few_" p "\\[FEW\\] = \\{0\\},", "", Before)
        return own
    }
    if (is_handle(k) && direction[f, i] == "in")
        return k "_in(" p ")"
    if (is_handle(k)) {
        before(c_type[k] " " own " = " (direction[f, i] == "inout" ? k "_in(" p ")" : "NULL") ";")
        if (direction[f, i] == "inout")
            After_all = After_all "    " k "_out(" p ", " own ");\n"
        else
            after(k "_out(" p ", " own ");")
        return "&" own
    }
    if (is_old(f) && k == "aint" && direction[f, i] == "out") {
        before("MPI_Aint " own " = 0;")
        after("*" p " = (MPI_Fint)" own ";")
        return "&" own
    }
    if (is_array(f, i))
        return k == "int" && direction[f, i] == "in" || p ~ /weights/ ? "ints_of(" p ")" : p
    if (direction[f, i] != "in") {
        # numbers of requests begin with 1
        if (p ~ /^ind(ex|x)$/ && name[f] ~ /(Wait|Test|status_)any$/)
            after("if (*" p " != MPI_UNDEFINED)\n            ++*" p ";")
        return p
    }
    return "*" p
}
function numbers_from_one(f,   i, n) {
    if (name[f] !~ /(Wait|Test|status_)some$/)
        return
    for (i = 1; i <= n_of[f]; i++) {
        if (parameter[f, i] ~ /^(n_done|outcount)$/)
            n = parameter[f, i]
        if (parameter[f, i] == "indices")
            after("for (int i = 0; i < *" n "; i++)\n            indices[i]++;")
    }
}
function wrapper(f, its,   i, list, lengths, call, argument, rc) {
    Before = After = After_all = Given = ""
    for (i = 1; i <= n_of[f]; i++) {
        if (!is_dropped(f, i)) {
            list = list (list == "" ? "" : ", ") c_parameter(f, i)
            if (kind[f, i] == "string")
                lengths = lengths ", size_t length_" parameter[f, i]
        }
        argument = c_argument(f, i)
        if (argument != "")
            call = call (call == "" ? "" : ", ") argument
    }
    numbers_from_one(f)
    if (result[f] != "int") {
        gsub(/MPI_Fint \*/, "&", list)
        printf "WRAPS %s %s(%s);\nWRAPS %s %s(%s)\n{\n    CALLED_HERE();\n    return MPI_%s(%s);\n}\n", result[f], its, list == "" ? "void" : list, result[f], its, list == "" ? "void" : list, name[f], call
        return
    }
    if (name[f] != "Pcontrol")
        list = list (list == "" ? "" : ", ") "MPI_Fint *ierror"
    list = list lengths
    printf "WRAPS void %s(%s);\nWRAPS void %s(%s)\n{\n%s    int rc;\n\n%s    CALLED_HERE();\n    rc = MPI_%s(%s);\n", its, list, its, list, Before, Given, name[f], call
    if (After != "") {
        gsub(/\n    /, "\n        ", After)
        printf "    if (rc == MPI_SUCCESS) {\n    %s", After
        print "    }"
    }
    printf "%s", After_all
    print name[f] == "Pcontrol" ? "    (void)rc;\n}" : "    if (ierror != NULL)\n        *ierror = rc;\n}"
}
function aliases(f,   its, its_f08) {
    its = tolower(name[f]) "_"
    its_f08 = tolower(name[f]) "_f08_"
    wrapper(f, "pmpi_" its)
    printf "NAMED(mpi_%s, pmpi_%s)\n", its, its
    if (result[f] == "int") {
        if (has_detached(f)) {
            Of_f08 = 1
            wrapper(f, "pmpi_" its_f08)
            Of_f08 = 0
        } else
            printf "NAMED(pmpi_%s, pmpi_%s)\n", its_f08, its
        printf "NAMED(mpi_%s, pmpi_%s)\n", its_f08, has_detached(f) ? its_f08 : its
    }
    if (gives_memory(f))
        printf "NAMED(mpi_%scptr_, pmpi_%s)\nNAMED(pmpi_%scptr_, pmpi_%s)\n", its, its, its, its
    print ""
}
function has_detached(f,   i) {
    for (i = 1; i <= n_of[f]; i++)
        if (kind[f, i] == "pointer" && name[f] ~ /etach/)
            return 1
    return 0
}
function gives_memory(f,   i) {
    for (i = 1; i <= n_of[f]; i++)
        if (kind[f, i] == "pointer" && direction[f, i] == "out" && !has_detached(f) && !is_by_hand(f))
            return 1
    return 0
}
function wrappers(   f) {
    print "/* Subroutines of Fortran: made from functions.txt. */\n#include \"mpi/fortran/wrap.h\"\n"
    for (f = 1; f <= n_functions; f++)
        if (!is_of_c(f) && !is_by_hand(f) && (only == "" || name[f] ~ only) && (but == "" || name[f] !~ but))
            aliases(f)
}
# ---- constants ----
# Their declarations: with `f08` a handle is of its type. 72 columns, for both forms of the language
function constants(f08,   line, words, type, value) {
    while ((getline line < (dir "/constants.txt")) > 0) {
        if (line ~ /^#/)
            continue
        if (split(line, words, " ") == 1) {
            type = words[1]
            continue
        }
        value = words[2] == "=" ? number[words[3]] : decimal(words[2])
        number[words[1]] = value
        if (words[1] ~ /^(T_|F_)/)
            continue
        if (words[1] ~ /^MAX_/)
            value--
        if (type == "int" || !f08)
            printf "      integer MPI_%s\n      parameter (MPI_%s=%s)\n", words[1], words[1], value
        else
            printf "      type(MPI_%s), parameter :: &\n       MPI_%s = MPI_%s(%s)\n", type, words[1], type, value
    }
    close(dir "/constants.txt")
}
function decimal(text,   i, n) {
    if (text !~ /^0x/)
        return text
    for (i = 3; i <= length(text); i++)
        n = 16 * n + index("0123456789abcdef", tolower(substr(text, i, 1))) - 1
    return n
}
# What mpif.h and the modules declare. In mpi_f08 statuses and handles have types
function declarations(f08,   line) {
    while ((getline line < (dir "/fortran/declarations.f.in")) > 0)
        if (line == "@constants@")
            constants(f08)
        else if (f08 && line ~ /integer MPI_STATUS_IGNORE/)
            print "      type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)"
        else if (f08 && line ~ /external MPI_/)
            ; # it has interfaces
        else
            print line
    close(dir "/fortran/declarations.f.in")
}
# ---- the modules ----
# The name of an argument, where that of the standard is another one
function fortran_name(f, i,   p, k, short) {
    p = parameter[f, i]
    k = kind[f, i]
    if (p in Standard)
        return Standard[p]
    if (p == "type" || p == "old")
        return k == "type" ? (p == "old" ? "oldtype" : "datatype") : p
    if (p == "out" && k == "buffer")
        return "outbuf"
    if (p ~ /^(out|new)$/ && is_handle(k))
        return "new" k
    if (p == "function")
        return k ~ /User/ ? "user_fn" : tolower(substr(k, 5, index(substr(k, 5), "_") - 1)) "_errhandler_fn"
    if (p == "n" && name[f] ~ /^(Wait|Test|Start)/)
        return name[f] ~ /some$/ ? "incount" : "count"
    if (p ~ /^[ab]$/ && is_handle(k))
        return k (p == "a" ? 1 : 2)
    if (p == "length")
        return kind[f, i - 1] == "string" ? "resultlen" : name[f] == "Info_get_string" ? "buflen" : "valuelen"
    if (p == "size" && name[f] == "Pack")
        return "outsize"
    if (p == "count" && name[f] ~ /^Pack$/)
        return "incount"
    if (k == "file" && p == "file")
        return "fh"
    return p
}
function set_standard_names(   words, i, n, pair) {
    n = split("send_buf=sendbuf recv_buf=recvbuf send_count=sendcount recv_count=recvcount send_counts=sendcounts " \
              "recv_counts=recvcounts send_type=sendtype recv_type=recvtype send_types=sendtypes recv_types=recvtypes " \
              "send_displs=sdispls recv_displs=rdispls send_tag=sendtag recv_tag=recvtag requests=array_of_requests " \
              "statuses=array_of_statuses indices=array_of_indices n_done=outcount n_dims=ndims n_nodes=nnodes " \
              "max_dims=maxdims commutes=commute handler=errhandler block=blocklength blocks=array_of_blocklengths " \
              "types=array_of_types in=inbuf inout=inoutbuf origin=origin_addr result=result_addr displ=target_disp " \
              "remain=remain_dims query=query_fn drop=free_fn cancel=cancel_fn state=extra_state copy=copy_fn " \
              "base=baseptr unit=disp_unit error=errorcode class_of=errorclass", words, " ")
    for (i = 1; i <= n; i++) {
        split(words[i], pair, "=")
        Standard[pair[1]] = pair[2]
    }
}
function fortran_type(f, i, f08,   k, t) {
    k = kind[f, i]
    if (is_logical(f, i))
        return "logical"
    if (is_handle(k))
        return f08 ? "type(" c_type[k] ")" : "integer"
    if (k == "status")
        return f08 ? "type(MPI_Status)" : "integer"
    if (k ~ /^(string|words|argv)$/)
        return "character(len=*)"
    t = k == "range" ? "MPI_Fint" : plain_type(f, i)
    if (k == "pointer" && f08 && (has_detached(f) || gives_memory(f)))
        return "type(c_ptr)"
    return t == "MPI_Fint" ? "integer" : "integer(8)"
}
function shape(f, i, f08,   k) {
    k = kind[f, i]
    if (k == "status" && !f08)
        return is_array(f, i) ? "(8,*)" : "(8)"
    if (k == "range")
        return "(3,*)"
    if (k == "argv") # of several programs
        return "(count,*)"
    if (k == "words")
        return "(*)"
    return is_array(f, i) ? "(*)" : ""
}
function intent(f, i) {
    return direction[f, i] == "in" ? ", intent(in)" : direction[f, i] == "inout" ? ", intent(inout)" : ", intent(out)"
}
# The interface of one subroutine, in the module mpi or mpi_f08. memory: "c_ptr" for that which gives a pointer of C
function interface_of(f, its, f08, memory,   i, list, lines, n, k, t) {
    for (i = 1; i <= n_of[f]; i++) {
        if (is_dropped(f, i))
            continue
        n = fortran_name(f, i)
        k = kind[f, i]
        list = list (list == "" ? "" : ", ") "&\n      " n
        if (k == "buffer" || (k == "pointer" && has_detached(f) && !f08))
            lines = lines "      !GCC$ attributes no_arg_check :: " n "\n      type(*), dimension(*) :: " n "\n"
        else if (is_callback(f, i))
            lines = lines (f08 ? "      procedure(" k ") :: " : "      external :: ") n "\n"
        else {
            t = memory != "" && k == "pointer" ? "type(c_ptr)" : fortran_type(f, i, f08)
            lines = lines "      " t (f08 ? intent(f, i) : "") " :: " n shape(f, i, f08) "\n"
        }
    }
    if (result[f] != "int") {
        printf "    function %s(%s) result(answer)\n%s      %s :: answer\n    end function\n", its, list, lines, result[f] == "double" ? "double precision" : "integer(8)"
        return
    }
    if (name[f] != "Pcontrol") {
        list = list (list == "" ? "" : ", ") "&\n      ierror"
        lines = lines "      integer" (f08 ? ", optional, intent(out)" : "") " :: ierror\n"
    }
    printf "    subroutine %s(%s)\n%s%s    end subroutine\n", its, list, f08 ? "      import\n" : memory != "" ? "      use, intrinsic :: iso_c_binding, only: c_ptr\n" : "", lines
}
# Whether a program of mpi_f08 means the function of large counts by the same name: an argument then differs
function is_overload(f, of,   i) {
    if (n_of[f] != n_of[of])
        return 1
    for (i = 1; i <= n_of[f]; i++)
        if (fortran_type(f, i, 1) != fortran_type(of, i, 1))
            return 1
    return 0
}
function in_f08(f,   prefix, large) {
    if (is_old(f) || (f in alias && result[f] == "int" && name[f] !~ /disconnect/) || name[f] ~ /^Type_(extent|lb|ub)$/ || name[f] ~ /_c$/)
        return
    large = number_of[name[f] "_c"]
    for (prefix = "MPI_"; ; prefix = "PMPI_") {
        if (result[f] != "int")
            print "  interface"
        else
            print "  interface " prefix name[f]
        interface_of(f, prefix name[f] (result[f] == "int" ? "_f08" : ""), 1, "")
        if (large && !is_of_c(large) && is_overload(large, f) && !has_callback(f))
            interface_of(large, prefix name[large] "_f08", 1, "")
        print "  end interface"
        if (large && !is_of_c(large) && has_callback(f)) {
            print "  interface " prefix name[large]
            interface_of(large, prefix name[large] "_f08", 1, "")
            print "  end interface"
        }
        if (prefix == "PMPI_")
            break
    }
}
function has_callback(f,   i) {
    for (i = 1; i <= n_of[f]; i++)
        if (is_callback(f, i))
            return 1
    return 0
}
function in_mpi(f,   prefix) {
    if (name[f] ~ /_c$/)
        return
    for (prefix = "MPI_"; ; prefix = "PMPI_") {
        print "  interface" (gives_memory(f) ? " " prefix name[f] : "")
        interface_of(f, prefix name[f], 0, "")
        if (gives_memory(f))
            interface_of(f, prefix name[f] "_cptr", 0, "c_ptr")
        print "  end interface"
        if (prefix == "PMPI_")
            break
    }
}
# ---- parts of mpi_f08 for each kind of handle ----
function types(n,   i) {
    for (i = 1; i <= n; i++)
        printf "  type, bind(c) :: %s\n    integer :: MPI_VAL\n  end type\n", c_type[Handles[i]]
}
# The functions of attributes and errors: their interfaces, and the constants among them
function attributes(n,   i, t, k, name) {
    for (i = 1; i <= n; i++) {
        k = Handles[i]
        t = c_type[k]
        name = k == "type" ? "MPI_Type" : t
        if (k ~ /^(comm|type|win)$/) {
            printf "    subroutine %s_copy_attr_function(old%s, %s_keyval, extra_state, &\n        attribute_val_in, attribute_val_out, flag, ierror)\n      import\n      type(%s) :: old%s\n      integer :: %s_keyval, ierror\n      integer(8) :: extra_state, attribute_val_in, attribute_val_out\n      logical :: flag\n    end subroutine\n", name, k, k, t, k, k
            printf "    subroutine %s_delete_attr_function(%s, %s_keyval, attribute_val, &\n        extra_state, ierror)\n      import\n      type(%s) :: %s\n      integer :: %s_keyval, ierror\n      integer(8) :: attribute_val, extra_state\n    end subroutine\n", name, k, k, t, k, k
            Constants = Constants "  procedure(" name "_copy_attr_function) :: " name "_NULL_COPY_FN, " name "_DUP_FN\n  procedure(" name "_delete_attr_function) :: " name "_NULL_DELETE_FN\n"
        }
        if (k ~ /^(comm|win|file|session)$/)
            printf "    subroutine %s_errhandler_function(%s, error_code)\n      import\n      type(%s) :: %s\n      integer :: error_code\n    end subroutine\n", t, k, t, k
    }
}
function comparisons(n, sign, function_name,   i) {
    for (i = 1; i <= n; i++)
        printf "  elemental function %s_%s(a, b) result(answer)\n    type(%s), intent(in) :: a, b\n    logical :: answer\n    answer = a%%MPI_VAL %s b%%MPI_VAL\n  end function\n", function_name, Handles[i], c_type[Handles[i]], sign
}
function operators(n, sign, function_name,   i) {
    printf "  interface operator(%s)\n", sign
    for (i = 1; i <= n; i++)
        printf "    module procedure %s_%s\n", function_name, Handles[i]
    print "  end interface"
    for (i = 1; i <= n; i++)
        printf "  private :: %s_%s\n", function_name, Handles[i]
}
function functions(f08,   f) {
    for (f = 1; f <= n_functions; f++)
        if (is_of_c(f))
            ;
        else if (f08)
            in_f08(f)
        else
            in_mpi(f)
}
# A file whose lines with @...@ are made
function fill(file,   line, n) {
    n = split("comm type group op request win info errhandler message file session", Handles, " ")
    while ((getline line < (dir "/fortran/" file)) > 0)
        if (line ~ /^@declarations/)
            declarations(line ~ /f08/)
        else if (line ~ /^@functions/) {
            printf "%s", line ~ /f08/ ? Constants : ""
            functions(line ~ /f08/)
        } else if (line == "@types@")
            types(n)
        else if (line == "@attributes@")
            attributes(n)
        else if (line == "@operators@") {
            operators(n, "==", "equal")
            operators(n, "/=", "differ")
        } else if (line == "@comparisons@") {
            comparisons(n, "==", "equal")
            comparisons(n, "/=", "differ")
        } else
            print line
}
BEGIN {
    set_standard_names()
    read_functions(dir "/functions.txt")
    if (make == "modules")
        read_missing(dir "/missing.txt")
    if (make == "wrappers")
        wrappers()
    else
        fill(make == "modules" ? "modules.f90.in" : "mpif.h.in")
}
