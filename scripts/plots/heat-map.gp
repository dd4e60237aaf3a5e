# SPDX-License-Identifier: GPL-2.0-only
# Means over two keys, in panels: panel number p is index p-1 of the data. Columns: column, row, runs, mean, the ends of its interval,
# flagged runs, how light the colour is (0 … 1), and texts for the cell: mean, interval, and the mean in fewer letters twice; of 0 runs,
# which have no value, a mark.

# --- Colours: nine steps of viridis, whose lightness rises evenly, so that it reads in grey ---
set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')
if (cb_log) { set logscale cb cb_log }
set cbrange [cb_from/cb_unit:cb_to/cb_unit]
set cblabel cb_name
set format cb cb_format
colour_of(v) = (v > cb_from ? v : cb_from)/cb_unit # what is less has no place on the scale
white(light) = light < 0.55 # text on the darker half
cell_texts = !letters && room >= cell_letters*x_tics && panel_height/y_tics >= 3*font # cells have room for two lines
# A cell of letters has lines of one of five shades, around the mean: one line stays free between cells, and one letter.
cell_width = int(room/x_tics)
panel_lines = 1.0*panel_height/25
cell_lines = letters ? (panel_lines/y_tics > 2 ? int(panel_lines/y_tics)-1 : 1) : 0
line_part = y_tics/panel_lines
shade_number(n) = ' ░▒▓█'[n:n]
shade(light) = shade_number(1+int(5*min(max(light, 0), 0.999)))
shaded(text, shade) = strlen(text)+1 < cell_width ? shaded(strlen(text)%2 == 0 ? shade.text : text.shade, shade) : text
fitting(a, b, c) = strlen(a) < cell_width ? a : strlen(b) < cell_width ? b : c
mean_text(row) = letters ? shaded(fitting(stringcolumn(9), stringcolumn(11), stringcolumn(12)), shade(column(8))) : stringcolumn(9)
look(kind, i) = ''
unset grid
set border 0
set tics scale 0
do for [p=1:panels] {
  eval panel
  unset colorbox
  if (colour_box && (p%columns == 0 || p == panels)) {
    set colorbox user origin screen right_margin(p)+0.6*font/width,bottom_margin(p) size screen 1.0*font/width,1.0*panel_height/height
  }
  plot for [i=1:(letters ? 0 : 1)] file index p-1 using ($3 > 0 ? $1 : NaN):2:(0.5):(0.5):(colour_of($4)) with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, \
       for [i=1:cell_lines] file index p-1 using 1:($2+(i-(cell_lines+1)/2)*line_part):(shaded('', shade($8))) with labels center notitle, \
       for [i=1:1] file index p-1 using 1:(letters || $3 == 0 ? $2 : NaN):(mean_text($0)) with labels center notitle, \
       for [i=1:(cell_texts ? 2 : 0)] file index p-1 using 1:($3 > 0 && white($8) == (i == 1) ? $2+0.17 : NaN):(stringcolumn(9)) with labels center font ','.points(0.85) textcolor rgb (i == 1 ? '#ffffff' : '#000000') notitle, \
       for [i=1:(cell_texts ? 2 : 0)] file index p-1 using 1:(white($8) == (i == 1) ? $2-0.2 : NaN):(stringcolumn(10)) with labels center font ','.points(0.7) textcolor rgb (i == 1 ? '#ffffff' : '#000000') notitle, \
       NaN notitle
}
