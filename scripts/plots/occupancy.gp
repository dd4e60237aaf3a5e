# SPDX-License-Identifier: GPL-2.0-only
# What the RNIC holds over time, stacked by cause, from the top down. Columns: time, the octets up to and with the cause.

# --- The stack, each layer to the ground; then the outline of what counts as reassembly ---
# Of many steps what lasts less than a dot is drawn as a line too, or it would be fainter the shorter it is. Letters are not filled: each
# column has an impulse. No two causes that come together in a run have the same grey; their order is that of `explain causes`.
hue(i) = word('#0072B2 #E69F00 #56B4E9 #CC79A7 #BBBBBB', max(i, 1)) # gnuplot asks for 0 where it repeats nothing
look(kind, i) = kind eq 'outline' ? "with lines linewidth 0.6 linecolor rgb '#000000'" : \
  letters ? sprintf('with impulses linetype %d', i) : sprintf("with boxes fillstyle solid 1 linecolor rgb '%s'", hue(i))
if (peak > 0) {
  set arrow 1 from graph 0,first peak/y_unit to graph 1,first peak/y_unit nohead dashtype 2 linewidth 0.8 linecolor rgb '#404040'
  set label 4 peak_text at graph 0.995,first peak/y_unit right offset 0,0.6
  if (letters) { # the line would hide it
    set label 4 peak_text at graph 0.995,graph 0.93 right
  }
} else {
  set label 4 peak_text at graph 0.5,graph 0.5 center
}
passes = outlined ? 1 : 2
item(pass, i, kind, s) = of(i).'1:($2/y_unit) '.(letters || kind eq 'outline' ? look(kind, s) : \
  pass == 1 ? sprintf("with filledcurves y1=0 fillstyle solid 1 noborder linecolor rgb '%s'", hue(s)) : \
  sprintf("with lines linewidth 0.6 linecolor rgb '%s'", hue(s))).' notitle, '
