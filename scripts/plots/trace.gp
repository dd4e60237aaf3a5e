# SPDX-License-Identifier: GPL-2.0-only
# One run over time, in layers from the back to the front. Columns: from, until, and what a layer reaches from and to on y (below 0:
# nothing). Layers differ in lightness, thickness and dash too, and read without colour.

# --- Layers ---
bars(width, hue) = sprintf("with vectors nohead linewidth %g linecolor rgb '%s'", width, hue)
line(width, dash, hue) = sprintf("with steps linewidth %g dashtype %d linecolor rgb '%s'", width, dash, hue)
marks(shape, size, hue) = sprintf("with points pointtype %d pointsize %g linewidth 1 linecolor rgb '%s'", shape, size, hue)
ground(hue) = sprintf("with fillsteps fillstyle solid 1 noborder linecolor rgb '%s'", hue)
again = marks(9, 0.6, '#D55E00') # a bar alone would hardly be seen
drawn(kind) = kind eq 'recovery' ? ground('#e4e4e4') : kind eq 'loss' ? ground('#c4c4c4') : \
  kind eq 'hole' ? "with boxxyerror fillstyle solid 1 border linecolor rgb '#a8a8a8' linewidth 0.6 fillcolor rgb '#d8d8d8'" : \
  kind eq 'time_out' ? bars(0.8, '#000000').' dashtype 3' : kind eq 'sack' ? bars(0.8, '#CC79A7') : \
  kind eq 'arrived' ? bars(2.2, '#E69F00') : kind eq 'sent' ? bars(1.6, '#000000') : kind eq 'again' ? bars(3, '#D55E00') : \
  kind eq 'una' ? line(1.2, 1, '#009E73') : kind eq 'edge' ? line(1, 2, '#0072B2') : kind eq 'waiting' ? line(1, 1, '#0072B2') : \
  kind eq 'threshold' ? line(1.2, 2, '#D55E00') : kind eq 'cwnd' ? line(1.6, 1, '#000000') : \
  kind eq 'in_flight' ? line(0.8, 1, '#0072B2') : kind eq 'marked' ? marks(6, 0.7, '#E69F00') : marks(2, 0.9, '#D55E00')
form(kind) = word(drawn(kind), 2)
lettered(kind, i) = sprintf('with %s linetype %d pointtype %d', form(kind) eq 'steps' ? 'steps' : 'points', i, i)
look(kind, i) = letters ? lettered(kind, i) : kind eq 'again' ? again : drawn(kind)
y_of(form) = form eq 'steps' ? '($3 < 0 ? NaN : $3/y_unit)' : form eq 'fillsteps' ? '($3 > 0 ? y_to/y_unit : '.(letters ? 'NaN)' : '0)') : \
  form eq 'points' || letters ? '(($3+$4)/2/y_unit)' : \
  form eq 'boxxyerror' ? '($3/y_unit):($1/x_unit):($2/x_unit):($3/y_unit):($4/y_unit)' : '($3/y_unit):(0):(($4-$3)/y_unit)'
set clip two
passes = 1
one(i, kind, look) = of(i).'($1/x_unit):'.(kind eq 'time_out' && !letters ? '(y_from/y_unit):(0):((y_to-y_from)/y_unit)' : y_of(word(look, 2))).' '.look.' notitle, '
item(pass, i, kind, s) = one(i, kind, letters ? lettered(kind, s) : drawn(kind)).(kind eq 'again' ? one(i, kind, look(kind, s)) : '')
