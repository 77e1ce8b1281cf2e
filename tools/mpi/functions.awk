# SPDX-License-Identifier: MIT
# Reads functions.txt, for the programs that make something of it (awk -f functions.awk -f PROGRAM):
#   n_functions, name[f], result[f]; alias[f]: of which function it is another name; form[f]: "started" (INAME, RNAME) or
#   "persistent" (NAME_init) of the function plain[f], whose started form is plain[f] + 1
#   n_of[f] parameters i: kind[f, i], direction[f, i] ("in", "out", "inout", "new"), parameter[f, i]: its name,
#   length_of[f, i]: of an array ("?": not known; "": it is none), may_be_null[f, i]
#   c_type[KIND], what[KIND]; n_missing, missing[m]
function read_parameter(f, i, text,   words, n) {
    direction[f, i] = "in"
    if (text ~ /^(out|inout|new) [^ ]/ && split(text, words, " ") >= 2) {
        direction[f, i] = words[1]
        sub(/^[a-z]+ /, "", text)
    }
    may_be_null[f, i] = sub(/\?$/, "", text)
    length_of[f, i] = ""
    if (match(text, /\[.*\]$/)) {
        length_of[f, i] = substr(text, RSTART + 1, RLENGTH - 2)
        if (length_of[f, i] == "")
            length_of[f, i] = "?"
        text = substr(text, 1, RSTART - 1)
    }
    n = split(text, words, " ")
    kind[f, i] = words[1]
    parameter[f, i] = words[n]
}
function read_function(line,   f, mark, at, list, words, n, i) {
    f = ++n_functions
    mark = substr(line, 1, 1)
    sub(/^[*+]/, "", line)
    at = index(line, " (")
    list = at > 0 ? substr(line, at + 2, length(line) - at - 2) : ""
    if (at > 0)
        line = substr(line, 1, at - 1)
    if (match(line, / = /)) {
        alias[f] = substr(line, RSTART + 3)
        line = substr(line, 1, RSTART - 1)
    }
    n = split(line, words, " ")
    name[f] = words[n]
    result[f] = n > 1 ? words[1] : "int"
    number_of[name[f]] = f
    if (at == 0)
        copy_parameters(number_of[alias[f]], f)
    else {
        n_of[f] = split(list, words, ", ")
        for (i = 1; i <= n_of[f]; i++)
            read_parameter(f, i, words[i])
    }
    if (mark == "*" || mark == "+")
        add_form(f, (mark == "*" ? "I" : "R") tolower(substr(name[f], 1, 1)) substr(name[f], 2), "started", "out request")
    if (mark == "*")
        add_form(f, name[f] "_init", "persistent", "info, out request")
}
function copy_parameters(from, to,   i) {
    n_of[to] = n_of[from]
    for (i = 1; i <= n_of[from]; i++) {
        kind[to, i] = kind[from, i]
        direction[to, i] = direction[from, i]
        parameter[to, i] = parameter[from, i]
        length_of[to, i] = length_of[from, i]
        may_be_null[to, i] = may_be_null[from, i]
    }
}
function add_form(of, its_name, its_form, more,   f, words, n, i) {
    f = ++n_functions
    name[f] = its_name
    result[f] = "int"
    form[f] = its_form
    plain[f] = of
    copy_parameters(of, f)
    n = split(more, words, ", ")
    for (i = 1; i <= n; i++)
        read_parameter(f, ++n_of[f], words[i])
}
function read_functions(file,   line, words, i) {
    while ((getline line < file) > 0)
        if (line ~ /^kind /) {
            split(line, words, " ")
            c_type[words[2]] = words[3]
            what[words[2]] = substr(line, length("kind " words[2] " " words[3] " ") + 1)
        } else if (line ~ /^- /)
            for (i = split(line, words, " "); i > 1; i--)
                missing[++n_missing] = words[i]
        else if (line !~ /^#/ && line != "")
            read_function(line)
    close(file)
}
# Whether a parameter is an address, not a value
function is_address(f, i) {
    return length_of[f, i] != "" || direction[f, i] != "in" || kind[f, i] ~ /^(status|string|buffer|pointer)$|_function$/
}
# Its declaration in C
function declared(f, i,   k, t, constant) {
    k = kind[f, i]
    if (k == "...")
        return k
    t = k in c_type ? c_type[k] : k
    constant = direction[f, i] == "in" && is_address(f, i) && k !~ /^pointer$|_function$/ ? "const " : ""
    if (k == "range") # of ranks: first, last, stride
        return "int " parameter[f, i] "[][3]"
    if (length_of[f, i] != "" && !may_be_null[f, i]) # compilers warn of MPI_UNWEIGHTED as an array
        return constant t " " parameter[f, i] "[]"
    if (sub(/\*+$/, " &", t))
        return t "*" parameter[f, i]
    return constant t " " (is_address(f, i) ? "*" : "") parameter[f, i]
}
function parameters(f,   i, out) {
    for (i = 1; i <= n_of[f]; i++)
        out = out (i > 1 ? ", " : "") declared(f, i)
    return out == "" ? "void" : out
}
function prototype(f, prefix) {
    return result[f] " " prefix name[f] "(" parameters(f) ")"
}
# The names of the parameters, for a call
function arguments(f, before,   i, out) {
    for (i = 1; i <= n_of[f]; i++)
        out = out (i > 1 ? ", " : "") before parameter[f, i]
    return out
}
