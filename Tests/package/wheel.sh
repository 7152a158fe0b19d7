# Run by scripts/package-test --wheel in a Debian with nothing but Python, in whose /venv the wheel is installed.
set -eu
export HOME=/root
cd /root
PATH=/venv/bin:$PATH

ok() { echo "ok: $*"; }

for absent in swift gcc avahi-daemon; do
    ! command -v $absent || exit 1
done
for library in libdns_sd libcfitsio libsep libmicrohttpd; do
    ! ls /usr/lib/*/$library.so* 2>/dev/null || exit 1
done
skyfarm --version
ok "the program runs on $(ldd --version | sed -n 1p), without a toolchain, its libraries and Avahi"

python - <<'X'
import subprocess, time

times = []
for _ in range(20):
    start = time.perf_counter()
    subprocess.run(["skyfarm", "--version"], check=True, stdout=subprocess.DEVNULL)
    times.append(time.perf_counter() - start)
assert min(times) < 0.06, times
print(f"ok: the command starts in {min(times) * 1000:.0f} ms")
X

skyfarm synth sky.fits --size 1024 --truth truth.csv --quiet
python -c "import skyfarm; print(skyfarm.scan('sky.fits'))"
ok "a scan finds sources"

python - <<'X'
import numpy, skyfarm
from astropy.io import fits

near = skyfarm.scan("sky.fits", discovery=False)
options = {"listen": "127.0.0.1:0", "advertise": False}
with skyfarm.Node(1, name="a", **options) as a, skyfarm.Node(1, name="b", **options) as b:
    far = skyfarm.scan(
        fits.getdata("sky.fits"), header=fits.getheader("sky.fits"), nodes=[a.address, b.address], discovery=False,
        local_slots=0, wait=10, band=128,
    )
assert sorted(system["name"] for system in far.report["systems"]) == ["a", "b"], far.report
assert len(near) == len(far) > 100 and all(numpy.array_equal(near[n], far[n], equal_nan=True) for n in ("npix", "flux"))
X
ok "two nodes scan an array, with the same sources"

python - <<'X'
from astropy.io import fits
from skyfarm import sep

data = fits.getdata("sky.fits")
background = sep.Background(data)
objects = sep.extract(data - background, 1.5, err=background.globalrms)
assert len(objects) > 400 and sep.sum_circle(data, objects["x"], objects["y"], 5.0)[0].min() > 0
X
ok "skyfarm.sep finds them as well"

python - <<'X'
import numpy, skyfarm
from astropy.table import Table

sources = skyfarm.scan("sky.fits", discovery=False)
for name, form in (("sources.parquet", "parquet"), ("sources.xml", "votable")):
    sources.write(name, format=form)
    table = Table.read(name, format=form)
    assert table.colnames == sources.colnames and table["theta"].unit == "rad"
    assert numpy.array_equal(table["flux_auto"], sources["flux_auto"], equal_nan=True)
X
ok "astropy writes the catalogue as Parquet and as VOTable"

skyfarm view no.html 2>&1 | grep -q "no such page"
skyfarm scan sky.fits --samp -o no.csv 2>&1 | grep -q "no SAMP hub runs"
ok "what is missing on this system is named"

ls /venv/lib/python3*/site-packages/skyfarm/licenses | grep -q -x libcfitsio-dev
ok "the licences of the libraries are there"
