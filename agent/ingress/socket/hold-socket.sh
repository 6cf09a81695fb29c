#!/bin/sh
# Holds the socket of the ingress, its descriptor 3, and keeps a process on it:
#
#   sh hold-socket.sh DIRECTORY PROGRAM
#
# PROGRAM is a file in DIRECTORY with the command's words, one a line. While no process is there, the kernel keeps new
# connections waiting: this shell never accepts one. It outlives agents, and nothing heavier than it does the holding.
#
#   standard input   one line once this shell is recorded; without it, it ends, so that nobody holds a port unknown
#   descriptor 4     for the first process only, which says there that it serves
#   USR1             the process is leaving and another one starts beside it
#   TERM             the port is given back, and the process finishes what it has and ends
#
# A process that ends with 0 was replaced or stopped: this shell ends, too.
set -u
umask 077

start() {
  set --
  while IFS= read -r word; do set -- "$@" "$word"; done <"$directory/$program" || exit 1
  # A release that was deleted never comes back: the port is for whoever has another one.
  for word; do
    case $word in /*) [ -e "$word" ] || exit 1 ;; esac
  done
  started=$(date +%s)
  if [ -n "$first" ]; then
    "$@" --holder "$$" --ready 4 >>"$directory/ingress.log" 2>&1 &
    exec 4>&-
    first=
  else
    "$@" --holder "$$" >>"$directory/ingress.log" 2>&1 &
  fi
  child=$!
}

stop() {
  trap '' TERM INT USR1
  exec 3>&-
  [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
  exit 0
}

# At once, but a process that ends again and again comes back more and more slowly.
pause() {
  now=$(date +%s)
  [ $((now - started)) -lt 30 ] || quick=0
  quick=$((quick + 1))
  [ "$quick" -gt 6 ] || return 0
  seconds=$((quick - 6))
  [ "$seconds" -le 10 ] || seconds=10
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) ended with $1, $quick times in a row; started again in $seconds s" >>"$directory/ingress.log"
  sleep "$seconds" &
  wait "$!"
}

main() {
  directory=$1 program=$2 child= quick=0 first=yes another=
  read -r line || exit 1
  exec </dev/null
  trap stop TERM INT
  trap 'another=yes; start' USR1
  trap '' HUP
  start
  while :; do
    current=$child
    another=
    wait "$current"
    code=$?
    # A signal ends the waiting, too, and has started another one by now.
    [ -z "$another" ] && [ "$current" = "$child" ] || continue
    [ "$code" -ne 0 ] || exit 0
    pause "$code"
    start
  done
}

main "$@"
exit
