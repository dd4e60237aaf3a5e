# Completion of iwarpsim for bash, made by scripts/manual.
_iwarpsim()
{
  local program=@PROGRAM@
  local table=@TABLE@
  local line=${COMP_LINE:0:COMP_POINT} row extension
  local -a words rows
  read -ra words <<<"$line"
  [[ $line == *[[:blank:]] ]] && words+=("")
  local word=${words[${#words[@]} - 1]#[\"\']}
  mapfile -t rows < <(printf '%s\n' "$table" | IWARPSIM_WORD=$word \
    IWARPSIM_WORDS=$(printf '%s\n' "${words[@]:1:${#words[@]}-2}") awk "$program")
  COMPREPLY=()
  for row in "${rows[@]}"; do
    if [[ $row == $'\t'* ]]; then
      local file=${word#--*=}
      compopt -o filenames
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(
        compgen -d -- "$file"
        for extension in ${row#$'\t'}; do
          compgen -f -X "!*.$extension" -- "$file"
        done
        [[ $row == $'\t' ]] && compgen -f -- "$file")
    else
      COMPREPLY+=("${row%%$'\t'*}")
    fi
  done
  # Readline replaces what is after the last of these characters only.
  local cut=${word%"${word##*[=:]}"}
  COMPREPLY=("${COMPREPLY[@]#"$cut"}")
  [[ ${#COMPREPLY[@]} -eq 1 && $COMPREPLY == *= ]] && compopt -o nospace
}
complete -F _iwarpsim iwarpsim
