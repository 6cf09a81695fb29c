# The first part of the fetch of a commit, the only one that knows the credential: all that is needed of it, into .git of an
# empty folder. A host that gives no commit by its name is asked for the branch or tag, ever deeper.
set -eu
unset NO_PROXY no_proxy

set -- $(git version | sed 's/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/')
[ "$1" -gt 2 ] || { [ "$1" -eq 2 ] && [ "$2" -ge 32 ]; } || exit 92

rm -rf .git
git init --quiet --template=
fetched() { git fetch --quiet --no-tags "$@" 2>/tmp/said; }
failed() {
  cat /tmp/said >&2
  exit 1
}
deepened() {
  for depth in 1 50 1000 20000; do
    fetched --depth=$depth -- "$BALLAST_GIT_URL" "$BALLAST_GIT_REF" || failed
    ! git cat-file -e "$BALLAST_GIT_COMMIT^{commit}" 2>/dev/null || return 0
  done
  exit 90
}

if ! fetched --depth=1 -- "$BALLAST_GIT_URL" "$BALLAST_GIT_COMMIT"; then
  grep -Eqi 'not our ref|unadvertised object|find remote ref' /tmp/said || failed
  deepened
fi

git show --no-patch --format=%B "$BALLAST_GIT_COMMIT" | head -c 4000 | sed -n '/[^[:space:]]/{p;q;}' >.git/ballast-message
