#!/bin/sh
# An ingress that ends at once while there is a file `broken` in its directory. Each start adds a line to `starts` there.
#
#   sh ending-ingress.sh NODE PROGRAM --directory DIRECTORY ...
echo started >>"$4/starts"
[ ! -e "$4/broken" ] || exit 9
exec "$@"
