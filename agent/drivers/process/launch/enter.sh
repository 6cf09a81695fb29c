# Joins control groups and then becomes a command, so that no moment of the command is outside of them.
#
# sh enter.sh [CONTROL GROUP...] -- COMMAND...
set -u
while [ "$1" != -- ]; do
  if ! echo 0 >"$1/cgroup.procs"; then
    echo "The limits of this instance could not be applied, so it was not started: $1 does not take it." >&2
    exit 125
  fi
  shift
done
shift
exec "$@"
