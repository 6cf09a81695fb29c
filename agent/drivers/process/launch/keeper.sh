# Keeps one run of one instance: starts it, waits for it, and writes down how it ended. It outlives the agent that
# started it, and nothing heavier than this shell does. It works in the instance's own directory, and only with files:
#   runs/<run>/         made here: whoever makes it keeps the run, a second keeper of the same run ends at once
#   runs/<run>/keeper   who keeps it: pid, boot and start time
#   runs/<run>/child    who is kept, written by itself before it is anything else
#   runs/<run>/exit     its status as a shell sees it, and how often memory ran out
#
# sh keeper.sh DIRECTORY RUN [CONTROL GROUP...] -- COMMAND...
set -u
umask 077
here=${0%/*}
run=runs/$2
cd "$1" || exit 1
shift 2
mkdir "$run" || exit 1

# Who this very process is. Called with its output led into a file, so that it is not a process of its own that answers.
identity() {
  read -r stat </proc/self/stat
  read -r boot </proc/sys/kernel/random/boot_id
  pid=${stat%% *}
  set -- ${stat##*) }
  echo "$pid $boot/${20}"
}
identity >"$run/.keeper"
mv "$run/.keeper" "$run/keeper"

# In the foreground: what a shell starts in the background ignores interrupts. An agent that finds neither a keeper nor a
# child makes the child's file itself, so that a child that comes too late cannot, and ends.
(
  identity >"$run/.child"
  ln "$run/.child" "$run/child" || exit 125
  exec sh "$here/enter.sh" "$@" <launch >>stdout 2>>stderr
)
code=$?

# What it has started ends with it. An agent makes sure of that before the next run; this is for when there is none.
read -r child boot <"$run/child" && kill -KILL "-$child"
memory=0
for group; do
  [ "$group" = -- ] && break
  for attempt in 1 2 3; do
    while read -r pid; do kill -KILL "$pid"; done <"$group/cgroup.procs"
  done
  for file in "$group/memory.events" "$group/memory.oom_control"; do
    [ -r "$file" ] || continue
    while read -r name count; do
      [ "$name" = oom_kill ] && memory=$count
    done <"$file"
  done
done
echo "$code $memory" >"$run/.exit"
mv "$run/.exit" "$run/exit"
