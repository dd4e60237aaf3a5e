# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 2102,2376 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'middleboxes-peak.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Markers behind each middlebox, with one segment in a thousand lost' at screen 0.5,0.9806 center font 'DejaVu Sans Bold,29'
set label 2 'scenario middleboxes · seeds 1–8 · iwarpsim 0.1.0 (git 7d6b6591d707) · 256 runs, mean of 8 each with 95 %'."\n".'interval · ringed: 128 with spurious or lost retransmissions' at screen 0.5,0.9590 center font 'DejaVu Sans,22' textcolor rgb '#404040'
set style line 1 linecolor rgb '#0072B2' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.55
set style line 2 linecolor rgb '#0072B2' dashtype 2 linewidth 1.0 pointtype 6 pointsize 0.55
unset key
set multiplot
set xrange [-0.630000:7.630000]
set xtics rotate by 45 right ('none' 0.000000, 'coalesce' 1.000000, 'shift' 2.000000, 'proxy' 3.000000, 'rechunk' 4.000000, 'random' 5.000000, 'split' 6.000000, 'rechunk+coalesce' 7.000000)
set xlabel 'middlebox.mode'
set lmargin at screen 0.1233
set rmargin at screen 0.5392
set tmargin at screen 0.8951
set bmargin at screen 0.6594
drawn(v) = (v > 256 || v != v ? v : 256) / 1 # what is less has no place on this axis
set logscale y 2
set yrange [256:166998]
set ytics ('0' 256, '1 KiB' 1024, '4 KiB' 4096, '16 KiB' 16384, '64 KiB' 65536)
set title 'in-order receiver, no markers' offset 0,-0.4
set ylabel 'reassembly occupancy (octets)' offset 1,0
plot 'middleboxes-peak.dat' index 0 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'middleboxes-peak.dat' index 4 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'middleboxes-peak.dat' index 4 using 1:(drawn($3)) with points linestyle 2 notitle, \
     'middleboxes-peak.dat' index 0 using 1:(drawn($3)) with points linestyle 1 notitle, \
     'middleboxes-peak.dat' index 0 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'middleboxes-peak.dat' index 4 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
unset label 1
unset label 2
unset label 3
set lmargin at screen 0.5636
set rmargin at screen 0.9794
set tmargin at screen 0.8951
set bmargin at screen 0.6594
drawn(v) = (v > 256 || v != v ? v : 256) / 1 # what is less has no place on this axis
set logscale y 2
set yrange [256:166998]
set ytics ('' 256, '' 1024, '' 4096, '' 16384, '' 65536)
set title 'out-of-order receiver, no markers' offset 0,-0.4
set ylabel '' offset 1,0
plot 'middleboxes-peak.dat' index 1 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'middleboxes-peak.dat' index 5 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'middleboxes-peak.dat' index 5 using 1:(drawn($3)) with points linestyle 2 notitle, \
     'middleboxes-peak.dat' index 1 using 1:(drawn($3)) with points linestyle 1 notitle, \
     'middleboxes-peak.dat' index 1 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'middleboxes-peak.dat' index 5 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
set lmargin at screen 0.1233
set rmargin at screen 0.5392
set tmargin at screen 0.4462
set bmargin at screen 0.2105
drawn(v) = (v > 256 || v != v ? v : 256) / 1 # what is less has no place on this axis
set logscale y 2
set yrange [256:166998]
set ytics ('0' 256, '1 KiB' 1024, '4 KiB' 4096, '16 KiB' 16384, '64 KiB' 65536)
set title 'out-of-order receiver, markers' offset 0,-0.4
set ylabel 'reassembly occupancy (octets)' offset 1,0
plot 'middleboxes-peak.dat' index 2 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'middleboxes-peak.dat' index 6 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'middleboxes-peak.dat' index 6 using 1:(drawn($3)) with points linestyle 2 notitle, \
     'middleboxes-peak.dat' index 2 using 1:(drawn($3)) with points linestyle 1 notitle, \
     'middleboxes-peak.dat' index 2 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'middleboxes-peak.dat' index 6 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
set lmargin at screen 0.5636
set rmargin at screen 0.9794
set tmargin at screen 0.4462
set bmargin at screen 0.2105
drawn(v) = (v > 256 || v != v ? v : 256) / 1 # what is less has no place on this axis
set logscale y 2
set yrange [256:166998]
set ytics ('' 256, '' 1024, '' 4096, '' 16384, '' 65536)
set title 'assume-aligned receiver, no markers' offset 0,-0.4
set ylabel '' offset 1,0
plot 'middleboxes-peak.dat' index 3 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'middleboxes-peak.dat' index 7 using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'middleboxes-peak.dat' index 7 using 1:(drawn($3)) with points linestyle 2 notitle, \
     'middleboxes-peak.dat' index 3 using 1:(drawn($3)) with points linestyle 1 notitle, \
     'middleboxes-peak.dat' index 3 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle, \
     'middleboxes-peak.dat' index 7 using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' notitle
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
set tmargin at screen 0.0374
set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5
set key maxcols 3
plot keyentry with points linecolor rgb '#606060' dashtype 1 linewidth 1.4 pointtype 7 pointsize 0.55 title 'peak', \
     keyentry with points linecolor rgb '#606060' dashtype 2 linewidth 1.0 pointtype 6 pointsize 0.55 title 'p99 of the time', \
     keyentry with points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040' title 'with flagged runs', \
     2 notitle
unset multiplot
