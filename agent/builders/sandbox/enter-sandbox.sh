# The first process of a sandbox, in namespaces of its own: when it ends, so does everything in there. It says who it is,
# has a socket for the proxy opened, changes to the root that the agent has prepared, and runs the shell that standard
# input is for.
#
# sh enter-sandbox.sh FOLDER NODE LISTEN AGENT [CONTROL GROUP...] -- COMMAND...
set -eu
umask 077
folder=$1 node=$2 listen=$3 agent=$4
shift 4

# The end of an agent ends its children, once they have asked for that: one that ended before is seen here.
[ -e "/proc/$agent" ] || exit 1

# As `machine/process-identity.ts` reads it. The /proc of the machine is still there: the pid is one of the machine's.
identity() {
  read -r stat </proc/self/stat
  read -r boot </proc/sys/kernel/random/boot_id
  pid=${stat%% *}
  set -- ${stat##*) }
  echo "$pid $boot/${20}"
}
identity >"$folder/.init"
mv "$folder/.init" "$folder/init"

# Nothing but a loopback. Without iproute2 Perl, which git brings, asks the kernel the same (SIOCSIFFLAGS, IFF_UP), and without
# Perl, where root is the machine's, the kernel's own file of it.
up='socket(my $any, 2, 2, 0); my $lo = pack("Z16 s x22", "lo", 1); exit !ioctl($any, 0x8914, $lo)'
if ! ip link set lo up </dev/null 2>/dev/null && ! perl -e "$up" </dev/null 2>/dev/null; then
  mount -t sysfs sysfs "$folder/sys"
  if ! (echo 1 >"$folder/sys/class/net/lo/flags") 2>/dev/null; then
    echo 'the network of a build has no loopback without iproute2: install iproute2' >&2
    exit 1
  fi
fi
hostname build </dev/null 2>/dev/null || true
# Later namespaces of users could only be used to attack the kernel; one more is made below, by an agent without root.
[ "$(id -u)" != 0 ] || [ ! -e "$folder/mapped" ] || echo 1 >/proc/sys/user/max_user_namespaces

# The socket goes to the agent by descriptor 3, which nobody else gets.
"$node" -e "$listen" </dev/null
exec 3>&-
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE

mount --bind "$folder/root" "$folder/root" </dev/null
mount -a -T "$folder/fstab" </dev/null
while read -r point; do
  mount -o remount,bind,ro,nosuid,nodev "$folder/root$point" </dev/null
done <"$folder/beneath"

while [ "$1" != -- ]; do
  echo 0 >"$1/cgroup.procs"
  shift
done
shift
exec 4>"$folder/stdout" 5>"$folder/stderr" 6>"$folder/ended"
cd "$folder/root"
pivot_root . .old
cd /
umount -l /.old
mount -o remount,bind,ro /

set +e
"$@" >&4 2>&5 4>&- 5>&- 6>&-
echo $? >&6
