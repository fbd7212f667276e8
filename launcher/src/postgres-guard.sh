# Runs the server given as arguments and stops it when standard input closes, that is when the launcher is gone,
# however it went. Descriptor 3 gives the launcher the server's process id. $REMOVE is removed at the end.
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
server=$!
trap '' HUP INT TERM
echo "$server" >&3
exec 3>&-
{ read -r _ <&4; kill -INT "$server"; } 2>/dev/null &
watcher=$!
exec 4<&-
wait "$server"
status=$?
kill -KILL "$watcher" 2>/dev/null
cd /
[ -z "$REMOVE" ] || rm -rf "$REMOVE"
exit "$status"
