# Draws the picture of the same name beside it: gnuplot FILE, in its folder.
# What was measured comes first, then the templates that draw it. Changed, it is not drawn over.
# SHA-256 of the rest: 890ba8e3b300d0b825766464c19913d4e6911ebebcb8e217660f2b615e798f69
stem = 'cut-size-cuts'
format = 'svg'
width = 2102
height = 1695
font = 27
letter_width = 10
letter_height = 25
title_at = 53.46
subtitle_at = 112.86
heading_end = 302
panels = 1
columns = 1
left = 259.2
panel_width = 1799.6
gap = 51.3
first = 318.2
panel_height = 861.82
row_height = 1075.12
x_turned = 0
y_once = 0
legend_height = 342.63
legend_columns = 1
title_text = 'Fraction placed directly over middlebox.chunk'
subtitle_text = 'Placed directly by the size of a middlebox’s cuts, with one piece in a hundred lost · scenario cut-size · seeds'."\n".'1–8 · iwarpsim 0.2.0 (git 2c1980b6d5b6) · 336 runs, mean of 8 each with 95 % interval · workload.messages moves'."\n".'with workload.message_size · ringed: 305 with timeouts, spurious or lost retransmissions · dashed black:'."\n".'probability that a piece of S octets, cut at a random place, holds a whole marker'
y_lines = 'fraction placed directly'
panel_titles = 1
array panel_title[1] = ['']
x_from = 1.683944415
x_to = 3.286588415
x_unit = 1
x_log = 0
x_zero = 0
x_name = 'middlebox.chunk (octets)'
x_tics = 14
array x_tic[14] = [1.806179974, 2.10720997, 2.283301229, 2.408239965, 2.505149978, 2.584331224, 2.651278014, 2.711807229, 2.760422483, 2.84509804, 2.954242509, 3.041392685, 3.113943352, 3.164352856]
x_labels = 14
array x_label[14] = ['64', '128', '192', '256', '320', '384', '', '515', '', '700', '900', '1100', '', '1460']
x_gaps = 0
array x_gap[1]
y_from = 0
y_to = 1.05
y_unit = 1
y_log = 0
y_zero = 0
y_name = 'fraction placed directly'
y_tics = 6
array y_tic[6] = [0, 0.2, 0.4, 0.6, 0.8, 1]
y_labels = 6
array y_label[6] = ['0', '0.2', '0.4', '0.6', '0.8', '1']
y_gaps = 0
array y_gap[1]
legend_texts = 5
array legend_text[5] = ['messages of 32 octets', 'messages of 512 octets', 'messages of 64 KiB', 'whole marker in S: min(1, (S−3)/512)', 'flagged']
legend_looks = 5
array legend_look[5] = ['main 1', 'main 2', 'main 3', 'reference 1', 'ring 0']
styles = '1 2 3 7'
main_lines = 1
array main_line[1] = ['0 1 2']
companion_lines = 1
array companion_line[1] = ['']
reference_lines = 1
array reference_line[1] = ['3']
own_lines = 1
array own_line[1] = ['']
lines = 3
references = 1
companions = 0
numeric = 1
flagged = 1
crosses = 0

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

# --- Lines: main ones, their companions, references ---
style(i) = at(styles, i+1)
solid(i) = int(word('7 5 9 11 13 15', 1+(i-1)%6))
do for [i=1:lines] {
  if (companions) { # of one colour and shape; in a terminal points are letters
    set style line i linetype i linecolor rgb colour(i) dashtype 1 linewidth 1.4 pointtype (letters ? 2*i-1 : solid(i)) pointsize 0.55
    set style line lines+i linetype lines+i linecolor rgb colour(i) dashtype 2 linewidth 1.0 pointtype (letters ? 2*i : solid(i)-1) pointsize 0.55
  } else {
    set style line i linetype i linecolor rgb colour(i) dashtype dash(i) linewidth 1.4 pointtype point(i) pointsize 0.6
  }
}
do for [i=1:references] {
  set style line 2*lines+i linetype 2*lines+i linecolor rgb (i%2 == 1 ? '#000000' : '#606060') dashtype int(word('2 4 3 5', 1+(i-1)%4)) linewidth 1.2
}
cross = sprintf('pointtype %d pointsize 0.9 linewidth 1.4', letters ? 24 : 2) # where a run did not end ok, and there is no mean
share(i) = i*(lines > 5 ? 0.2/lines : 0.04) # of the panel's height: crosses of several lines do not hide each other
above(i) = y_log ? y_from*(y_to/y_from)**share(i) : y_from+share(i)*(y_to-y_from)
points = numeric ? 'linespoints' : 'points' # words have no order that a line between them would mean
look(kind, i) = \
  kind eq 'main' ? sprintf('with %s linestyle %d', points, i) : \
  kind eq 'companion' ? sprintf('with %s linestyle %d', points, lines+i) : \
  kind eq 'mains' ? sprintf("with %s linecolor rgb '#606060' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.55", points) : \
  kind eq 'companions' ? sprintf("with %s linecolor rgb '#606060' dashtype 2 linewidth 1.0 pointtype 6 pointsize 0.55", points) : \
  kind eq 'own' ? "with lines linecolor rgb '#606060' dashtype 3 linewidth 2" : \
  kind eq 'reference' ? sprintf('with lines linestyle %d', 2*lines+i) : \
  kind eq 'cross' ? "with points ".cross." linecolor rgb '#606060'" : \
  kind eq 'ring' ? "with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040'" : ''

# --- A panel: references, intervals, points over them, rings around what is flagged ---
# In print an interval is a line with caps: gnuplot's own bars (5.4) have a white box below the point, which hides short ones.
do for [p=1:panels] {
  eval panel
  all = companion_line[p].' '.main_line[p]
  plot for [i=1:words(reference_line[p])] file index at(reference_line[p],i) using 1:(y($3)) with lines linestyle style(at(reference_line[p],i)) notitle, \
       for [i=1:words(own_line[p])] file index at(own_line[p],i) using 1:(y($3)) with lines linecolor rgb colour(style(at(own_line[p],i))) dashtype 3 linewidth 2 notitle, \
       for [i=1:(letters ? 0 : words(all))] file index at(all,i) using 1:($5 < y_from && !y_zero ? NaN : limited($4)):(0):(limited($5)-limited($4)) with vectors heads size screen 0.004,90 linestyle style(at(all,i)) linewidth 0.8 dashtype 1 notitle, \
       for [i=1:(letters ? words(all) : 0)] file index at(all,i) using 1:(y($3)):(limited($4)):(limited($5)) with yerrorbars linestyle style(at(all,i)) pointsize 0 notitle, \
       for [i=1:(numeric ? words(all) : 0)] file index at(all,i) using 1:(y($3)) with linespoints linestyle style(at(all,i)) notitle, \
       for [i=1:(numeric ? 0 : words(all))] file index at(all,i) using 1:(y($3)) with points linestyle style(at(all,i)) notitle, \
       for [i=1:(flagged && !letters ? words(all) : 0)] file index at(all,i) using 1:($6 > 0 ? y($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
       for [i=1:(crosses ? words(main_line[p]) : 0)] file index at(main_line[p],i) using 1:(stringcolumn(3) ne 'NaN' ? NaN : above(style(at(main_line[p],i)))/y_unit) with points @cross linecolor rgb colour(style(at(main_line[p],i))) notitle, \
       NaN notitle
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
  set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5 maxcols legend_columns
  entries = ''
  do for [i=1:legend_texts] { # a sample of letters ends where its text begins
    entries = entries.sprintf("keyentry %s title '%s'.legend_text[%d], ", look(word(legend_look[i], 1), at(legend_look[i], 2)), letters ? ' ' : '', i)
  }
  eval 'plot '.entries.'2 notitle'
}
unset multiplot
