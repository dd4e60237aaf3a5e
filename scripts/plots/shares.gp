# SPDX-License-Identifier: GPL-2.0-only
# Complementary cumulative distributions, as steps. Columns: x and the share above x. Marks, seven a curve, distinguish curves where colour
# does not show.

# --- Curves, and then their marks ---
if (strlen(nothing) > 0) { set label 4 nothing at graph 0.5,graph 0.5 center }
shown(v) = v < x_from ? NaN : v/x_unit
passes = curves > 1 ? 2 : 1
look(kind, i) = (curves > 1 ? 'with linespoints ' : 'with lines ').line_look(kind, i)
item(pass, i, kind, s) = of(i).(pass == 1 ? '(shown($1)):(limited($2)) with lines ' : '(shown($1)):($2 > y_from ? y($2) : NaN) with linespoints pointnumber 7 ') \
  .line_look(kind, s).' notitle, '
