# SPDX-License-Identifier: GPL-2.0-only
# One run over time, in layers from the back to the front. Layer number i, from 0, is index i of the data: from, until, and what it
# reaches from and to on y (below 0: nothing). Layers differ in lightness, thickness and dash too, and read without colour.

# --- Layers ---
bars(width, hue) = sprintf("with vectors nohead linewidth %g linecolor rgb '%s'", width, hue)
line(width, dash, hue) = sprintf("with steps linewidth %g dashtype %d linecolor rgb '%s'", width, dash, hue)
marks(shape, size, hue) = sprintf("with points pointtype %d pointsize %g linewidth 1 linecolor rgb '%s'", shape, size, hue)
filled(hue) = sprintf("with boxxyerror fillstyle solid 1 noborder linecolor rgb '%s'", hue)
again = marks(9, 0.6, '#D55E00') # a bar alone would hardly be seen
printed(kind) = \
  kind eq 'hole' ? "with boxxyerror fillstyle solid 1 border linecolor rgb '#a8a8a8' linewidth 0.6 fillcolor rgb '#d8d8d8'" : kind eq 'recovery' ? filled('#e4e4e4') : kind eq 'loss' ? filled('#c4c4c4') : \
  kind eq 'time_out' ? bars(0.8, '#000000').' dashtype 3' : \
  kind eq 'sack' ? bars(0.8, '#CC79A7') : kind eq 'arrived' ? bars(1.6, '#56B4E9') : \
  kind eq 'sent' ? bars(1.6, '#000000') : kind eq 'again' ? bars(3, '#D55E00') : \
  kind eq 'waiting' ? line(1, 1, '#0072B2') : \
  kind eq 'acknowledged' ? line(1.2, 1, '#009E73') : kind eq 'edge' ? line(1, 2, '#0072B2') : \
  kind eq 'threshold' ? line(1.2, 2, '#D55E00') : kind eq 'congestion' ? line(1.6, 1, '#000000') : \
  kind eq 'in_flight' ? line(0.8, 1, '#0072B2') : \
  kind eq 'marked' ? marks(6, 0.7, '#E69F00') : marks(2, 0.9, '#D55E00')
form(kind) = strstrt(' edge acknowledged threshold congestion in_flight waiting ', ' '.kind.' ') > 0 ? 'line' : \
  strstrt(' lost marked ', ' '.kind.' ') > 0 || letters ? 'points' : \
  strstrt(' hole recovery loss time_out ', ' '.kind.' ') > 0 ? kind : 'bars'
drawn(kind, i) = letters ? sprintf('with %s linetype %d pointtype %d', form(kind) eq 'line' ? 'steps' : 'points', i, i) : printed(kind)
look(kind, i) = kind eq 'again' && !letters ? again : drawn(kind, i)
x1 = '($1/x_unit)'
x2 = '($2/x_unit)'
columns_of(form) = form eq 'line' ? x1.':($3 < 0 ? NaN : $3)' : form eq 'points' ? x1.':(($3+$4)/2)' : form eq 'bars' ? x1.':3:(0):($4-$3)' : \
  form eq 'time_out' ? x1.':(y_from):(0):(y_to-y_from)' : x1.':3:'.x1.':'.x2.':'.(form eq 'hole' ? '3:4' : '(y_from):(y_to)')

p = 1
eval panel
set clip two
command = 'plot '
do for [i=1:layers] {
  kind = word(layer[i], 1)
  command = command.sprintf('file index %d using %s %s notitle, ', i-1, columns_of(form(kind)), drawn(kind, i))
  if (kind eq 'again' && !letters) {
    command = command.sprintf('file index %d using %s %s notitle, ', i-1, columns_of('points'), again)
  }
}
eval command.'NaN notitle'
