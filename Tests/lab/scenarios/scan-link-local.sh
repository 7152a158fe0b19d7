# hosts 2 -6
# On a link without IPv4 nodes are found and used by their link-local addresses.
. "$LAB_HOME/functions.sh"
LOGS="$(log 2 scan) $(log 1 node)"

check "an image is made and scanned" sky 1000x1000
node 1
check "the node is announced" wait_for 15 announced 1
on 2 "$LAB_SKYFARM" nodes >"$LAB/nodes"
check "it is listed by its link-local address" lines 1 '^n1 +\[fe80::[0-9a-f:]+%eth0\]:' "$LAB/nodes"
scan 2 --local-slots 0 --wait 15
check "it runs a scan" scan_ended 2
check "with the same catalogue" same_catalogue
