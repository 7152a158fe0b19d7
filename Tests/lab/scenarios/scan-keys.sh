# hosts 3
# A node of another cluster is listed but not dialled; once it has the key it is used, also during a rotation.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $(log 3 scan)"

check "an image is made and scanned on one machine" sky 3000x3000
# The node's host has its own key, in its home folder.
own() { LAB_CONFIG=/run/home/config "$@"; }
own node 1
check "the node is announced" wait_for 15 announced 1
on 3 "$LAB_SKYFARM" nodes --wait 4 >"$LAB/nodes"
check "alone, it cannot be used, because of its key" test $? = 4
check "it is listed with the reason" lines 1 '^n1 .*cannot be used: has another cluster key' "$LAB/nodes"
check "it was not dialled" test "$(grep -c refused "$(log 1 node)")" = 0
on 3 "$LAB_SKYFARM" doctor >"$LAB/doctor"
check "doctor reports it, with the remedy" lines 1 'n1 is not used: has another cluster key' "$LAB/doctor"
check "in the next line" lines 1 '→ skyfarm key import$' "$LAB/doctor"
check "as the only problem" lines 1 '^problem ' "$LAB/doctor"
check "and sums up" lines 1 'This machine cannot use any other: n1 has another cluster key' "$LAB/doctor"
on 3 "$LAB_SKYFARM" scan /run/lab/sky.fits --local-slots 0 --wait 4 -o - >"$LAB/out" 2>"$LAB/errors"
check "a scan that needs it fails for the same reason" test $? = 4
check "and says so" lines 1 'no node can be used: node n1: has another cluster key' "$LAB/errors"

on 3 "$LAB_SKYFARM" key export >"$LAB/key"
own on 1 "$LAB_SKYFARM" key import "/run/lab/key" 2>/dev/null
check "the node loads the key" wait_for 15 lines 1 'the cluster key is' "$(log 1 node)"
check "and announces it" wait_for 15 lines 2 'announced as' "$(log 1 node)"
usable() { on 3 "$LAB_SKYFARM" nodes >"$LAB/nodes" && lines 1 '^n1 ' "$LAB/nodes"; }
check "it can be used" wait_for 20 usable

own on 1 "$LAB_SKYFARM" key rotate 2>/dev/null
check "the node loads a new key" wait_for 15 lines 2 'the cluster key is' "$(log 1 node)"
check "and announces it" wait_for 15 lines 3 'announced as' "$(log 1 node)"
scan 3 --local-slots 0 --wait 20
check "a scan with the old key succeeds" scan_ended 3
check "with the same catalogue" same_catalogue
