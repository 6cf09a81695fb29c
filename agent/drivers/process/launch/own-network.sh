# Becomes a command in a network of its own, with pasta between that network and the machine's. The command keeps this
# process: only its network is another one. pasta ends with it, as part of its session, and it ends with pasta, since
# without it nobody would be reached.
#
# sh own-network.sh PASTA PORTS-IN PORTS-OUT -- COMMAND...
set -u
pasta=$1 in=$2 out=$3
shift 4
me=$$
here=$(readlink /proc/self/ns/net)

# Nobody's child: the command may wait for all that it has started.
(
  (
    while [ "$(readlink "/proc/$me/ns/net")" = "$here" ]; do sleep 0.01; done
    [ -d "/proc/$me" ] || exit
    # Addresses that no machine has, so that those of this one are reached from there.
    "$pasta" --foreground --quiet --ipv4-only --config-net --address 169.254.77.2 --netmask 30 \
      --gateway 169.254.77.1 --no-map-gw --tcp-ports "$in" --udp-ports none --tcp-ns "$out" --udp-ns none "$me"
    echo "The network of this instance ended (pasta, exit code $?), so the instance is ended." >&2
    kill -KILL "$me"
  ) </dev/null &
)

# shellcheck disable=SC2016
exec unshare --user --map-current-user --net -- /bin/sh -c '
  rounds=0
  while ! grep -q "^[^[:space:]]*[[:space:]]*00000000[[:space:]]" /proc/net/route; do
    rounds=$((rounds + 1))
    if [ "$rounds" = 1000 ]; then
      echo "The network of this instance was not there within 10 s, so it was not started." >&2
      exit 125
    fi
    sleep 0.01
  done
  exec "$@"' sh "$@"
