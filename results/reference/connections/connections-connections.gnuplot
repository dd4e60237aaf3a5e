# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 2102,1595 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'connections-connections.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Reassembly memory by connections at 1 Gbit/s, aligned and not, against the'."\n".'formulas' at screen 0.5,0.9711 center font 'DejaVu Sans Bold,29'
set label 2 'scenario connections · seed 1 · iwarpsim 0.1.0 (git 7d6b6591d707) · 36 runs · workload.messages moves with'."\n".'workload.connections' at screen 0.5,0.9067 center font 'DejaVu Sans,22' textcolor rgb '#404040'
set style line 1 linecolor rgb '#0072B2' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.55
set style line 5 linecolor rgb '#0072B2' dashtype 2 linewidth 1.0 pointtype 6 pointsize 0.55
set style line 2 linecolor rgb '#D55E00' dashtype 1 linewidth 1.4 pointtype 5 pointsize 0.55
set style line 6 linecolor rgb '#D55E00' dashtype 2 linewidth 1.0 pointtype 4 pointsize 0.55
set style line 3 linecolor rgb '#009E73' dashtype 1 linewidth 1.4 pointtype 9 pointsize 0.55
set style line 7 linecolor rgb '#009E73' dashtype 2 linewidth 1.0 pointtype 8 pointsize 0.55
set style line 4 linecolor rgb '#CC79A7' dashtype 1 linewidth 1.4 pointtype 11 pointsize 0.55
set style line 8 linecolor rgb '#CC79A7' dashtype 2 linewidth 1.0 pointtype 10 pointsize 0.55
set style line 9 linecolor rgb '#000000' dashtype 2 linewidth 1.2
set style line 10 linecolor rgb '#606060' dashtype 4 linewidth 1.2
set style line 11 linecolor rgb '#000000' dashtype 3 linewidth 1.2
unset key
set multiplot
set xrange [-0.360000:4.360000]
set xtics norotate ('1' 0.000000, '3' 0.477121, '10' 1.000000, '30' 1.477121, '100' 2.000000, '300' 2.477121, '1000' 3.000000, '3000' 3.477121, '10000' 4.000000)
set xlabel 'connections'
set lmargin at screen 0.1233
set rmargin at screen 0.9794
set tmargin at screen 0.8456
set bmargin at screen 0.4820
drawn(v) = (v > 256 || v != v ? v : 256) / 1 # what is less has no place on this axis
set logscale y 2
set yrange [256:19501950]
set ytics ('0' 256, '512' 512, '4 KiB' 4096, '32 KiB' 32768, '256 KiB' 262144, '2 MiB' 2097152, '16 MiB' 16777216)
set title '' offset 0,-0.4
set ylabel 'peak occupancy (octets)' offset 1,0
plot 'connections-connections.dat' index 8 using 1:(drawn($3)) with lines linestyle 9 notitle, \
     'connections-connections.dat' index 9 using 1:(drawn($3)) with lines linestyle 10 notitle, \
     'connections-connections.dat' index 10 using 1:(drawn($3)) with lines linestyle 11 notitle, \
     'connections-connections.dat' index 0 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'connections-connections.dat' index 1 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'connections-connections.dat' index 2 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 3 linewidth 0.8 dashtype 1 notitle, \
     'connections-connections.dat' index 3 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 4 linewidth 0.8 dashtype 1 notitle, \
     'connections-connections.dat' index 4 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 5 linewidth 0.8 dashtype 1 notitle, \
     'connections-connections.dat' index 5 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 6 linewidth 0.8 dashtype 1 notitle, \
     'connections-connections.dat' index 6 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 7 linewidth 0.8 dashtype 1 notitle, \
     'connections-connections.dat' index 7 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 8 linewidth 0.8 dashtype 1 notitle, \
     'connections-connections.dat' index 4 using 1:(drawn($3)) with linespoints linestyle 5 notitle, \
     'connections-connections.dat' index 5 using 1:(drawn($3)) with linespoints linestyle 6 notitle, \
     'connections-connections.dat' index 6 using 1:(drawn($3)) with linespoints linestyle 7 notitle, \
     'connections-connections.dat' index 7 using 1:(drawn($3)) with linespoints linestyle 8 notitle, \
     'connections-connections.dat' index 0 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'connections-connections.dat' index 1 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'connections-connections.dat' index 2 using 1:(drawn($3)) with linespoints linestyle 3 notitle, \
     'connections-connections.dat' index 3 using 1:(drawn($3)) with linespoints linestyle 4 notitle
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
set tmargin at screen 0.3739
set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5
set key maxcols 1
plot keyentry with linespoints linestyle 1 title 'stream segmentation, workload.start_spread = 0', \
     keyentry with linespoints linestyle 2 title 'stream segmentation, workload.start_spread = 0.1s', \
     keyentry with linespoints linestyle 3 title 'aligned segmentation, workload.start_spread = 0', \
     keyentry with linespoints linestyle 4 title 'aligned segmentation, workload.start_spread = 0.1s', \
     keyentry with linespoints linecolor rgb '#606060' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.55 title 'reassembly', \
     keyentry with linespoints linecolor rgb '#606060' dashtype 2 linewidth 1.0 pointtype 6 pointsize 0.55 title 'processing', \
     keyentry with lines linestyle 9 title 'BufferSizeTCP = K·rate·delay', \
     keyentry with lines linestyle 10 title 'BufferSizeNAF = K1·EMSS·n + K2·EMSS', \
     keyentry with lines linestyle 11 title 'BufferSizeAF = K2·EMSS', \
     2 notitle
unset multiplot
