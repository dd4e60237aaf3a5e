# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 1004,1278 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'overhead-efficiency_wire.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Wire efficiency by MTU, with and'."\n".'without markers and CRC' at screen 0.5,0.9639 center font 'DejaVu Sans Bold,29'
set label 2 'scenario overhead · seed 1 · iwarpsim 0.1.0 (git'."\n".'7d6b6591d707) · 20 runs' at screen 0.5,0.8836 center font 'DejaVu Sans,22' textcolor rgb '#404040'
set style line 1 linecolor rgb '#0072B2' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.6
set style line 2 linecolor rgb '#D55E00' dashtype 2 linewidth 1.4 pointtype 5 pointsize 0.6
set style line 3 linecolor rgb '#009E73' dashtype 4 linewidth 1.4 pointtype 9 pointsize 0.6
set style line 4 linecolor rgb '#CC79A7' dashtype 3 linewidth 1.4 pointtype 13 pointsize 0.6
unset key
set multiplot
set xrange [2.652979:4.061686]
set xtics norotate ('576' 2.760422, '1280' 3.107210, '' 3.176091, '4 KiB' 3.612360, '9000' 3.954243)
set xlabel 'MTU (octets)'
set lmargin at screen 0.2582
set rmargin at screen 0.9570
set tmargin at screen 0.8074
set bmargin at screen 0.3535
drawn(v) = (v > 0 || v != v ? v : 0) / 1 # what is less has no place on this axis
unset logscale y
set yrange [0:1.048506307]
set ytics autofreq
set format y '%g'
set title '' offset 0,-0.4
set ylabel 'efficiency_wire' offset -0.5,0
plot 'overhead-efficiency_wire.dat' index 0 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'overhead-efficiency_wire.dat' index 1 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'overhead-efficiency_wire.dat' index 2 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 3 linewidth 0.8 dashtype 1 notitle, \
     'overhead-efficiency_wire.dat' index 3 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 4 linewidth 0.8 dashtype 1 notitle, \
     'overhead-efficiency_wire.dat' index 0 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'overhead-efficiency_wire.dat' index 1 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'overhead-efficiency_wire.dat' index 2 using 1:(drawn($3)) with linespoints linestyle 3 notitle, \
     'overhead-efficiency_wire.dat' index 3 using 1:(drawn($3)) with linespoints linestyle 4 notitle
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
set tmargin at screen 0.2185
set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5
set key maxcols 1
plot keyentry with linespoints linestyle 1 title 'markers, CRC', \
     keyentry with linespoints linestyle 2 title 'markers, no CRC', \
     keyentry with linespoints linestyle 3 title 'no markers, CRC', \
     keyentry with linespoints linestyle 4 title 'no markers, no CRC', \
     2 notitle
unset multiplot
