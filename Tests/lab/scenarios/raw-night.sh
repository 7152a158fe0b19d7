# hosts 4
# needs python3
# A raw night goes from raw frames to catalogues: masters and frames by their headers, then a scan on three nodes, which
# search the cosmic rays, too. Sources and fluxes are those of the clean sky within 1 %. A node that is lost changes no byte.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $LAB/calibrate $LAB/scan"
night=/run/lab/night reduced=/run/lab/reduced

for host in 1 2 3; do node $host --slots 1; done
check "a night of raw frames is made" \
    on 4 "$LAB_SKYFARM" synth --raw $night --size 1200x1000 --exposures 60,180 --lights 1 --quiet
for host in 1 2 3; do check "node $host is announced" wait_for 15 announced $host; done

on 4 "$LAB_SKYFARM" calibrate $night/ -o $reduced/ --bad-pixels $night/truth/bad-pixels.fits --cosmic-rays \
    --gain EGAIN --read-noise auto --saturation auto -- -o '/run/lab/cats/{stem}.csv' --local-slots 0 --wait 20 --band 40 --json \
    >"$LAB/scan" 2>"$LAB/calibrate"
check "it goes to catalogues in one command" test $? = 0
check "all of its light frames are calibrated" lines 1 '4 of 4 frames calibrated' "$LAB/calibrate"
for host in 1 2 3; do check "node $host finished tasks" lines 1 "\"name\" : \"n$host\"" "$LAB/scan"; done

cp -r $reduced /run/lab/first
on 4 "$LAB_SKYFARM" calibrate $night/ -o $reduced/ --bad-pixels $night/truth/bad-pixels.fits --cosmic-rays \
    --gain EGAIN --read-noise auto --saturation auto --overwrite --local-slots 1 --quiet
check "a second run, with one slot, writes the same bytes" diff -r $reduced /run/lab/first

on 4 "$LAB_SKYFARM" calibrate $night/ -o $reduced/ --bad-pixels $night/truth/bad-pixels.fits --cosmic-rays \
    --gain EGAIN --read-noise auto --saturation auto --overwrite --local-slots 0 --wait 20 --band 100 --json --progress json \
    >"$LAB/farmed" 2>"$LAB/calibrate" &
check "a frame of a run on nodes alone is done" wait_for 60 lines 1 '"event":"file-ended"' "$LAB/calibrate"
stop 2 node KILL
wait $!
check "it goes on without a node that is killed" test $? = 0
check "nodes did its work" lines 1 '"name" : "n[123]"' "$LAB/farmed"
check "with the same bytes" diff -r $reduced /run/lab/first

check "the clean sky is scanned" \
    on 4 "$LAB_SKYFARM" scan "$night/truth/light-*.fits" -o '/run/lab/clean/{stem}.csv' --no-discovery --quiet
for stem in light-g-60s light-r-60s light-g-180s light-r-180s; do
    check "$stem: as on the clean sky within 1 %" \
        python3 "$LAB_HOME/night_photometry.py" $night/truth/$stem.csv /run/lab/clean/$stem-001.csv \
        /run/lab/cats/$stem-001.csv
done
