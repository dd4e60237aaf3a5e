# SPDX-License-Identifier: GPL-2.0-only
# What the RNIC holds over time, stacked by cause. Columns: time, the octets up to and with each of the causes, from the ground up, and
# last those that count as reassembly.

# --- The stack, each layer to the ground, from the top down; then the outline of what counts as reassembly ---
# What lasts less than a dot is drawn as a line too, or it would be fainter the shorter it is. Letters are not filled: each column has an impulse.
# No two causes that come together in a run have the same grey; their order is that of `explain causes`.
number(i) = i > 0 ? int(cause[i]) : 1 # gnuplot asks where it repeats nothing
hue(i) = i > 0 ? word('#0072B2 #E69F00 #56B4E9 #CC79A7 #BBBBBB', number(i)) : '#000000'
look(kind, i) = kind eq 'outline' ? "with lines linewidth 0.6 linecolor rgb '#000000'" : \
  letters ? sprintf('with impulses linetype %d', number(i)) : sprintf("with boxes fillstyle solid 1 linecolor rgb '%s'", hue(i))
if (peak > 0) {
  set arrow 1 from graph 0,first peak/y_unit to graph 1,first peak/y_unit nohead dashtype 2 linewidth 0.8 linecolor rgb '#404040'
  set label 4 peak_text at graph 0.995,first peak/y_unit right offset 0,0.6
  if (letters) { # the line would hide it
    set label 4 peak_text at graph 0.995,graph 0.93 right
  }
} else {
  set label 4 peak_text at graph 0.5,graph 0.5 center
}
p = 1
eval panel
plot for [i=1:(letters ? causes : 0)] file using 1:(column(causes+2-i)/y_unit) with impulses linetype number(causes+1-i) notitle, \
     for [i=1:(letters ? 0 : causes)] file using 1:(column(causes+2-i)/y_unit) with filledcurves y1=0 fillstyle solid 1 noborder linecolor rgb hue(causes+1-i) notitle, \
     for [i=1:(letters || outlined ? 0 : causes)] file using 1:(column(causes+2-i)/y_unit) with lines linewidth 0.6 linecolor rgb hue(causes+1-i) notitle, \
     for [i=1:(outlined && !letters ? 1 : 0)] file using 1:(column(causes+2)/y_unit) with lines linewidth 0.6 linecolor rgb '#000000' notitle, \
     NaN notitle
