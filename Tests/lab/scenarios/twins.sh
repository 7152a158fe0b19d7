# hosts 3
# Two hosts of one name that could not see each other: one of them has another name from its next start on.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 twin) $(log 2 twin)"
black_hole 2
for host in 1 2; do
    on $host hostname twin
    spawn $host twin "$LAB_SKYFARM" node
    check "node $host is announced" wait_for 15 lines 1 'node: announced as twin' "$(log $host twin)"
done
start=$(now)
rejoin 2
gave() { lines 1 'another node is called twin, too: from its next start this node is called twin-[0-9a-f]{4}$' "$(log "$1" twin)"; }
either() { gave 1 || gave 2; }
check "one gives way" wait_for 100 either
echo "after $(since "$start") s"
sleep 1
gave 1 && host=1 || host=2
check "and only one" test "$(cat "$LAB"/[12]/twin.log | grep -c 'another node is called')" = 1
on 3 "$LAB_SKYFARM" nodes pause twin >"$LAB/orders" 2>&1
check "meanwhile the name selects neither" lines 1 'twin could be twin \(.*\) or twin \(.*\); give more of the name' "$LAB/orders"
name=$(sed -n 's/.*this node is called //p' "$(log $host twin)")
stop $host twin
ended $host twin
rm -f "$(log $host twin)"
spawn $host twin "$LAB_SKYFARM" node
check "then it is called $name" wait_for 15 lines 1 "node: announced as $name\$" "$(log $host twin)"
