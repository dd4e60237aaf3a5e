# SPDX-License-Identifier: GPL-2.0-only
# What all plots end with: the panels, and the legend, a strip across the page below them. What a template draws in each of its `passes`
# of curve i, number s of a kind, is item(pass, i, kind, s); how it looks in the legend, look(kind, s).

# --- The panels ---
do for [p=1:panels] {
  eval panel
  command = 'plot '
  do for [pass=1:passes] {
    do for [i=1:curves] {
      if (at(curve[i], 1) == p) { command = command.item(pass, i-1, word(curve[i], 2), at(curve[i], 3)) }
    }
  }
  eval command.'NaN notitle'
}

# --- The legend ---
if (legend_texts > 0) {
  unset border; unset tics; unset grid; unset xlabel; unset ylabel; unset title; unset label; unset arrow; unset logscale
  set xrange [0:1]
  set yrange [0:1]
  set lmargin at screen 0.02
  set rmargin at screen 0.98
  set bmargin at screen 0.005
  set tmargin at screen 1.0*legend_height/height
  set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5 maxcols legend_columns font plain.points(legend_part)
  entries = ''
  do for [i=1:legend_texts] { # a sample of letters ends where its text begins
    entries = entries.sprintf("keyentry %s title '%s'.legend_text[%d], ", word(legend_look[i], 1) eq 'none' ? '' : look(word(legend_look[i], 1), at(legend_look[i], 2)), letters ? ' ' : '', i)
  }
  eval 'plot '.entries.'2 notitle'
}
unset multiplot
