# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 1004,1912 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'packing-tcp.segments.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Segments by message size: FPDUs kept'."\n".'whole against a stream cut at EMSS' at screen 0.5,0.9759 center font 'DejaVu Sans Bold,29'
set label 2 'scenario packing · seed 1 · iwarpsim 0.1.0 (git'."\n".'bc1fd048e9da) · 28 runs' at screen 0.5,0.9222 center font 'DejaVu Sans,22' textcolor rgb '#404040'
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
set style line 11 linecolor rgb '#000000' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.6
set style line 12 linecolor rgb '#E69F00' dashtype 2 linewidth 1.4 pointtype 5 pointsize 0.6
set style line 13 linecolor rgb '#0072B2' dashtype 4 linewidth 1.4 pointtype 9 pointsize 0.6
set style line 14 linecolor rgb '#D55E00' dashtype 3 linewidth 1.4 pointtype 13 pointsize 0.6
unset key
set multiplot
set xrange [-0.090000:1.090000]
set xtics norotate ('aligned' 0.000000, 'stream' 1.000000)
set xlabel 'sender.segmentation'
set lmargin at screen 0.2582
set rmargin at screen 0.9570
set tmargin at screen 0.8712
set bmargin at screen 0.5679
drawn(v) = (v > 0 || v != v ? v : 0) / 1 # what is less has no place on this axis
unset logscale y
set yrange [0:4240]
set ytics autofreq
set format y '%g'
set title '' offset 0,-0.4
set ylabel 'tcp.segments (segments)' offset -0.5,0
plot 'packing-tcp.segments.dat' index 0 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 1 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 1 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 2 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 2 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 3 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 3 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 4 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 4 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 5 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 5 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 6 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 6 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 7 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 7 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 8 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 8 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 9 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 9 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 10 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 10 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 11 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 11 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 12 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 12 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 13 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 13 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 14 linewidth 0.8 dashtype 1 pointsize 0 notitle, \
     'packing-tcp.segments.dat' index 0 using 1:(drawn($3)) with points linestyle 1 notitle, \
     'packing-tcp.segments.dat' index 1 using 1:(drawn($3)) with points linestyle 2 notitle, \
     'packing-tcp.segments.dat' index 2 using 1:(drawn($3)) with points linestyle 3 notitle, \
     'packing-tcp.segments.dat' index 3 using 1:(drawn($3)) with points linestyle 4 notitle, \
     'packing-tcp.segments.dat' index 4 using 1:(drawn($3)) with points linestyle 5 notitle, \
     'packing-tcp.segments.dat' index 5 using 1:(drawn($3)) with points linestyle 6 notitle, \
     'packing-tcp.segments.dat' index 6 using 1:(drawn($3)) with points linestyle 7 notitle, \
     'packing-tcp.segments.dat' index 7 using 1:(drawn($3)) with points linestyle 8 notitle, \
     'packing-tcp.segments.dat' index 8 using 1:(drawn($3)) with points linestyle 9 notitle, \
     'packing-tcp.segments.dat' index 9 using 1:(drawn($3)) with points linestyle 10 notitle, \
     'packing-tcp.segments.dat' index 10 using 1:(drawn($3)) with points linestyle 11 notitle, \
     'packing-tcp.segments.dat' index 11 using 1:(drawn($3)) with points linestyle 12 notitle, \
     'packing-tcp.segments.dat' index 12 using 1:(drawn($3)) with points linestyle 13 notitle, \
     'packing-tcp.segments.dat' index 13 using 1:(drawn($3)) with points linestyle 14 notitle
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
set tmargin at screen 0.4779
set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5
set key maxcols 1
plot keyentry with points linestyle 1 title 'messages of 216 octets', \
     keyentry with points linestyle 2 title 'messages of 340 octets', \
     keyentry with points linestyle 3 title 'messages of 460 octets', \
     keyentry with points linestyle 4 title 'messages of 462 octets', \
     keyentry with points linestyle 5 title 'messages of 580 octets', \
     keyentry with points linestyle 6 title 'messages of 704 octets', \
     keyentry with points linestyle 7 title 'messages of 706 octets', \
     keyentry with points linestyle 8 title 'messages of 800 octets', \
     keyentry with points linestyle 9 title 'messages of 900 octets', \
     keyentry with points linestyle 10 title 'messages of 1000 octets', \
     keyentry with points linestyle 11 title 'messages of 1100 octets', \
     keyentry with points linestyle 12 title 'messages of 1200 octets', \
     keyentry with points linestyle 13 title 'messages of 1300 octets', \
     keyentry with points linestyle 14 title 'messages of 1434 octets', \
     2 notitle
unset multiplot
