# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 1004,1151 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'packing-tcp.segments.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Segments by message size: FPDUs kept'."\n".'whole against a stream cut at EMSS' at screen 0.5,0.9599 center font 'DejaVu Sans Bold,29'
set label 2 'scenario packing · seed 1 · iwarpsim 0.1.0 (git'."\n".'7d6b6591d707) · 28 runs' at screen 0.5,0.8707 center font 'DejaVu Sans,22' textcolor rgb '#404040'
set style line 1 linecolor rgb '#0072B2' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.6
set style line 2 linecolor rgb '#D55E00' dashtype 2 linewidth 1.4 pointtype 5 pointsize 0.6
unset key
set multiplot
set xrange [106.380000:1543.620000]
set xtics norotate ('216' 216.000000, '' 340.000000, '460' 460.000000, '' 462.000000, '' 580.000000, '704' 704.000000, '' 706.000000, '' 800.000000, '900' 900.000000, '' 1000.000000, '1100' 1100.000000, '' 1200.000000, '' 1300.000000, '1434' 1434.000000)
set xlabel 'workload.message_size (octets)'
set lmargin at screen 0.2582
set rmargin at screen 0.9570
set tmargin at screen 0.7861
set bmargin at screen 0.2822
drawn(v) = (v > 0 || v != v ? v : 0) / 1 # what is less has no place on this axis
unset logscale y
set yrange [0:4240]
set ytics autofreq
set format y '%g'
set title '' offset 0,-0.4
set ylabel 'tcp.segments (segments)' offset -0.5,0
plot 'packing-tcp.segments.dat' index 0 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'packing-tcp.segments.dat' index 1 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'packing-tcp.segments.dat' index 0 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'packing-tcp.segments.dat' index 1 using 1:(drawn($3)) with linespoints linestyle 2 notitle
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
set tmargin at screen 0.1323
set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5
set key maxcols 1
plot keyentry with linespoints linestyle 1 title 'aligned segmentation', \
     keyentry with linespoints linestyle 2 title 'stream segmentation', \
     2 notitle
unset multiplot
