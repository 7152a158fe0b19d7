# hosts 4
# needs psfex scamp sshd ssh ssh-keygen root
# PSFEx and SCAMP over catalogues that only host 4 has, with the catalogue of SCAMP's references as a shared file, on nodes
# that skyfarm up starts on three hosts. During each run the coordinator is killed and resumes, one node is killed and one is stopped. The results are those of the
# programs run by hand. map-tools-full has more files, and PSFEx as it is.
. "$LAB_HOME/functions.sh"
: "${PSFEX_FILES:=60}" "${SCAMP_FILES:=12}" "${DEGREES:=0}" "${PAUSE:=0.3}" "${SECONDS_LIMIT:=100}"
LOGS="$LAB/up.log $(log 4 psfex) $(log 4 scamp)"

printf '#!/bin/sh\nsleep %s\nexec psfex "$@"\n' "$PAUSE" >"$LAB/psfex"
chmod 755 "$LAB/psfex"
PSF=(-CHECKIMAGE_TYPE NONE -CHECKPLOT_TYPE NONE -WRITE_XML N -NTHREADS 1 -VERBOSE_TYPE QUIET -PSF_SAMPLING 1
    -PSFVAR_DEGREES "$DEGREES")
ASTROMETRY=(-ASTREF_CATALOG FILE -ASTREFCENT_KEYS ALPHAWIN_J2000,DELTAWIN_J2000
    -ASTREFERR_KEYS ERRAWIN_WORLD,ERRBWIN_WORLD,ERRTHETAWIN_WORLD -ASTREFMAG_KEY MAG_AUTO -ASTREFMAGERR_KEY MAGERR_AUTO
    -CHECKPLOT_TYPE NONE -WRITE_XML N -NTHREADS 1 -VERBOSE_TYPE QUIET)

# catalogues COUNT FOLDER OPTION -- COLUMNS: catalogues of so many skies, of which OPTION differs.
catalogues() {
    on 4 sh -c 'mkdir -p /run/home/sky /run/home/$2; cd /run/home; rm -f sky/*
        for i in $(seq "$1"); do "$0" synth sky/i$i.fits --size 512x512 --quiet --mag-range 14:20 $3 $((400 + i)); done &&
        "$0" scan sky/ --no-discovery --no-journal --quiet -o "$2/{stem}.ldac" --columns "$4"' "$LAB_SKYFARM" "$@"
}
check "catalogues for PSFEx are made" catalogues "$PSFEX_FILES" in-psfex --seed \
    'X_IMAGE,Y_IMAGE,FLUX_RADIUS,SNR_WIN,FLUX_APER(1),FLUXERR_APER(1),ELONGATION,FLAGS,VIGNET(25,25)'
check "catalogues for SCAMP are made" catalogues "$SCAMP_FILES" in-scamp --sky \
    'XWIN_IMAGE,YWIN_IMAGE,ERRAWIN_IMAGE,ERRBWIN_IMAGE,ERRTHETAWIN_IMAGE,FLUX_AUTO,FLUXERR_AUTO,FLAGS'
check "a catalogue of references is made" on 4 "$LAB_SKYFARM" scan /run/home/sky/i1.fits --no-discovery --quiet \
    -o /run/home/references.ldac --columns \
    'ALPHAWIN_J2000,DELTAWIN_J2000,ERRAWIN_WORLD,ERRBWIN_WORLD,ERRTHETAWIN_WORLD,MAG_AUTO,MAGERR_AUTO,FLAGS'

# by_hand PROGRAM ENDING ARGUMENT...: runs it on each catalogue, two at a time, in copies of the folder.
by_hand() {
    local program=$1 ending=$2
    shift 2
    on 4 sh -c 'program=$0 ending=$1; shift
        mkdir -p /run/home/hand-$program && cd /run/home/hand-$program && cp ../in-$program/* . &&
        ls *.ldac | xargs -P 2 -I % "$program" % "$@" >/dev/null 2>&1 && rm *.ldac && ls | grep -q "$ending\$"' \
        "$program" "$ending" "$@"
}
check "PSFEx is run by hand" by_hand psfex psf "${PSF[@]}"
check "SCAMP is run by hand" by_hand scamp head "${ASTROMETRY[@]}" -ASTREFCAT_NAME ../references.ldac

ssh_from 4
for host in 1 2 3; do
    ssh_name $host
    ssh_serve $host
done
for host in 1 2 3; do ssh_ready $host; done
nodes_up() {
    on 4 "$LAB_SKYFARM" up "$@" -- --slots 2 --program psfex="$LAB/psfex" --program scamp=/usr/bin/scamp \
        >>"$LAB/up.log" 2>&1
}
check "skyfarm up starts the nodes" nodes_up h1 h2 h3
# signal_node HOST SIGNAL: sends it to the node of a host.
signal_node() {
    local net id
    net=$(readlink "/proc/$(<"$LAB/$1/pid")/ns/net")
    for id in $(pgrep -f ' node .*--program scamp='); do
        if [ "$(readlink "/proc/$id/ns/net")" = "$net" ]; then kill -"$2" "$id" && return; fi
    done
    return 1
}

# results NAME: their number. at_least NAME COUNT: whether there are so many.
results() { on 4 sh -c 'ls "/run/home/out-$1" 2>/dev/null | wc -l' sh "$1"; }
at_least() { [ "$(results "$1")" -ge "$2" ]; }

# resumed NAME: number of items that the run found done.
resumed() { grep -oE '"resumed" : [0-9]+' "$(log 4 "$1")" | grep -oE '[0-9]+$' || echo 0; }

# trial NAME COUNT FIRST ENDING WORD...: the run, in which all goes wrong after FIRST results.
trial() {
    local name=$1 count=$2 first=$3 ending=$4 before start
    shift 4
    begin() {
        spawn 4 "$name" "$LAB_SKYFARM" map "$name" {in} --out "{stem}.$ending" -o "/run/home/out-$name/" --resume \
            --wait 20 --json "$@" -- "/run/home/in-$name"
    }
    start=$(now)
    begin "$@"
    check "$name: results arrive" wait_for 60 at_least "$name" "$first"
    stop 4 "$name" KILL
    ended 4 "$name"
    before=$(results "$name")
    check "$name: the coordinator was killed in mid-run" test "$before" -lt "$count"
    rm -f "$(log 4 "$name")"
    begin "$@"
    check "$name: it goes on" wait_for 60 at_least "$name" $((before + 1))
    check "$name: a node is killed" signal_node 2 KILL
    check "$name: and another one is stopped" signal_node 3 STOP
    check "$name: the run ends well" ended 4 "$name" "$SECONDS_LIMIT"
    signal_node 3 CONT
    check "$name: what was done before was not run again" test "$(resumed "$name")" -ge "$before"
    check "$name: the results are those of the program run by hand" \
        on 4 diff -r "/run/home/hand-$name" "/run/home/out-$name"
    echo "$name: $count results in $(since "$start") s"
}
trial psfex "$PSFEX_FILES" 8 psf "${PSF[@]}"
check "skyfarm up starts the killed node again" nodes_up h2
trial scamp "$SCAMP_FILES" 2 head --shared /run/home/references.ldac -ASTREFCAT_NAME {shared:references.ldac} \
    "${ASTROMETRY[@]}"
