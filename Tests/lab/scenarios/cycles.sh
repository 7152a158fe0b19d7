# hosts 1
# long
# Announcing, browsing and resolving 100 times leaks no thread and no descriptor.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 1 cycles)"

spawn 1 cycles "$probe" cycles 100
ended 1 cycles 150
check "nothing is leaked ($(sed -nE 's/^[^ ]+ (before|after) /\1 /p' "$(log 1 cycles)" | tr '\n' ' '))" \
    lines 1 ' equal$' "$(log 1 cycles)"
