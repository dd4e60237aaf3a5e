# SPDX-License-Identifier: GPL-2.0-only
# Means over two keys, in panels: panel number p is index p-1 of the data. Columns: column, row, runs, mean, half width of the interval,
# flagged runs, how light the colour is (0 … 1), and the texts in the cell: mean and interval.

# --- Colours: nine steps of viridis, whose lightness rises evenly, so that it reads in grey ---
set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')
if (cb_log) {
  set logscale cb
}
set cbrange [cb_from:cb_to]
set cblabel cb_name
set cbtics ()
do for [i=1:cb_tics] {
  set cbtics add (cb_label[i] cb_tic[i])
}
colour_of(v) = v > cb_from ? v : cb_from # what is less has no place on the scale
white(light) = light < 0.55 # text on the darker half
look(kind, i) = ''
unset grid
set border 0
set tics scale 0
do for [p=1:panels] {
  eval panel
  unset colorbox
  if (!letters && (p%columns == 0 || p == panels)) {
    set colorbox user origin screen right_margin[p]+0.6*font/width,bottom_margin[p] size screen 1.0*font/width,top_margin[p]-bottom_margin[p]
  }
  plot for [i=1:(letters ? 0 : 1)] file index p-1 using 1:2:(0.5):(0.5):(colour_of($4)) with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, \
       for [i=1:(letters ? 1 : 0)] file index p-1 using 1:2:(stringcolumn(8)) with labels center notitle, \
       for [i=1:(cell_texts ? 2 : 0)] file index p-1 using 1:(white($7) == (i == 1) ? $2+0.17 : NaN):(stringcolumn(8)) with labels center font sprintf(',%d', font*17/20) textcolor rgb (i == 1 ? '#ffffff' : '#000000') notitle, \
       for [i=1:(cell_texts ? 2 : 0)] file index p-1 using 1:(white($7) == (i == 1) ? $2-0.2 : NaN):(stringcolumn(9)) with labels center font sprintf(',%d', font*14/20) textcolor rgb (i == 1 ? '#ffffff' : '#000000') notitle, \
       NaN notitle
}
