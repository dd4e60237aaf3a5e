# SPDX-License-Identifier: GPL-2.0-only
# Means over two keys, in panels: each curve is the row of its number. Columns: column, runs, mean (of 0 runs none), the ends of its
# interval, flagged runs, x as it is written.

# --- Colours: nine steps of viridis, whose lightness rises evenly, so that it reads in grey ---
set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')
if (cb_log) { set logscale cb cb_log }
set cbrange [cb_from/cb_unit:cb_to/cb_unit]
set cblabel cb_name offset 1
set format cb cb_format
reached(v) = v > cb_from ? v : cb_from # what is less has no place on the scale
light(v) = cb_log ? log(reached(v)/cb_from)/log(cb_to/cb_from) : (v-cb_from)/(cb_to-cb_from)
white(v) = light(v) < 0.55 # text on the darker half

# --- Texts: of a mean with few digits, where there is little room fewer, and its unit one letter; of its interval ---
kilos(v) = octets && v >= 1024 ? int(log(v)/log(1024)) : 0
few(v, digits) = v == 0 ? '0' : (unit = 10**(floor(log10(abs(v)))-digits+1), sprintf('%.10g', floor(v/unit+0.5)*unit))
number(v, digits) = few(v/(octets ? 1024.0**kilos(v) : cb_unit), digits)
unit_of(v) = word('KiB MiB GiB TiB', kilos(v))
empty(unused) = column(2) == 0 # of what is no number gnuplot makes none, whatever is asked of it
no_value = '×'
with_unit(v, digits, short) = number(v, digits).(kilos(v) < 1 ? '' : short ? unit_of(v)[1:1] : ' '.unit_of(v))
mean(digits, short) = empty(0) ? no_value : with_unit(column(3), digits, short).(column(6) > 0 ? '*' : '')
interval(m, low, high) = abs(m-low-(high-m)) <= 0.01*(high-m) ? '± '.with_unit(high-m, 2, 0) : \
  (kilos(low) == kilos(high) ? number(low, 2) : with_unit(low, 2, 0)).'–'.with_unit(high, 2, 0)
cell_texts = !letters && room >= cell_letters*x_tics && panel_height/y_tics >= 3*font # cells have room for two lines

# --- Cells: of letters, they have lines of one of five shades, around the mean: one line stays free between cells, and one letter ---
cell_width = int(room/x_tics)
panel_lines = 1.0*panel_height/25
cell_lines = letters ? (panel_lines/y_tics > 2 ? int(panel_lines/y_tics)-1 : 1) : 0
line_part = y_tics/panel_lines
shade(unused) = empty(0) ? ' ' : (of_five = 1+int(5*min(max(light(column(3)), 0), 0.999)), ' ░▒▓█'[of_five:of_five])
shaded(text, shade) = strlen(text)+1 < cell_width ? shaded(strlen(text)%2 == 0 ? shade.text : text.shade, shade) : text
fitting(a, b, c) = strlen(a) < cell_width ? a : strlen(b) < cell_width ? b : c
in_letters(unused) = shaded(fitting(mean(3, 0), mean(3, 1), mean(1, 1)), shade(0))
passes = 2
look(kind, i) = ''
label(i, s, up, text, part) = of(i).sprintf('1:(%d%+g*(column(2) > 1)):(%s):(!empty(0) && white(column(3)) ? 0xffffff : 0) with labels center font ",%s" textcolor rgb variable notitle, ', s-1, up, text, points(part))
item(pass, i, kind, s) = \
  pass == 1 && letters ? 'for [k=1:cell_lines] '.of(i).sprintf('1:(%d+(k-(cell_lines+1)/2)*line_part):(shaded("", shade(0))) with labels center notitle, ', s-1) : \
  pass == 1 ? of(i).sprintf('($2 > 0 ? $1 : NaN):(%d):(0.5):(0.5):(reached($3)/cb_unit) with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, ', s-1) : \
  letters ? of(i).sprintf('1:(%d):(in_letters(0)) with labels center notitle, ', s-1) : \
  label(i, s, 0, 'empty(0) ? no_value : ""', 1).(cell_texts ? label(i, s, 0.17, 'empty(0) ? "" : mean(3, 0)', 0.85).label(i, s, -0.2, 'column(2) < 2 ? "" : interval(column(3), column(4), column(5))', 0.7) : '')
unset grid
set border 0
set tics scale 0
unset colorbox
panel = panel."; unset colorbox; if (colour_box && (p%columns == 0 || p == panels)) { set colorbox user"\
  ." origin screen right_margin(p)+0.6*font/width,bottom_margin(p) size screen 1.0*font/width,1.0*panel_height/height }"
