#!/bin/sh
# Compiles the shaders beside this script to shaders.h, which is committed, so that the program needs no compiler of shaders.
# glslangValidator is in Debian's glslang-tools.
set -e
cd "$(dirname "$0")"
compile() { # SOURCE NAME [OPTION]
    glslangValidator -V -g0 --target-env vulkan1.1 $3 --vn "$2" -o one.h "$1" >/dev/null || { glslangValidator -V "$1"; exit 1; }
    grep -v '^[[:space:]]*//' one.h | grep -v '#pragma once' | sed 's|^const|static const|' >>shaders.h
    rm one.h
}
echo '// Made by compile.sh.' >shaders.h
compile number.vert number_vert -DCAPTURED=1
compile number.vert plain_vert
compile spread.geom spread_geom
compile paint.frag paint_frag
