# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 1004,1557 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'cut-size-cuts.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Placed directly by the size of a'."\n".'middlebox’s cuts, with one piece in a'."\n".'hundred lost' at screen 0.5,0.9703 center font 'DejaVu Sans Bold,29'
set label 2 'scenario cut-size · seeds 1–8 · iwarpsim 0.1.0 (git'."\n".'7d6b6591d707) · 336 runs, mean of 8 each with 95 %'."\n".'interval · workload.messages moves with'."\n".'workload.message_size · ringed: 336 with timeouts,'."\n".'spurious or lost retransmissions · dashed black:'."\n".'probability that a piece of S octets, cut at a random…' at screen 0.5,0.8715 center font 'DejaVu Sans,22' textcolor rgb '#404040'
set style line 1 linecolor rgb '#0072B2' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.6
set style line 2 linecolor rgb '#D55E00' dashtype 2 linewidth 1.4 pointtype 5 pointsize 0.6
set style line 3 linecolor rgb '#009E73' dashtype 4 linewidth 1.4 pointtype 9 pointsize 0.6
set style line 7 linecolor rgb '#000000' dashtype 2 linewidth 1.2
unset key
set multiplot
set xrange [1.683944:3.286588]
set xtics norotate ('64' 1.806180, '128' 2.107210, '' 2.283301, '256' 2.408240, '' 2.505150, '' 2.584331, '448' 2.651278, '' 2.711807, '' 2.760422, '700' 2.845098, '' 2.954243, '' 3.041393, '1300' 3.113943, '' 3.164353)
set xlabel 'middlebox.chunk (octets)'
set lmargin at screen 0.2582
set rmargin at screen 0.9570
set tmargin at screen 0.7031
set bmargin at screen 0.3306
drawn(v) = (v > 0 || v != v ? v : 0) / 1 # what is less has no place on this axis
unset logscale y
set yrange [0:1.05]
set ytics autofreq
set format y '%g'
set title '' offset 0,-0.4
set ylabel 'fraction placed directly' offset -0.5,0
plot 'cut-size-cuts.dat' index 3 using 1:(drawn($3)) with lines linestyle 7 notitle, \
     'cut-size-cuts.dat' index 0 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'cut-size-cuts.dat' index 1 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'cut-size-cuts.dat' index 2 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 3 linewidth 0.8 dashtype 1 notitle, \
     'cut-size-cuts.dat' index 0 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'cut-size-cuts.dat' index 1 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'cut-size-cuts.dat' index 2 using 1:(drawn($3)) with linespoints linestyle 3 notitle, \
     'cut-size-cuts.dat' index 0 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'cut-size-cuts.dat' index 1 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'cut-size-cuts.dat' index 2 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
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
set tmargin at screen 0.2201
set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5
set key maxcols 1
plot keyentry with linespoints linestyle 1 title 'messages of 32 octets', \
     keyentry with linespoints linestyle 2 title 'messages of 512 octets', \
     keyentry with linespoints linestyle 3 title 'messages of 64 KiB', \
     keyentry with lines linestyle 7 title 'whole marker in S: min(1, (S−3)/512)', \
     keyentry with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' title 'with flagged runs', \
     2 notitle
unset multiplot
