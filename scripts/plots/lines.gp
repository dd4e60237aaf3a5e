# SPDX-License-Identifier: GPL-2.0-only
# Lines with intervals (95 % around the mean, or quartiles) over one axis, in panels. Line number i, from 0, is index i of the data, drawn in linestyle at(styles, i+1).
# Columns: place on x, runs, mean or median, the ends of its interval, flagged runs, x as it is written.

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
points = x_numeric ? 'linespoints' : 'points' # words have no order that a line between them would mean
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
       for [i=1:(x_numeric ? words(all) : 0)] file index at(all,i) using 1:(y($3)) with linespoints linestyle style(at(all,i)) notitle, \
       for [i=1:(x_numeric ? 0 : words(all))] file index at(all,i) using 1:(y($3)) with points linestyle style(at(all,i)) notitle, \
       for [i=1:(flagged && !letters ? words(all) : 0)] file index at(all,i) using 1:($6 > 0 ? y($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
       for [i=1:(crosses ? words(main_line[p]) : 0)] file index at(main_line[p],i) using 1:(stringcolumn(3) ne 'NaN' ? NaN : above(style(at(main_line[p],i)))/y_unit) with points @cross linecolor rgb colour(style(at(main_line[p],i))) notitle, \
       NaN notitle
}
