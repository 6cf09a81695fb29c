#!/bin/sh
# Runs the agent: launcher.sh <home> [options of `ballast agent run`]
#
# It starts the current release again when it dies. When the agent has prepared another release (`next` in
# releases/state), it starts that one and puts the old one back unless the new one confirms itself in time. Everything it
# knows is in that file, which is replaced by renaming only, so that it can be killed and started again at any point.
#
# The agent ends with 0 (was asked to), 64 (another agent has this identity), 65 (the cluster is deleted): it stays ended.
# 75: switch to `next` now.

home=$1
shift
state=$home/releases/state
[ -r "$state" ] || { echo "ballast: There is no agent in $home; install one first." >&2; exit 66; }
mkdir -p "$home/run" || exit 66
child=
stopping=

say() {
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) launcher $*" >&2
}

# Of two launchers the later one goes on, as with agents: the earlier one may have been left behind.
take_over() {
  earlier=$(cat "$home/run/launcher.pid" 2>/dev/null)
  case $earlier in
    '' | *[!0-9]* | "$$") ;;
    *)
      if tr '\0' ' ' <"/proc/$earlier/cmdline" 2>/dev/null | grep -qF "launcher.sh $home "; then
        kill -9 "$earlier" 2>/dev/null
      elif ps -o args= -p "$earlier" 2>/dev/null | grep -qF "launcher.sh $home"; then
        kill -9 "$earlier" 2>/dev/null
      fi
      ;;
  esac
  echo "$$" >"$home/run/launcher.pid.new" && mv -f "$home/run/launcher.pid.new" "$home/run/launcher.pid"
}

read_state() {
  current= previous= next= seconds=120 command= tries=0 returned= reason= returned_command=
  while IFS='=' read -r name value; do
    case $name in
      current | previous | next | returned)
        case $value in *[!0-9a-f]*) ;; *) eval "$name=\$value" ;; esac
        ;;
      seconds | tries)
        case $value in '' | *[!0-9]*) ;; *) eval "$name=\$value" ;; esac
        ;;
      command | returned_command)
        case $value in *[!0-9a-f-]*) ;; *) eval "$name=\$value" ;; esac
        ;;
      reason) reason=$value ;;
    esac
  done <"$state"
}

write_state() {
  {
    echo "current=$current"
    [ -z "$previous" ] || echo "previous=$previous"
    if [ -n "$next" ]; then
      echo "next=$next"
      echo "seconds=$seconds"
      echo "command=$command"
      echo "tries=$tries"
    fi
    if [ -n "$returned" ]; then
      echo "returned=$returned"
      echo "reason=$reason"
      echo "returned_command=$returned_command"
    fi
  } >"$state.launcher" && sync "$state.launcher" 2>/dev/null
  mv -f "$state.launcher" "$state"
}

start() {
  release=$1
  shift
  BALLAST_LAUNCHED=$release "$home/releases/$release/ballast" agent run --home "$home" "$@" </dev/null &
  child=$!
}

end_child() {
  [ -n "$child" ] || return 0
  kill -TERM "$child" 2>/dev/null
  left=50
  while [ "$left" -gt 0 ] && kill -0 "$child" 2>/dev/null; do
    sleep 0.1
    left=$((left - 1))
  done
  kill -9 "$child" 2>/dev/null
  wait "$child" 2>/dev/null
  child=
}

stop() {
  stopping=yes
  end_child
  exit 0
}

# The old release comes back. The new one is dead by now; it may have confirmed itself in its last moment.
come_back() {
  why=$1
  read_state
  [ -n "$next" ] || return 0
  say "The release $next $why; $current comes back."
  returned=$next
  reason="It $why."
  returned_command=$command
  next=
  write_state
}

# Runs the new release until it is confirmed, dead or late.
try_next() {
  if [ "$tries" -ge 3 ]; then
    come_back "was started 3 times and did not reach the control plane"
    return
  fi
  tries=$((tries + 1))
  write_state
  say "Trying the release $next (attempt $tries)."
  start "$next" "$@"
  left=$((seconds * 5))
  while [ "$left" -gt 0 ]; do
    sleep 0.2
    left=$((left - 1))
    if ! kill -0 "$child" 2>/dev/null; then
      wait "$child"
      code=$?
      child=
      read_state
      [ -n "$next" ] || after "$code"
      case $code in 64 | 65) exit "$code" ;; esac
      say "The release $next ended with $code before it was confirmed."
      sleep 1
      return
    fi
    grep -q '^next=' "$state" || { wait_for_child; return; }
  done
  end_child
  come_back "did not reach the control plane within $seconds s"
}

wait_for_child() {
  wait "$child"
  code=$?
  child=
  after "$code"
}

delay=1
after() {
  case $1 in
    0 | 64 | 65) exit "$1" ;;
    75) return ;;
  esac
  now=$(date +%s)
  [ $((now - started)) -lt 300 ] || delay=1
  say "The agent ended with $1 and is started again in $delay s."
  # Counted until an agent reaches its control plane, which deletes the file.
  failures=$(cut -d ' ' -f 1 "$home/run/failures" 2>/dev/null)
  case $failures in '' | *[!0-9]*) failures=0 ;; esac
  echo "$((failures + 1)) $1" >"$home/run/failures"
  # Waited for in the background, so that a signal is heard meanwhile.
  sleep "$delay" &
  wait $!
  delay=$((delay * 2))
  [ "$delay" -le 10 ] || delay=10
}

trap stop TERM INT
take_over
while [ -z "$stopping" ]; do
  read_state
  started=$(date +%s)
  if [ -n "$next" ] && [ -x "$home/releases/$next/ballast" ]; then
    try_next "$@"
  elif [ -n "$next" ]; then
    come_back "is not there"
  else
    start "$current" "$@"
    wait_for_child
  fi
done
