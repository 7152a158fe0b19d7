# hosts 2
# needs tshark openssl nc
# A packet capture of a scan contains TLS 1.3 only: no pixel, no task, no result. As a control, the same search finds
# clear text and an older TLS.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $(log 2 scan) $LAB/tshark.log $LAB/found"
port=4870
found() { grep -c "$1" "$LAB/found"; }

check "an image is made and scanned on one machine" sky 1000x1000
node 1 --listen :$port
check "the node is announced" wait_for 15 announced 1
mkdir -p /tmp/lab-capture.$$
file=/tmp/lab-capture.$$/scan.pcapng
trap 'rm -rf /tmp/lab-capture.$$' EXIT
tshark -q -i port2 -B 64 -w "$file" 2>"$LAB/tshark.log" &
listener=$!
check "the capture runs" wait_for 15 lines 1 'Capturing on|Capture started' "$LAB/tshark.log"
scan 2 --local-slots 0 --wait 20
check "a scan succeeds" scan_ended 2
check "with the same catalogue" same_catalogue
on 2 "$LAB_SKYFARM" nodes >"$LAB/nodes"
check "the node is listed, over a separate connection" lines 1 '^n1 ' "$LAB/nodes"

# The control: a row of the image, a number of the catalogue and strings in clear text, and TLS 1.2.
/usr/bin/python3 - <<'PYTHON'
import csv
import struct
from astropy.io import fits
row = fits.getdata("/run/lab/sky.fits")[500].astype("<f4").tobytes()
source = next(csv.DictReader(open("/run/lab/local.csv")))
open("/run/lab/clear", "wb").write(b"SKYFARM\r\n sky.band/3 keyRow" + row + b"?" + struct.pack("<d", float(source["x"])))
PYTHON
spawn 1 ear nc -l -N 9999
wait_for 5 on 2 nc -N 10.77.0.1 9999 <"$LAB/clear"
spawn 1 old openssl s_server -accept 9998 -tls1_2 -nocert -cipher PSK -psk abcdef -rev
old() { on 2 timeout 10 openssl s_client -connect 10.77.0.1:9998 -tls1_2 -cipher PSK -psk abcdef </dev/null >/dev/null 2>&1; }
check "the control session of TLS 1.2 is made" wait_for 15 old
sleep 1 # the last packets come to the listener
kill -INT $listener
wait $listener
/usr/bin/python3 "$LAB_HOME/capture.py" "$file" /run/lab/sky.fits /run/lab/local.csv SKYFARM sky.band sky.mesh keyRow \
    cflux halo deblend >"$LAB/found" 2>&1
check "the capture is searched" test $? = 0
cat "$LAB/found"
for what in pixels numbers SKYFARM sky.band keyRow; do
    check "$what in the clear would be found" test "$(found "port 9999: $what in the clear")" = 1
done
check "TLS 1.2 would be found" test "$(found 'port 9998: 1 sessions of version 0x0303')" = 1
all=$(sed -n "s/^port $port: \([0-9]*\) bytes.*/\1/p" "$LAB/found")
check "the $all bytes of the scan include the whole image" test "$all" -gt 4000000
check "and nothing of it in clear text" test "$(grep 'in the clear' "$LAB/found" | grep -vc 'port 9999:')" = 0
check "all sessions of the scan are TLS 1.3" test "$(found "port $port: [1-9][0-9]* sessions of version 0x0304$")" = 1
check "and none is older" test "$(grep "^port $port: .* sessions" "$LAB/found" | grep -vc '0x0304$')" = 0
