# SPDX-License-Identifier: GPL-2.0-only
# Complementary cumulative distributions, as steps. Curve number i, from 0, is index i of the data, whose columns are x and the share above
# x. Curves of one colour belong together; of one kind they have the same dash, unless that is 0. Marks, seven a curve, distinguish
# curves where colour does not show.

# --- Curves ---
do for [i=1:curves] {
  set style line i linetype i linecolor rgb colour(at(colours_of,i)) dashtype dash(at(colours_of,i)) linewidth 1.4 pointtype (letters ? i : point(at(colours_of,i))) pointsize 0.6
  if (at(kinds,i) == 1) { set style line i dashtype 1 }
  if (at(kinds,i) == 2) { set style line i dashtype (10,5) linewidth 1 pointtype (letters ? i : point(at(colours_of,i))-1) }
}
marked = curves > 1
look(kind, i) = \
  kind eq 'kind' && i == 1 ? "with linespoints linecolor rgb '#606060' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.6" : \
  kind eq 'kind' ? "with linespoints linecolor rgb '#606060' dashtype (10,5) linewidth 1 pointtype 6 pointsize 0.6" : \
  sprintf('with %s linestyle %d', marked ? 'linespoints' : 'lines', i)
shown(v) = v < x_from ? NaN : v/x_unit
if (strlen(nothing) > 0) { set label 4 nothing at graph 0.5,graph 0.5 center }
p = 1
eval panel
plot for [i=1:curves] file index i-1 using (shown($1)):(limited($2)) with lines linestyle i notitle, \
     for [i=1:(marked ? curves : 0)] file index i-1 using (shown($1)):($2 > y_from ? y($2) : NaN) with linespoints linestyle i pointnumber 7 notitle
