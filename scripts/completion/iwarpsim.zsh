#compdef iwarpsim
# Completion of iwarpsim for zsh, made by scripts/manual.
local program=@PROGRAM@
local table=@TABLE@
local row
local -a rows values shown
rows=("${(@f)$(print -r -- "$table" | IWARPSIM_WORD=${(Q)PREFIX} \
  IWARPSIM_WORDS=${(F)words[2,CURRENT-1]} awk "$program")}")
for row in $rows; do
  if [[ $row == $'\t'* ]]; then
    local -a extensions=(${=row})
    compset -P '--*='
    if [[ $extensions == / ]]; then
      _files -/
    else
      _files ${extensions:+-g} ${extensions:+"${(j: :)${(@)extensions/#/*.}}"}
    fi
  else
    values+=("${row%%$'\t'*}")
    shown+=("${row%%$'\t'*}  ${row#*$'\t'}")
  fi
done
if [[ $values[1] == *= ]]; then
  compadd -S '' -d values -- $values
elif (( $#values )); then
  compadd -l -d shown -- $values
fi
