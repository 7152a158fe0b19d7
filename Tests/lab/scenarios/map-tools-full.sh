# hosts 4
# needs psfex scamp sshd ssh ssh-keygen root
# soak
# map-tools with 200 catalogues for PSFEx, whose models vary across the image, and 50 for SCAMP.
PSFEX_FILES=200 SCAMP_FILES=50 DEGREES=1 PAUSE=0 SECONDS_LIMIT=240
. "$LAB_HOME/scenarios/map-tools.sh"
