# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 1004,1319 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'memory-goodput-memory.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Goodput by reassembly memory, with'."\n".'one segment in a thousand lost' at screen 0.5,0.9650 center font 'DejaVu Sans Bold,29'
set label 2 'scenario memory-goodput · seeds 1–8 · iwarpsim 0.1.0'."\n".'(git 7d6b6591d707) · 144 runs, mean of 8 each with'."\n".'95 % interval · ringed: 10 with lost retransmissions' at screen 0.5,0.8872 center font 'DejaVu Sans,22' textcolor rgb '#404040'
set style line 1 linecolor rgb '#0072B2' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.6
set style line 2 linecolor rgb '#D55E00' dashtype 2 linewidth 1.4 pointtype 5 pointsize 0.6
unset key
set multiplot
set xrange [2.948513:6.033468]
set xtics norotate ('1500' 3.176091, '' 3.477121, '6000' 3.778151, '' 4.079181, '24000' 4.380211, '' 4.681241, '96000' 4.982271, '' 5.283301, 'unlimited' 5.704743)
set label 12 '//' at first 5.494022, graph 0 center front
set xlabel 'reassembly memory (octets)'
set lmargin at screen 0.2582
set rmargin at screen 0.9570
set tmargin at screen 0.7823
set bmargin at screen 0.3425
drawn(v) = (v > 0 || v != v ? v : 0) / 1000000000 # what is less has no place on this axis
unset logscale y
set yrange [0:9.015892477]
set ytics autofreq
set format y '%g'
set title '' offset 0,-0.4
set ylabel 'goodput (Gbit/s)' offset -0.5,0
plot 'memory-goodput-memory.dat' index 2 using 1:(drawn($3)) with lines linecolor rgb '#0072B2' dashtype 3 linewidth 1 notitle, \
     'memory-goodput-memory.dat' index 3 using 1:(drawn($3)) with lines linecolor rgb '#D55E00' dashtype 3 linewidth 1 notitle, \
     'memory-goodput-memory.dat' index 0 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'memory-goodput-memory.dat' index 1 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'memory-goodput-memory.dat' index 0 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'memory-goodput-memory.dat' index 1 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'memory-goodput-memory.dat' index 0 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'memory-goodput-memory.dat' index 1 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
unset label 1
unset label 2
unset label 3
unset border
unset tics
unset grid
unset xlabel
unset ylabel
unset title
unset label
unset arrow
unset logscale y
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.02
set rmargin at screen 0.98
set bmargin at screen 0.005
set tmargin at screen 0.2117
set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5
set key maxcols 1
plot keyentry with linespoints linestyle 1 title 'in-order receiver', \
     keyentry with linespoints linestyle 2 title 'out-of-order receiver', \
     keyentry with lines linecolor rgb '#606060' dashtype 3 linewidth 1 title 'the same with unlimited memory', \
     keyentry with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' title 'with flagged runs', \
     2 notitle
unset multiplot
