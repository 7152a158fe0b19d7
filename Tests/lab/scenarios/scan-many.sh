# hosts 4
# alone
# soak
# Twenty nodes, or LAB_NODES, are listed within 5 s; after twice as many have joined and left, no descriptor or thread of
# them remains.
. "$LAB_HOME/functions.sh"
MANY="${LAB_NODES:-20}"
LOGS="$(log 4 watch)"

# nodes FIRST LAST: starts them on hosts 1 to 3. leave FIRST LAST: ends them.
nodes() { for i in $(seq "$1" "$2"); do spawn $((i % 3 + 1)) "node$i" "$LAB_SKYFARM" node --name "n$i" --slots 1; done; }
leave() {
    for i in $(seq "$1" "$2"); do stop $((i % 3 + 1)) "node$i"; done
    for i in $(seq "$1" "$2"); do ended $((i % 3 + 1)) "node$i" 30 || return 1; done
}
all_announced() {
    for i in $(seq "$1" "$2"); do lines 1 'node: announced as' "$(log $((i % 3 + 1)) "node$i")" || return 1; done
}
held() { echo "$(ls "/proc/$1/fd" | wc -l) descriptors, $(ls "/proc/$1/task" | wc -l) threads"; }

# A list that runs while nodes join and leave; its end is not awaited.
spawn 4 watch "$LAB_SKYFARM" nodes --wait 600
watch=$(<"$LAB/4/watch.pid")
nodes 1 5
wait_for 15 all_announced 1 5
sleep 2
leave 1 5
sleep 9
before=$(held "$watch")

nodes 1 "$MANY"
check "$MANY nodes are announced" wait_for 60 all_announced 1 "$MANY"
start=$(now)
on 4 "$LAB_SKYFARM" nodes --wait 4 >"$LAB/nodes"
check "$MANY nodes are listed" lines "$MANY" '^n[0-9]+ +10\.77\.0\.[123]:[0-9]+ ' "$LAB/nodes"
check "within 5 s ($(since "$start") s)" under 5 "$(since "$start")"
connected=$(held "$watch")
leave 1 "$MANY"
nodes $((MANY + 1)) $((2 * MANY))
check "$MANY others are announced" wait_for 60 all_announced $((MANY + 1)) $((2 * MANY))
sleep 2
leave $((MANY + 1)) $((2 * MANY))
# Swift's pool may have ended a thread meanwhile.
same() {
    local descriptors threads first last
    read -r descriptors _ threads _ <<<"$(held "$watch")"
    read -r first _ last _ <<<"$before"
    [ "$descriptors" -eq "$first" ] && [ "$threads" -le "$last" ]
}
wait_for 30 same
check "a coordinator holds $(held "$watch"); it held $connected with $MANY nodes and $before before" same same
