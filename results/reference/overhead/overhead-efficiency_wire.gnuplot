# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 1004,1658 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'overhead-efficiency_wire.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Wire efficiency by MTU, with and'."\n".'without markers and CRC' at screen 0.5,0.9722 center font 'DejaVu Sans Bold,29'
set label 2 'scenario overhead · seed 1 · iwarpsim 0.1.0 (git'."\n".'bc1fd048e9da) · 20 runs' at screen 0.5,0.9103 center font 'DejaVu Sans,22' textcolor rgb '#404040'
set style line 1 linecolor rgb '#0072B2' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.6
set style line 2 linecolor rgb '#D55E00' dashtype 2 linewidth 1.4 pointtype 5 pointsize 0.6
set style line 3 linecolor rgb '#009E73' dashtype 4 linewidth 1.4 pointtype 9 pointsize 0.6
set style line 4 linecolor rgb '#CC79A7' dashtype 3 linewidth 1.4 pointtype 13 pointsize 0.6
set style line 5 linecolor rgb '#000000' dashtype 5 linewidth 1.4 pointtype 11 pointsize 0.6
set style line 6 linecolor rgb '#E69F00' dashtype 1 linewidth 1.4 pointtype 6 pointsize 0.6
set style line 7 linecolor rgb '#0072B2' dashtype 2 linewidth 1.4 pointtype 4 pointsize 0.6
set style line 8 linecolor rgb '#D55E00' dashtype 4 linewidth 1.4 pointtype 8 pointsize 0.6
set style line 9 linecolor rgb '#009E73' dashtype 3 linewidth 1.4 pointtype 12 pointsize 0.6
set style line 10 linecolor rgb '#CC79A7' dashtype 5 linewidth 1.4 pointtype 10 pointsize 0.6
unset key
set multiplot
set xrange [-0.090000:1.090000]
set xtics norotate ('true' 0.000000, 'false' 1.000000)
set xlabel 'mpa.markers'
set lmargin at screen 0.2582
set rmargin at screen 0.9570
set tmargin at screen 0.8515
set bmargin at screen 0.5017
drawn(v) = (v > 0 || v != v ? v : 0) / 1 # what is less has no place on this axis
unset logscale y
set yrange [0:1.048506307]
set ytics autofreq
set format y '%g'
set title '' offset 0,-0.4
set ylabel 'efficiency_wire' offset -0.5,0
plot 'overhead-efficiency_wire.dat' index 0 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 1 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 1 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 2 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 2 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 3 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 3 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 4 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 4 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 5 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 5 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 6 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 6 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 7 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 7 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 8 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 8 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 9 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 9 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 10 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'overhead-efficiency_wire.dat' index 0 using 1:(drawn($3)) with points linestyle 1 notitle, \
     'overhead-efficiency_wire.dat' index 1 using 1:(drawn($3)) with points linestyle 2 notitle, \
     'overhead-efficiency_wire.dat' index 2 using 1:(drawn($3)) with points linestyle 3 notitle, \
     'overhead-efficiency_wire.dat' index 3 using 1:(drawn($3)) with points linestyle 4 notitle, \
     'overhead-efficiency_wire.dat' index 4 using 1:(drawn($3)) with points linestyle 5 notitle, \
     'overhead-efficiency_wire.dat' index 5 using 1:(drawn($3)) with points linestyle 6 notitle, \
     'overhead-efficiency_wire.dat' index 6 using 1:(drawn($3)) with points linestyle 7 notitle, \
     'overhead-efficiency_wire.dat' index 7 using 1:(drawn($3)) with points linestyle 8 notitle, \
     'overhead-efficiency_wire.dat' index 8 using 1:(drawn($3)) with points linestyle 9 notitle, \
     'overhead-efficiency_wire.dat' index 9 using 1:(drawn($3)) with points linestyle 10 notitle
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
set tmargin at screen 0.3980
set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5
set key maxcols 1
plot keyentry with points linestyle 1 title 'CRC, MTU 576 octets', \
     keyentry with points linestyle 2 title 'CRC, MTU 1280 octets', \
     keyentry with points linestyle 3 title 'CRC, MTU 1500 octets', \
     keyentry with points linestyle 4 title 'CRC, MTU 4096 octets', \
     keyentry with points linestyle 5 title 'CRC, MTU 9000 octets', \
     keyentry with points linestyle 6 title 'no CRC, MTU 576 octets', \
     keyentry with points linestyle 7 title 'no CRC, MTU 1280 octets', \
     keyentry with points linestyle 8 title 'no CRC, MTU 1500 octets', \
     keyentry with points linestyle 9 title 'no CRC, MTU 4096 octets', \
     keyentry with points linestyle 10 title 'no CRC, MTU 9000 octets', \
     2 notitle
unset multiplot
