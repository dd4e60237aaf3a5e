# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 2102,1961 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'four-receivers-peak.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Four receivers: reassembly memory by MTU and loss' at screen 0.5,0.9765 center font 'DejaVu Sans Bold,29'
set label 2 'scenario four-receivers · seeds 1–8 · iwarpsim 0.1.0 (git 7d6b6591d707) · 384 runs, mean of 8 each with 95 %'."\n".'interval · ringed: 68 with timeouts or lost retransmissions' at screen 0.5,0.9503 center font 'DejaVu Sans,22' textcolor rgb '#404040'
set style line 1 linecolor rgb '#0072B2' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.55
set style line 4 linecolor rgb '#0072B2' dashtype 2 linewidth 1.0 pointtype 6 pointsize 0.55
set style line 2 linecolor rgb '#D55E00' dashtype 1 linewidth 1.4 pointtype 5 pointsize 0.55
set style line 5 linecolor rgb '#D55E00' dashtype 2 linewidth 1.0 pointtype 4 pointsize 0.55
set style line 3 linecolor rgb '#009E73' dashtype 1 linewidth 1.4 pointtype 9 pointsize 0.55
set style line 6 linecolor rgb '#009E73' dashtype 2 linewidth 1.0 pointtype 8 pointsize 0.55
unset key
set multiplot
set xrange [-3.812406:-1.850352]
set xtics norotate ('0' -3.662758, '0.1%%' -3.000000, '0.3%%' -2.522879, '1%%' -2.000000)
set label 11 '//' at first -3.331379, graph 0 center front
set xlabel 'loss of segments (path.forward.loss)'
set lmargin at screen 0.1233
set rmargin at screen 0.5392
set tmargin at screen 0.8729
set bmargin at screen 0.5874
drawn(v) = (v > 256 || v != v ? v : 256) / 1 # what is less has no place on this axis
set logscale y 2
set yrange [256:194942.8]
set ytics ('256' 256, '1 KiB' 1024, '4 KiB' 4096, '16 KiB' 16384, '64 KiB' 65536)
set title 'in-order receiver, no markers' offset 0,-0.4
set ylabel 'reassembly occupancy (octets)' offset 1,0
plot 'four-receivers-peak.dat' index 0 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 1 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 2 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 3 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 12 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 4 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 13 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 5 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 14 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 6 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 12 using 1:(drawn($3)) with linespoints linestyle 4 notitle, \
     'four-receivers-peak.dat' index 13 using 1:(drawn($3)) with linespoints linestyle 5 notitle, \
     'four-receivers-peak.dat' index 14 using 1:(drawn($3)) with linespoints linestyle 6 notitle, \
     'four-receivers-peak.dat' index 0 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'four-receivers-peak.dat' index 1 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'four-receivers-peak.dat' index 2 using 1:(drawn($3)) with linespoints linestyle 3 notitle, \
     'four-receivers-peak.dat' index 0 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 1 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 2 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 12 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 13 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 14 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
unset label 1
unset label 2
unset label 3
set lmargin at screen 0.5636
set rmargin at screen 0.9794
set tmargin at screen 0.8729
set bmargin at screen 0.5874
drawn(v) = (v > 256 || v != v ? v : 256) / 1 # what is less has no place on this axis
set logscale y 2
set yrange [256:194942.8]
set ytics ('' 256, '' 1024, '' 4096, '' 16384, '' 65536)
set title 'out-of-order receiver, no markers' offset 0,-0.4
set ylabel '' offset 1,0
plot 'four-receivers-peak.dat' index 3 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 4 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 5 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 3 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 15 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 4 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 16 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 5 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 17 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 6 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 15 using 1:(drawn($3)) with linespoints linestyle 4 notitle, \
     'four-receivers-peak.dat' index 16 using 1:(drawn($3)) with linespoints linestyle 5 notitle, \
     'four-receivers-peak.dat' index 17 using 1:(drawn($3)) with linespoints linestyle 6 notitle, \
     'four-receivers-peak.dat' index 3 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'four-receivers-peak.dat' index 4 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'four-receivers-peak.dat' index 5 using 1:(drawn($3)) with linespoints linestyle 3 notitle, \
     'four-receivers-peak.dat' index 3 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 4 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 5 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 15 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 16 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 17 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
set lmargin at screen 0.1233
set rmargin at screen 0.5392
set tmargin at screen 0.4510
set bmargin at screen 0.1655
drawn(v) = (v > 256 || v != v ? v : 256) / 1 # what is less has no place on this axis
set logscale y 2
set yrange [256:194942.8]
set ytics ('256' 256, '1 KiB' 1024, '4 KiB' 4096, '16 KiB' 16384, '64 KiB' 65536)
set title 'out-of-order receiver, markers' offset 0,-0.4
set ylabel 'reassembly occupancy (octets)' offset 1,0
plot 'four-receivers-peak.dat' index 6 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 7 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 8 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 3 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 18 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 4 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 19 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 5 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 20 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 6 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 18 using 1:(drawn($3)) with linespoints linestyle 4 notitle, \
     'four-receivers-peak.dat' index 19 using 1:(drawn($3)) with linespoints linestyle 5 notitle, \
     'four-receivers-peak.dat' index 20 using 1:(drawn($3)) with linespoints linestyle 6 notitle, \
     'four-receivers-peak.dat' index 6 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'four-receivers-peak.dat' index 7 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'four-receivers-peak.dat' index 8 using 1:(drawn($3)) with linespoints linestyle 3 notitle, \
     'four-receivers-peak.dat' index 6 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 7 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 8 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 18 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 19 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 20 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
set lmargin at screen 0.5636
set rmargin at screen 0.9794
set tmargin at screen 0.4510
set bmargin at screen 0.1655
drawn(v) = (v > 256 || v != v ? v : 256) / 1 # what is less has no place on this axis
set logscale y 2
set yrange [256:194942.8]
set ytics ('' 256, '' 1024, '' 4096, '' 16384, '' 65536)
set title 'assume-aligned receiver, no markers' offset 0,-0.4
set ylabel '' offset 1,0
plot 'four-receivers-peak.dat' index 9 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 10 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 11 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 3 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 21 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 4 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 22 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 5 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 23 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 6 linewidth 0.8 dashtype 1 notitle, \
     'four-receivers-peak.dat' index 21 using 1:(drawn($3)) with linespoints linestyle 4 notitle, \
     'four-receivers-peak.dat' index 22 using 1:(drawn($3)) with linespoints linestyle 5 notitle, \
     'four-receivers-peak.dat' index 23 using 1:(drawn($3)) with linespoints linestyle 6 notitle, \
     'four-receivers-peak.dat' index 9 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'four-receivers-peak.dat' index 10 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'four-receivers-peak.dat' index 11 using 1:(drawn($3)) with linespoints linestyle 3 notitle, \
     'four-receivers-peak.dat' index 9 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 10 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 11 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 21 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 22 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'four-receivers-peak.dat' index 23 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
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
set tmargin at screen 0.0777
set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5
set key maxcols 3
plot keyentry with linespoints linestyle 1 title 'MTU 576 octets', \
     keyentry with linespoints linestyle 2 title 'MTU 1500 octets', \
     keyentry with linespoints linestyle 3 title 'MTU 9000 octets', \
     keyentry with linespoints linecolor rgb '#606060' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.55 title 'peak', \
     keyentry with linespoints linecolor rgb '#606060' dashtype 2 linewidth 1.0 pointtype 6 pointsize 0.55 title 'p99 of the time', \
     keyentry with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' title 'with flagged runs', \
     2 notitle
unset multiplot
