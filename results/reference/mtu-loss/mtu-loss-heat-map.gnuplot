# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE
# Size, font and colours are set first, the lines and their data below.
set encoding utf8
set terminal svg noenhanced size 2102,782 font 'DejaVu Sans,36' linewidth 2 background rgb '#ffffff'
set output 'mtu-loss-heat-map.svg'
set border 3 linewidth 0.8 linecolor rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#000000'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'
set label 1 'Peak reassembly memory by MTU, loss and kind of receiver' at screen 0.5,0.9410 center font 'DejaVu Sans Bold,29'
set label 2 'peak of the reassembly occupancy · scenario mtu-loss · seeds 1–8 · iwarpsim 0.1.0 (git 7d6b6591d707) · 192 runs,'."\n".'mean of 8 each with 95 % interval · asterisk: 34 with timeouts or lost retransmissions' at screen 0.5,0.8754 center font 'DejaVu Sans,22' textcolor rgb '#404040'
set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')
set logscale cb 2
set cbrange [256:195286]
set cbtics ('256' 256, '1 KiB' 1024, '4 KiB' 4096, '16 KiB' 16384, '64 KiB' 65536)
set cblabel 'peak (octets)'
colour(v) = v > 256 ? v : 256 # what is less has no place on the scale
unset key
unset grid
set border 0
set tics scale 0
set multiplot
set xrange [-0.5:3.5]
set xtics ('0' 0, '0.1%%' 1, '0.3%%' 2, '1%%' 3)
set xlabel 'loss of segments (path.forward.loss)'
set lmargin at screen 0.1233
set rmargin at screen 0.4839
set tmargin at screen 0.6813
set bmargin at screen 0.2210
set yrange [-0.5:2.5]
set ytics ('576' 0, '1500' 1, '9000' 2)
set title 'in-order receiver' offset 0,-0.4
set ylabel 'MTU (octets)'
unset colorbox
plot 'mtu-loss-heat-map.dat' index 0 using 1:2:(0.5):(0.5):(colour($4)) with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, \
     'mtu-loss-heat-map.dat' index 0 using 1:($7 < 0.55 ? $2 + 0.17 : NaN):(stringcolumn(8)) with labels center font ',22' textcolor rgb '#ffffff' notitle, \
     'mtu-loss-heat-map.dat' index 0 using 1:($7 >= 0.55 ? $2 + 0.17 : NaN):(stringcolumn(8)) with labels center font ',22' textcolor rgb '#000000' notitle, \
     'mtu-loss-heat-map.dat' index 0 using 1:($7 < 0.55 ? $2 + -0.20 : NaN):(stringcolumn(9)) with labels center font ',18' textcolor rgb '#ffffff' notitle, \
     'mtu-loss-heat-map.dat' index 0 using 1:($7 >= 0.55 ? $2 + -0.20 : NaN):(stringcolumn(9)) with labels center font ',18' textcolor rgb '#000000' notitle
unset label 1
unset label 2
set lmargin at screen 0.5083
set rmargin at screen 0.8690
set tmargin at screen 0.6813
set bmargin at screen 0.2210
set yrange [-0.5:2.5]
set ytics ('' 0, '' 1, '' 2)
set title 'out-of-order receiver' offset 0,-0.4
set ylabel ''
unset colorbox
set colorbox user origin screen 0.8767,0.2210 size screen 0.0128,0.4604
plot 'mtu-loss-heat-map.dat' index 1 using 1:2:(0.5):(0.5):(colour($4)) with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, \
     'mtu-loss-heat-map.dat' index 1 using 1:($7 < 0.55 ? $2 + 0.17 : NaN):(stringcolumn(8)) with labels center font ',22' textcolor rgb '#ffffff' notitle, \
     'mtu-loss-heat-map.dat' index 1 using 1:($7 >= 0.55 ? $2 + 0.17 : NaN):(stringcolumn(8)) with labels center font ',22' textcolor rgb '#000000' notitle, \
     'mtu-loss-heat-map.dat' index 1 using 1:($7 < 0.55 ? $2 + -0.20 : NaN):(stringcolumn(9)) with labels center font ',18' textcolor rgb '#ffffff' notitle, \
     'mtu-loss-heat-map.dat' index 1 using 1:($7 >= 0.55 ? $2 + -0.20 : NaN):(stringcolumn(9)) with labels center font ',18' textcolor rgb '#000000' notitle
unset multiplot
