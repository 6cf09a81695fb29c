# The second part, without a credential: the files of the commit and of its submodules. Nothing of Git stays.
set -eu
unset NO_PROXY no_proxy

# Before anything is written: names alone can be without end.
[ "$(git ls-tree -r "$BALLAST_GIT_COMMIT" | head -n "$BALLAST_GIT_FILES" | wc -l)" -lt "$BALLAST_GIT_FILES" ] || exit 91
# A small pack may have large files, and the same one many times.
bytes=$(git ls-tree -r -l "$BALLAST_GIT_COMMIT" | awk '{ all += $4 } END { printf "%.0f", all }') || bytes=0
[ "$bytes" -le "$BALLAST_GIT_BYTES" ] || exit 93
git show --no-patch --format='%H of %cI by %an: %s' "$BALLAST_GIT_COMMIT"
git checkout --quiet --force --detach "$BALLAST_GIT_COMMIT"
[ "$(git rev-parse HEAD)" = "$BALLAST_GIT_COMMIT" ] || exit 90

if [ -f .gitmodules ] && [ ! -L .gitmodules ]; then
  git config remote.origin.url "$BALLAST_GIT_URL"
  git submodule --quiet update --init --recursive --depth=1 --jobs=1
  git submodule status --recursive
fi
find . -name .git -prune -exec rm -rf -- {} +
