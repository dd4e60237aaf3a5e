# Run it in its own folder: gnuplot FILE
set encoding utf8
set terminal pngcairo noenhanced color size 1600,860 font 'DejaVu Sans,21' linewidth 2 background rgb '#ffffff'
set output 'mtu-loss-reassembly-peak.png'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Peak reassembly memory by MTU, loss and kind of receiver' at screen 0.5,0.9582 center font 'DejaVu Sans Bold,23'
set label 2 'scenario mtu-loss · seeds 1–8 · iwarpsim 0.1.0 · mean of 8 runs with 95 % interval' at screen 0.5,0.9118 center font 'DejaVu Sans,17' textcolor rgb '#404040'
drawn(v) = v > 256 || v != v ? v : 256 # no place for less on this axis
set style line 1 linecolor rgb '#0072B2' dashtype 1 linewidth 1.4 pointtype 7 pointsize 1.6
set style line 2 linecolor rgb '#D55E00' dashtype 2 linewidth 1.4 pointtype 5 pointsize 1.6
set style line 3 linecolor rgb '#009E73' dashtype 4 linewidth 1.4 pointtype 9 pointsize 1.6
unset key
set multiplot
set tmargin at screen 0.8174
set bmargin at screen 0.2150
set xrange [-3.812406:-1.850352]
set xtics ('0' -3.662758, '0.1%%' -3.000000, '0.3%%' -2.522879, '1%%' -2.000000)
set label 3 '//' at first -3.331379, graph 0 center front
set xlabel 'loss of segments (path.forward.loss)'
set lmargin at screen 0.1150
set rmargin at screen 0.5375
set ylabel 'peak reassembly occupancy (octets)'
set logscale y 2
set yrange [256:195286]
set ytics ('256' 256, '1 KiB' 1024, '4 KiB' 4096, '16 KiB' 16384, '64 KiB' 65536)
set title 'in-order receiver' offset 0,-0.4
plot 'mtu-loss-reassembly-peak.dat' index 0 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'mtu-loss-reassembly-peak.dat' index 1 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'mtu-loss-reassembly-peak.dat' index 2 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 3 linewidth 0.8 dashtype 1 notitle, \
     'mtu-loss-reassembly-peak.dat' index 0 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'mtu-loss-reassembly-peak.dat' index 1 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'mtu-loss-reassembly-peak.dat' index 2 using 1:(drawn($3)) with linespoints linestyle 3 notitle
unset label 1
unset label 2
set lmargin at screen 0.5625
set rmargin at screen 0.9850
unset ylabel
set logscale y 2
set yrange [256:195286]
set ytics ('' 256, '' 1024, '' 4096, '' 16384, '' 65536)
set title 'out-of-order receiver' offset 0,-0.4
plot 'mtu-loss-reassembly-peak.dat' index 3 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 1 linewidth 0.8 dashtype 1 notitle, \
     'mtu-loss-reassembly-peak.dat' index 4 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 2 linewidth 0.8 dashtype 1 notitle, \
     'mtu-loss-reassembly-peak.dat' index 5 using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle 3 linewidth 0.8 dashtype 1 notitle, \
     'mtu-loss-reassembly-peak.dat' index 3 using 1:(drawn($3)) with linespoints linestyle 1 notitle, \
     'mtu-loss-reassembly-peak.dat' index 4 using 1:(drawn($3)) with linespoints linestyle 2 notitle, \
     'mtu-loss-reassembly-peak.dat' index 5 using 1:(drawn($3)) with linespoints linestyle 3 notitle
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
set tmargin at screen 0.0700
set key center center horizontal samplen 3 spacing 1.1 width 1.5
plot 2 with linespoints linestyle 1 title 'MTU 576 octets', \
     2 with linespoints linestyle 2 title 'MTU 1500 octets', \
     2 with linespoints linestyle 3 title 'MTU 9000 octets'
unset multiplot
