# SPDX-License-Identifier: GPL-2.0-only
# What all plots of iwarpsim begin with. A plot's script is made of the numbers and texts of its study as variables, this file, the
# template of its kind, and legend.gp. To change how plots look, copy this folder, change what you like, and name the copy in
# IWARPSIM_PLOTS of the environment.

# --- The page: terminal, heading, frame ---
set encoding utf8
letters = format eq 'term'
inches(dots) = dots/300.0
down(dots) = 1-1.0*dots/height # from the top of the page, as gnuplot counts: from its bottom
# Letters of one size in every format: png has dots of 3/4 points, svg counts pixels, 96 an inch, pdf dots of 3/4 points, as many.
points(part) = sprintf('%.4g', font*part*(format eq 'svg' ? 0.32*4/3 : format eq 'pdf' ? 0.24 : 1))
plain = 'DejaVu Sans,'
bold = 'DejaVu Sans Bold,'
file = stem.'.dat'
if (format eq 'png') {
  set terminal pngcairo noenhanced color size width,height font plain.points(1) linewidth 2 pointscale 3.5 background rgb '#ffffff'
}
if (format eq 'svg') {
  set terminal svg noenhanced size int(96*inches(width)+0.5),int(96*inches(height)+0.5) font plain.points(1) linewidth 0.64 background rgb '#ffffff'
}
if (format eq 'pdf') {
  set terminal pdfcairo noenhanced color size inches(width)in,inches(height)in fontscale 1 font plain.points(1) linewidth 1 pointscale 0.84 background rgb '#ffffff'
}
if (letters && colours) { set terminal dumb ansi noenhanced size width/letter_width,height/letter_height }
if (letters && !colours) { set terminal dumb mono noenhanced size width/letter_width,height/letter_height }
if (!letters) {
  set output stem.'.'.format
  set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4' # among letters it would hide the lines
}
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set label 1 title_text at screen 0.5,down(title_at) center font bold.points(1.1)
set label 2 subtitle_text at screen 0.5,down(subtitle_at) center font plain.points(0.85) textcolor rgb '#404040'
if (letters) { # terminals write no text upwards
  set label 3 y_lines at screen 0.01,down(heading_end+0.5*letter_height) left
}
if (y_once) {
  set label 3 y_name at screen 2.0*font/width,down(first+(panel_height+row_height*int((panels-1)/columns))/2.0) center rotate by 90
}

# --- Axes: places in base units are drawn in units that people read ---
x_unit = 1.0*x_unit # between whole numbers gnuplot divides without a rest
y_unit = 1.0*y_unit
set xlabel x_name
set xrange [x_from/x_unit:x_to/x_unit]
if (x_log) { set logscale x }
if (x_turned) { set xtics rotate by 45 right }
set xtics ()
do for [i=1:x_tics] { set xtics add (x_label[i] x_tic[i]/x_unit) }
do for [i=1:x_gaps] { set label 10+i '//' at first x_gap[i],graph 0 center front }
set yrange [y_from/y_unit:y_to/y_unit]
if (y_log) { set logscale y }
y(v) = (v > 0 || !y_log ? v : y_zero ? y_from : NaN)/y_unit # a logarithmic axis may have a place for 0
limited(v) = (v > y_from || v != v ? v : y_from)/y_unit # of an interval that goes on below the axis

# --- The look: the palette of Okabe and Ito; lines differ in colour, dash and point, and read without colour too ---
colour(i) = word('#0072B2 #D55E00 #009E73 #CC79A7 #000000 #E69F00', 1+(i-1)%6)
point(i) = int(word('7 5 9 13 11 6 4 8 12 10', 1+(i-1)%10))
dash(i) = int(word('1 2 4 3 5', 1+(i-1)%5))
at(list, i) = i > words(list) ? 0 : int(word(list, i)) # gnuplot asks for i = 1 where it repeats nothing

# --- Panels: `eval panel` before panel number p is plotted ---
labelled(p) = (p-1)%columns == 0
left_margin(p) = (left+(panel_width+gap)*((p-1)%columns))/(1.0*width)
right_margin(p) = left_margin(p)+1.0*panel_width/width
top_margin(p) = down(first+row_height*int((p-1)/columns))
bottom_margin(p) = top_margin(p)-1.0*panel_height/height
wide = 0 # labels of tics: the name stands nearer to them, or there would be no room for it
do for [i=1:y_tics] { wide = wide || strlen(y_label[i]) > 6 }
nearer = (wide ? 1 : -0.5)-(strstrt(y_lines, "\n") > 0 ? 1 : 0) # of several lines the last one stands by the labels
panel = "if (p > 1) { unset label 1; unset label 2; unset label 3 };"\
  ."set lmargin at screen left_margin(p); set rmargin at screen right_margin(p);"\
  ."set bmargin at screen bottom_margin(p); set tmargin at screen top_margin(p);"\
  ."set title panel_title[p] offset 0,(letters ? 0 : -0.4);"\
  ."set ylabel (labelled(p) && !letters ? y_lines : '') offset nearer+(format eq 'svg' ? 0.8 : 0),0;"\
  ."set ytics ();"\
  ."do for [i=1:y_tics] { set ytics add ((labelled(p) ? y_label[i] : '') y_tic[i]/y_unit) }"
unset key
set multiplot
