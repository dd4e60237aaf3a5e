# SPDX-License-Identifier: GPL-2.0-only
# Lines with intervals (95 % around the mean, or quartiles) over one axis, in panels.
# Columns: place on x, runs, mean or median, the ends of its interval, flagged runs, x as it is written.

# --- Lines: those of the runs, a bound of each in its colour, references ---
points = x_numeric || exists('x_ordered') ? 'linespoints' : 'points' # words have no order that a line between them would mean; sizes have
share(i) = i*(lines > 5 ? 0.2/lines : 0.04) # of the panel's height: crosses of several lines do not hide each other
above(i) = y_log ? y_from*(y_to/y_from)**share(i) : y_from+share(i)*(y_to-y_from)
look(kind, i) = \
  kind eq 'own' ? sprintf("with lines linecolor rgb '%s' dashtype (14,7) linewidth 1.2", colour(i)) : \
  kind eq 'reference' ? sprintf("with lines linetype %d linecolor rgb '%s' dashtype %s linewidth 1.2", 2*lines+i, i%2 == 1 ? '#000000' : '#606060', word('2 4 3 5', 1+(i-1)%4)) : \
  kind eq 'cross' ? sprintf("with points pointtype %d pointsize 0.9 linewidth 1.4 linecolor rgb '%s'", letters ? 24 : 2, colour(i)) : \
  kind eq 'ring' ? "with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040'" : sprintf('with %s %s', points, line_look(kind, i))

# --- What is drawn of a line: references below all; intervals; points; rings around what is flagged, crosses where a run did not end ok ---
# In print an interval is a line with caps: gnuplot's own bars (5.4) have a white box below the point, which hides short ones.
passes = 3
refers(kind) = kind eq 'own' || kind eq 'reference'
interval = letters ? '1:(y($3)):(limited($4)):(limited($5)) with yerrorbars %s pointsize 0 notitle, ' \
  : '1:($5 < y_from && !y_zero ? NaN : limited($4)):(0):(limited($5)-limited($4)) with vectors heads size screen 0.004,90 %s linewidth 0.8 dashtype 1 notitle, '
item(pass, i, kind, s) = \
  pass == (refers(kind) ? 1 : 2) ? of(i).'1:(y($3)) '.look(kind, s).' notitle, ' : refers(kind) ? '' : \
  pass == 1 ? of(i).sprintf(interval, letters ? sprintf('linetype %d', number_of(kind, s)) : sprintf("linecolor rgb '%s'", colour(s))) : \
  (letters ? '' : of(i).'1:($6 > 0 ? y($3) : NaN) '.look('ring', 0).' notitle, '). \
  (kind eq 'second' ? '' : of(i).sprintf("1:(stringcolumn(3) eq 'nan' ? above(%d)/y_unit : NaN) %s notitle, ", s, look('cross', s)))
