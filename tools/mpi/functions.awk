# SPDX-License-Identifier: MIT
# Reads functions.txt, and missing.txt where it is wanted, for the programs that make something of it (awk -f functions.awk -f PROGRAM):
#   n_functions, name[f], result[f]; alias[f]: of which function it is another name; form[f]: "started" (INAME, RNAME) or
#   "persistent" (NAME_init) of the function plain[f], whose started form is plain[f] + 1; "large" (NAME_c) of plain[f]
#   n_of[f] parameters i: kind[f, i], direction[f, i] ("in", "out", "inout", "new"), parameter[f, i]: its name,
#   length_of[f, i]: of an array ("?": not known; "": it is none), may_be_null[f, i]
#   c_type[KIND], what[KIND]; after read_functions(missing.txt) the functions from first_missing on are not there
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
function add_function(its_name, its_result, list,   f, words, i) {
    if (its_name in number_of) {
        print "functions.txt or missing.txt: " its_name " is there twice" >"/dev/stderr"
        exit 1
    }
    f = ++n_functions
    name[f] = its_name
    result[f] = its_result
    number_of[its_name] = f
    list_of[f] = list
    n_of[f] = split(list, words, ", ")
    for (i = 1; i <= n_of[f]; i++)
        read_parameter(f, i, words[i])
    return f
}
function add_form(of, its_name, its_form, more,   f) {
    f = add_function(its_name, "int", list_of[of] ", " more)
    form[f] = its_form
    plain[f] = of
}
function read_function(line,   f, mark, at, list, words, n, other) {
    mark = substr(line, 1, 1)
    sub(/^[*+%]/, "", line)
    at = index(line, " (")
    list = at > 0 ? substr(line, at + 2, length(line) - at - 2) : ""
    if (at > 0)
        line = substr(line, 1, at - 1)
    if (match(line, / = /)) {
        other = substr(line, RSTART + 3)
        line = substr(line, 1, RSTART - 1)
    }
    n = split(line, words, " ")
    f = add_function(words[n], n > 1 ? words[1] : "int", at > 0 ? list : list_of[number_of[other]])
    if (other != "")
        alias[f] = other
    if (mark == "%") {
        form[f] = "large"
        plain[f] = number_of[substr(name[f], 1, length(name[f]) - 2)]
    }
    if (mark == "*" || mark == "+")
        add_form(f, (mark == "*" ? "I" : "R") tolower(substr(name[f], 1, 1)) substr(name[f], 2), "started", "out request")
    if (mark == "*")
        add_form(f, name[f] "_init", "persistent", "info, out request")
}
function read_functions(file,   line, words) {
    while ((getline line < file) > 0)
        if (line ~ /^kind /) {
            split(line, words, " ")
            c_type[words[2]] = words[3]
            what[words[2]] = substr(line, length("kind " words[2] " " words[3] " ") + 1)
        } else if (line !~ /^#/ && line != "")
            read_function(line)
    close(file)
}
function read_missing(file) {
    first_missing = n_functions + 1
    read_functions(file)
}
# Whether a parameter is an address, not a value
function is_address(f, i) {
    return length_of[f, i] != "" || direction[f, i] != "in" || kind[f, i] ~ /^(status|string|buffer|pointer)$|_function(_c)?$/
}
# Its declaration in C
function declared(f, i,   k, t, constant) {
    k = kind[f, i]
    if (k == "...")
        return k
    t = k in c_type ? c_type[k] : k
    constant = direction[f, i] == "in" && is_address(f, i) && k !~ /^pointer$|_function(_c)?$/ ? "const " : ""
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
