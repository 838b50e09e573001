#!/bin/sh
# Makes the .cso files of this folder anew, each HLSL file in the profiles that its first line names, with Wine's compiler.
#
#   ./compile.sh "WINE COMMAND"        default: wine
#
# Wine 8 knows too little HLSL; these were made by Wine 10 of Debian 13 (d3dcompiler_47.dll, vkd3d-shader 1.14). Where the
# system has an older one:
#
#   debootstrap --variant=minbase --include=wine,wine64 trixie /tmp/trixie && mount -t proc proc /tmp/trixie/proc
#   cp -r . /tmp/trixie/tmp/hlsl && chroot /tmp/trixie sh -c 'cd /tmp/hlsl && HOME=/tmp ./compile.sh'
#
# and copy the .cso files back. compile.exe is built first where mingw-w64 is, so copy it along.
set -eu
cd "$(dirname "$0")"
wine=${1:-wine}
if command -v x86_64-w64-mingw32-gcc > /dev/null; then
    x86_64-w64-mingw32-gcc -O1 -o compile.exe compile.c -ld3dcompiler_47
fi
failed=0
for source in *.hlsl; do
    for profile in $(sed -n '1s,// profiles: ,,p' "$source"); do
        out=${source%.hlsl}.$profile.cso
        WINEDEBUG=-all $wine compile.exe "$source" "$profile" "$out" || failed=$((failed + 1))
    done
done
echo "$failed failed"
[ "$failed" = 0 ]
