# SPDX-License-Identifier: GPL-2.0-only
# This completes what can stand for a word of an iwarpsim command line: what the completions of bash, zsh and
# fish share. Reads the table that scripts/manual makes, a line each, in columns:
#   where the word may stand: "" (the command itself), a command's name, or a kind of value ("key")
#   the word
#   the kinds of value after it, joined by "|": such a place, "words a b", "files EXTENSION...", "files /" for
#   a folder; "none": one that nobody can list
#   what it means
# IWARPSIM_WORDS has the words before it, a line each, IWARPSIM_WORD what is there of it. Prints a line for
# each candidate, with its meaning after a tab; one that begins with the tab asks for files with these
# extensions (none: any) and folders, or for folders alone (/).
BEGIN {
  FS = "\t"
  count = split(ENVIRON["IWARPSIM_WORDS"], before, "\n")
  word = ENVIRON["IWARPSIM_WORD"]
  for (i = 1; i <= count && command == ""; i++)
    if (before[i] !~ /^-/) command = before[i]
}

{
  rows[NR] = $0
  kinds[$1, $2] = $3
}

# Prints the words of `place` that begin with `part`, each after `head`. What `explain` takes, "FPDU", may be
# written in lower case.
function list(place, part, head,    i, row) {
  for (i = 1; i <= NR; i++) {
    split(rows[i], row, FS)
    if (place == "name" && part == tolower(part)) row[2] = tolower(row[2])
    if (row[1] == place && index(row[2], part) == 1) print head row[2] "\t" row[4]
  }
}

# Prints what can be a value of `kind` that begins with `part`.
function value(kind, part, head,    words, count, i) {
  if (kind ~ /^files/) {
    asked = 1
    if (kind != "files /") files = files (files == "" ? "" : " ") substr(kind, 7)
    else if (wanted == kind) files = "/"
  } else if (kind ~ /^words /) {
    count = split(substr(kind, 7), words, " ")
    for (i = 1; i <= count; i++)
      if (index(words[i], part) == 1) print head words[i] "\t"
  } else if (kind == "set" && part ~ /=/) {
    i = index(part, "=")
    list("set " substr(part, 1, i - 1), substr(part, i + 1), head substr(part, 1, i))
  } else if (kind == "key" && part ~ /,/) { # KEY,KEY...
    match(part, /.*,/)
    list(kind, substr(part, RLENGTH + 1), head substr(part, 1, RLENGTH))
  } else if (kind != "scenario" || part != "") { # the shipped ones only when asked for
    list(kind, part, head)
  }
}

END {
  wanted = kinds["", command]
  head = ""
  if (before[count] ~ /^-/ && kinds[command, before[count]] != "") {
    wanted = kinds[command, before[count]]
  } else if (word ~ /^--[^=]+=/) {
    head = substr(word, 1, index(word, "="))
    wanted = kinds[command, substr(head, 1, length(head) - 1)]
  } else if (command == "" || word ~ /^-/) {
    list(command, word, "")
    exit
  }
  count = split(wanted, kind, "|")
  for (k = 1; k <= count; k++) value(kind[k], substr(word, length(head) + 1), head)
  if (asked) print "\t" files
}
