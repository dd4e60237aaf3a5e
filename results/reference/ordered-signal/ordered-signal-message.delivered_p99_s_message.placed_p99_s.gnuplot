# Draws the picture of the same name beside it: gnuplot FILE, in its folder.
# What was measured comes first, then the templates that draw it. Changed, it is not drawn over.
# SHA-256 of the rest: 3553e182dee626ac0551d976511fad11249e8589bc743c25535efda3ce7c592d
stem = 'ordered-signal-message.delivered_p99_s_message.placed_p99_s'
format = 'svg'
width = 2362
height = 0
font = 27
colour_box = 0
panel_letters = 0
print_height = 0
x_numeric = 1
title_text = 'p99 until delivery, as a share of that until placement'
subtitle_text = 'Placed and delivered: the cost of an ordered signal · scenario ordered-signal · seeds 1–8 · iwarpsim 0.2.0 (git e607555ebd15) · 48 runs, mean of 8 each with 95 % interval · mpa.markers moves with receiver.mode · ringed: 14 with timeouts, spurious or lost retransmissions'
panel_titles = 1
array panel_title[1] = ['']
panels = 1
x_from = -0.00027
x_to = 0.00327
x_unit = 1
x_log = 0
x_zero = 0
x_smallest = 0
x_name = 'path'
x_format = '%.8g'
x_tics = 3
array x_tic[3] = [0, 0.001, 0.003]
x_labels = 3
array x_label[3] = ['nothing lost or late', '0.1 %% lost', '0.3 %% lost']
x_gaps = 0
array x_gap[1]
y_from = 0
y_to = 1.331426706
y_unit = 0.01
y_log = 0
y_zero = 0
y_smallest = 1
y_name = 'time to delivery, p99 s / time to placement, p99 (%)'
y_format = '%.8g'
y_tics = 0
array y_tic[1]
y_labels = 0
array y_label[1]
y_gaps = 0
array y_gap[1]
legend_texts = 3
array legend_text[3] = ['in order, no markers', 'markers, not aligned, markers', 'flagged']
legend_looks = 3
array legend_look[3] = ['only 1', 'only 2', 'ring 0']
curves = 2
array curve[2] = ['1 only 1', '1 only 2']
lines = 2

# --- The terminal ---
set encoding utf8
letters = format eq 'term' # each letter counts as 10 x 25 dots: what is laid out for print falls on whole ones
svg = format eq 'svg'
# Letters of one size in every format: png has dots of 3/4 points, svg counts pixels, 96 an inch, pdf dots of 3/4 points, as many.
points(part) = sprintf('%.4g', font*part*(svg ? 0.32*4/3 : format eq 'pdf' ? 0.24 : 1))
plain = 'DejaVu Sans,'
bold = 'DejaVu Sans Bold,'
file = stem.'.dat'

# --- Texts in lines of at most n letters, broken at blanks ---
max(a, b) = a > b ? a : b
min(a, b) = a < b ? a : b
blank(s, n, tries) = n < 1 || tries < 1 ? 0 : s[n:n] eq ' ' ? n : blank(s, n-1, tries-1)
broken(s, n, rows) = (made = made+1, strlen(s) <= n ? s : made >= rows ? s[1:n-1].'…' : (at_blank = blank(s, n+1, 60), \
  at_blank > 1 ? s[1:at_blank-1]."\n".broken(s[at_blank+1:strlen(s)], n, rows) : s[1:n]."\n".broken(s[n+1:strlen(s)], n, rows)))
wrap(s, n, rows) = (made = 0, broken(s, int(max(n, 2)), rows))
lines_of(s) = strlen(s) == 0 ? 0 : strstrt(s, "\n") == 0 ? 1 : 1+lines_of(s[strstrt(s, "\n")+1:strlen(s)])
at(list, i) = i > words(list) ? 0 : int(word(list, i)) # gnuplot asks for i = 1 where it repeats nothing

# --- The page, in dots from the left and from the top: heading, panels, legend ---
letter = 0.78*font # the width of one, and the height of a line
line = font*(svg ? 2.2 : 1.9)
given_height = letters ? 0 : height
longest_entry = 0
do for [i=1:legend_texts] { longest_entry = max(longest_entry, strlen(legend_text[i])) }
longest_x = 0
do for [i=1:x_tics] { longest_x = max(longest_x, strlen(x_label[i])) }
longest_y = 6 # of gnuplot's own labels
do for [i=1:y_tics] { longest_y = max(longest_y, strlen(y_label[i])) }
half_label = x_log && x_tics == 0 ? 1.2 : 0 # gnuplot's own labels (100 ms) may stand at the ends of an axis
right = font*(colour_box ? 10.2 : 1.6+half_label)
entry_width(part) = (longest_entry+10)*0.86*font*part # as gnuplot reckons, with sample and gaps
if (width == 0) { # a column of a paper, 85 mm, or both, 178 mm, for several panels and what else needs more
  width = panels == 1 && max(panel_letters, 16)*letter <= 1004-longest_y*letter-4.1*font-right && entry_width(1) <= 1004*0.97 ? 1004 : 2102
}
title_lines = wrap(title_text, letters ? width/10-2 : width/font, 5)
subtitle_lines = wrap(subtitle_text, letters ? width/10-2 : width*16/(font*11), given_height > 0 ? 3 : 6)
title_at = line*0.9
subtitle_at = title_at+line*lines_of(title_lines)
heading_end = subtitle_at+line*(letters ? 1 : 0.8)*lines_of(subtitle_lines)
legend_part = 0.0
do for [part in '1 0.7'] { # smaller letters where a page of this height would be a legend with a plot above it
  if (legend_part == 0 || (given_height > 0 && legend_height > 0.15*given_height)) {
    legend_part = part+0.0
    legend_columns = int(max(1, min(width*0.97/entry_width(legend_part), 6)))
    legend_rows = min((legend_texts+legend_columns-1)/legend_columns, letters ? max(int(height/3.0/line), 1) : 40)
    legend_height = legend_rows == 0 ? 0 : letters ? 25*(legend_rows+1) : (legend_rows+0.4)*font*legend_part*(svg ? 2.35 : 1.85)
  }
}

# --- Panels: as many side by side as leave each the letters that it needs, or fewer letters where rows have no room ---
x_scaled(v) = x_log ? log(v) : v
x_part(v) = (x_scaled(v)-x_scaled(x_from))/(x_scaled(x_to)-x_scaled(x_from))
gap = font*(1.9+half_label)
fits = 0
do for [need in sprintf('%d 16 8 0', max(panel_letters, 16))] {
  do for [c=(panels == 4 ? 2 : min(panels, 3)):1:-1] {
    if (!fits) {
      columns = c
      rows = (panels+columns-1)/columns
      y_lines = wrap(y_name, letters ? width/10-2 : given_height > 0 ? 0.5*given_height/letter : (rows*560+3*font)/letter, 3)
      left = longest_y*letter+font*(4.1+(letters ? 0 : 2.0*max(lines_of(y_lines)-1, 0)))
      panel_width = (width-left-right-gap*(columns-1))/columns
      room = panel_width/letter # in letters
      x_fits = 1
      do for [i=2:x_tics] {
        x_fits = x_fits && (x_part(x_tic[i])-x_part(x_tic[i-1]))*room >= (strlen(x_label[i])+strlen(x_label[i-1]))/2.0+1
      }
      tight = int(room/max(x_tics, 1))-1 # words stand in up to three lines, or else upwards
      x_broken = !x_numeric && !x_fits
      x_lines = 1
      do for [i=1:(x_broken ? x_tics : 0)] {
        do for [w=1:words(x_label[i])] { x_broken = x_broken && strlen(word(x_label[i], w)) <= tight }
        x_lines = max(x_lines, lines_of(wrap(x_label[i], tight, 9)))
      }
      x_broken = x_broken && x_lines <= 3
      x_turned = !x_numeric && !x_fits && !x_broken && !letters
      title_rows = 0
      do for [p=1:panels] { title_rows = max(title_rows, lines_of(wrap(panel_title[p], room, 5))) }
      above = font*(title_rows > 0 ? 1.1+(svg ? 1.8 : 1.5)*title_rows : 0.6)
      below = (letters ? 75 : font*(svg ? 6.4 : 5.2))+(x_turned ? longest_x*letter*0.62 : x_broken ? (x_lines-1)*(letters ? 25 : 1.7*font) : 0)
      first = heading_end+above+(letters ? line : 0)
      others = first+(rows-1)*(above+1.8*font)+below+legend_height
      usual = max(580*min(width/1004.0, 1), width*0.41)
      panel_height = height > 0 ? (height-others)/rows : print_height > 0 ? print_height : panels > 1 ? min(560, usual) : usual
      fits = (room >= need+0 && (letters || panel_height >= 4*font) && need+0 > 0) || (need+0 == 0 && c == 1)
    }
  }
}
lacking = room < 8 ? 8*letter-panel_width : letters ? 0 : rows*(4*font-panel_height)
if (lacking > 0) {
  least = lacking+(room < 8 ? width : height)
  print sprintf('--%s leaves no room for the panels; expected %s or more%s', room < 8 ? 'width' : 'height', \
    letters ? sprintf('%d letters', ceil(least/10)) : sprintf('%.1fcm', least/300*2.54+0.05), letters ? '' : ', or a smaller --font-size')
  exit status 3
}
panel_height = max(panel_height, 2*font)
height = height > 0 ? height : int(others+rows*panel_height)
y_every = max(1, int(ceil(y_tics*(letters ? 25 : 1.3*font)/panel_height))) # of rows that are less high than a label, so many have one
down(dots) = 1-1.0*dots/height # from the top of the page, as gnuplot counts: from its bottom
left_margin(p) = (left+(panel_width+gap)*((p-1)%columns))/width
right_margin(p) = left_margin(p)+1.0*panel_width/width
top_margin(p) = down(first+(panel_height+above+1.8*font)*int((p-1)/columns))
bottom_margin(p) = top_margin(p)-1.0*panel_height/height

if (format eq 'png') { set terminal pngcairo noenhanced color size width,height font plain.points(1) linewidth 2 pointscale 3.5 background rgb '#ffffff' }
if (svg) { set terminal svg noenhanced size int(0.32*width+0.5),int(0.32*height+0.5) font plain.points(1) linewidth 0.64 background rgb '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo noenhanced color size width/300.0 in,height/300.0 in fontscale 1 font plain.points(1) linewidth 1 pointscale 0.84 background rgb '#ffffff' }
if (letters && colours) { set terminal dumb ansi noenhanced size width/10,height/25 }
if (letters && !colours) { set terminal dumb mono noenhanced size width/10,height/25 }
if (!letters) {
  set output stem.'.'.format
  set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4' # among letters it would hide the lines
}
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set label 1 title_lines at screen 0.5,down(title_at) center font bold.points(1.1)
set label 2 subtitle_lines at screen 0.5,down(subtitle_at) center font plain.points(0.85) textcolor rgb '#404040'
if (letters) { # terminals write no text upwards
  set label 3 y_lines at screen 0.01,down(heading_end+0.5*line) left
} else {
  set label 3 y_lines at screen 1.5*font/width,(top_margin(1)+bottom_margin(panels))/2 center rotate by 90
}

set label 5 x_name at screen (left_margin(1)+right_margin(columns))/2,(legend_height+(letters ? 12.0 : 1.2*font))/height center
# --- Axes: places in base units are drawn in units that people read; gnuplot makes the tics but for those of a sweep's values ---
x_unit = 1.0*x_unit # between whole numbers gnuplot divides without a rest
y_unit = 1.0*y_unit
set xrange [x_from/x_unit:x_to/x_unit]
set yrange [y_from/y_unit:y_to/y_unit]
if (x_log) { set logscale x x_log }
if (y_log) { set logscale y y_log }
set format x x_format
set format y y_format
# Between few powers of its base a logarithmic axis has further tics.
further(base) = base == 2 ? '1 1.25 1.5 1.75' : '1 2 5'
between(base, a, b) = base > 0 && b < a*(base == 2 ? 8 : 100) ? 3 : -1
power(base, a, e) = base**(floor(log(a)/log(base))+e)
do for [e=0:(x_tics == 0 ? between(x_log, x_from, x_to) : -1)] {
  do for [m in further(x_log)] { tic = m*power(1.0*x_log, x_from/x_unit, e); set xtics add (gprintf(x_format, tic) tic) }
}
do for [e=0:between(y_log, y_from, y_to)] {
  do for [m in further(y_log)] { tic = m*power(1.0*y_log, y_from/y_unit, e); set ytics add (gprintf(y_format, tic) tic) }
}
# Of a sweep's values those have labels that leave a letter's room to the one before and to the last, which may be a word.
shown = '' # which, 1 or 0
taken = -1e9
do for [i=1:x_tics] {
  middle = x_part(x_tic[i])*room
  half = strlen(x_label[i])/2.0
  last_begins = x_part(x_tic[x_tics])*room-strlen(x_label[x_tics])/2.0
  fitting = x_turned || x_broken || (i == x_tics && middle+half <= room+2) || (middle-half >= taken && middle+half+1 <= last_begins)
  taken = fitting ? middle+half+1 : taken
  shown = shown.(fitting ? '1 ' : '0 ')
}
if (y_zero) { set label 9 '//' at graph 0,first sqrt(y_from/y_unit*y_smallest/y_unit) center rotate by 60 front }
y(v) = (v > 0 || !y_log ? v : y_zero ? y_from : NaN)/y_unit # a logarithmic axis may have a place for 0
limited(v) = (v > y_from || v != v ? v : y_from)/y_unit # of an interval that goes on below the axis

# --- The look: the palette of Okabe and Ito; lines differ in colour, dash and point, and read without colour too ---
colour(i) = i < 1 ? '#606060' : word('#0072B2 #D55E00 #009E73 #CC79A7 #000000 #E69F00', 1+(i-1)%6)
point(i) = int(word('7 5 9 13 11 6 4 8 12 10', 1+(max(i, 1)-1)%10))
dash(i) = int(word('1 2 4 3 5', 1+(max(i, 1)-1)%5))
# Line number i, grey where it stands for all: an only one has a dash of its own; a first and a second one have colour and shape in common.
number_of(kind, i) = kind eq 'only' ? max(i, 1) : 2*max(i, 1)-(kind eq 'first') # letters go by it
line_look(kind, i) = sprintf("linetype %d linecolor rgb '%s' linewidth %g dashtype %s pointtype %d pointsize 0.6", number_of(kind, i), colour(i), \
  kind eq 'second' ? 1.0 : 1.4, kind eq 'second' ? '(10,5)' : sprintf('%d', kind eq 'first' ? 1 : dash(i)), \
  letters ? number_of(kind, i) : kind eq 'only' ? point(i) : int(word('7 5 9 11 13 15', 1+(max(i, 1)-1)%6))-(kind eq 'second'))
of(i) = sprintf('file index %d using ', i)

# --- Panels: `eval panel` before panel number p is plotted; those of a row share the axis of y, those of a column that of x ---
panel = "if (p > 1) { unset label 1; unset label 2; unset label 3; unset label 5 };"\
  ."labelled_x = p+columns > panels; labelled_y = (p-1)%columns == 0;"\
  ."set lmargin at screen left_margin(p); set rmargin at screen right_margin(p);"\
  ."set bmargin at screen bottom_margin(p); set tmargin at screen top_margin(p);"\
  ."set title wrap(panel_title[p], room, 5) offset 0,(letters ? 0 : -0.4);"\
  ."if (!labelled_x) { set format x '' } else { set format x x_format };"\
  ."if (!labelled_y) { set format y '' } else { set format y y_format };"\
  ."if (x_tics) { set xtics () }; if (x_turned) { set xtics rotate by 45 right font plain.points(0.85) };"\
  ."do for [i=1:x_tics] { set xtics add ((labelled_x && at(shown,i) ? (x_broken ? wrap(x_label[i], tight, 3) : x_label[i]) : '') x_tic[i]) };"\
  ."do for [i=1:x_gaps] { if (x_gap[i] > x_from && x_gap[i] < x_to) { set label 10+i '//' at first x_gap[i],graph 0 center front } };"\
  ."if (y_tics) { set ytics () };"\
  ."do for [i=1:y_tics] { set ytics add ((labelled_y && (i-1)%y_every == 0 ? y_label[i] : '') y_tic[i]) };"\
  ."if (y_zero) { set ytics add ((labelled_y ? '0' : '') y_from/y_unit) }"
unset key
set multiplot

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

# --- The panels ---
do for [p=1:panels] {
  eval panel
  command = 'plot '
  do for [pass=1:passes] {
    do for [i=1:curves] {
      if (at(curve[i], 1) == p) { command = command.item(pass, i-1, word(curve[i], 2), at(curve[i], 3)) }
    }
  }
  eval command.'NaN notitle'
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
  set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5 maxcols legend_columns font plain.points(legend_part)
  entries = ''
  do for [i=1:legend_texts] { # a sample of letters ends where its text begins
    entries = entries.sprintf("keyentry %s title '%s'.legend_text[%d], ", word(legend_look[i], 1) eq 'none' ? '' : look(word(legend_look[i], 1), at(legend_look[i], 2)), letters ? ' ' : '', i)
  }
  eval 'plot '.entries.'2 notitle'
}
unset multiplot
