#!/bin/sh
# Starts a game with an installed Proton whose d3d9.dll is Afterimage's. Written by `afterimage install --proton`, which makes it anew, too.
#
# Proton copies the d3d9.dll of its DXVK into the game's prefix at each start. It looks for it in the folder that it is started from: here
# a tree of links to Proton's own, in which only those files lead to ours. Nothing of Proton is copied, and nothing of it is changed.

proton=@PROTON@
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1

say() { printf 'afterimage-proton: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

[ -f "$proton/proton" ] || die "there is no Proton in $proton any more: install it in Steam, or run" \
    "\`afterimage install --proton '$here' --wraps NAME\` for another one"

# The machine that a Windows library is for, as four hexadecimal digits: behind its signature, whose place is at 60.
machine() {
    at=$(od -An -tu4 -j60 -N4 "$1" | tr -d ' ')
    od -An -tx2 -j$((at + 4)) -N2 "$1" | tr -d ' '
}

# Links everything in folder $1 into a new folder $2.
mirror() {
    mkdir -p "$2" || return
    for entry in "$1"/* "$1"/.[!.]*; do
        if [ -e "$entry" ] || [ -L "$entry" ]; then
            ln -s "$entry" "$2/" || return
        fi
    done
}

# Makes the folders of a path $1 in the new tree folders of links, where they are links.
unfold() {
    path=
    rest=$1/
    while [ -n "$rest" ]; do
        path=${path:+$path/}${rest%%/*}
        rest=${rest#*/}
        if [ -L "$new/$path" ]; then
            rm "$new/$path" && mirror "$proton/$path" "$new/$path" || return
        fi
    done
}

# Makes the tree. DXVK lies in a folder per width: of lib and lib64 in older versions, in newer ones in two of lib.
build() {
    rm -rf "$new" && mirror "$proton" "$new" || return
    found=
    for dll in "$proton"/*/lib*/wine/dxvk/d3d9.dll "$proton"/*/lib*/wine/dxvk/*/d3d9.dll; do
        [ -f "$dll" ] || continue
        case $(machine "$dll") in
            8664) ours=$here/x86_64/d3d9.dll ;;
            014c) ours=$here/i686/d3d9.dll ;;
            *) continue ;;
        esac
        inside=${dll#"$proton"/}
        unfold "${inside%/*}" && rm "$new/$inside" && ln -s "$ours" "$new/$inside" || return
        found=yes
    done
    if [ -z "$found" ]; then
        why="there is no d3d9.dll of DXVK in $proton: this Proton cannot be wrapped"
        return 1
    fi
    printf '%s\n' "$kind" > "$new/afterimage-tree"
}

# Beside this file, or with the user's caches where this folder is not the user's.
tree=$here/proton
[ -w "$here" ] || tree=${XDG_CACHE_HOME:-$HOME/.cache}/afterimage/proton/$(basename -- "$here")
# Another Proton, or another version of it, gets another tree.
kind=$(printf '%s\n%s' "$proton" "$here"; cat "$proton/version" 2>/dev/null)
if [ "$(cat "$tree/afterimage-tree" 2>/dev/null)" != "$kind" ]; then
    new=$tree.$$
    why="cannot link Proton's files into $tree"
    build || { rm -rf "$new"; die "$why"; }
    rm -rf "$tree"
    mv "$new" "$tree" || die "cannot make $tree"
fi

case ${PROTON_USE_WINED3D:-0} in
    0 | '') ;;
    *) say "PROTON_USE_WINED3D is set: Proton takes Wine's own Direct3D then, and not Afterimage" ;;
esac
WINEDLLOVERRIDES=${WINEDLLOVERRIDES:+$WINEDLLOVERRIDES;}d3d9=n,b
export WINEDLLOVERRIDES
exec "$tree/proton" "$@"
