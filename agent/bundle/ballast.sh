#!/bin/sh
# The command of an installed agent. It finds a Node that can run it, and says what to do if there is none.
here=$(cd "$(dirname "$0")" && pwd -P) || exit 1

new_enough() {
  "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 18) ? 0 : 1)' 2>/dev/null
}

# Releases lie in <home>/releases/<digest>, and the Node that was installed with them in <home>/runtime.
for node in "${BALLAST_NODE:-}" "$here/../../runtime/node" "$(command -v node 2>/dev/null)"; do
  if [ -n "$node" ] && [ -x "$node" ] && new_enough "$node"; then
    exec "$node" "$here/agent.mjs" "$@"
  fi
done
echo 'ballast: The agent needs Node 22.18 or newer; install it from https://nodejs.org, or name one in BALLAST_NODE.' >&2
exit 1
