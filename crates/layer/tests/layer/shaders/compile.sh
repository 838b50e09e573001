#!/bin/sh
# Compiles every shader beside this script; the results are committed, so that the tests need no compiler.
# glslangValidator is in Debian's glslang-tools.
set -e
cd "$(dirname "$0")"
for source in *.vert *.tesc *.tese *.geom *.frag *.comp; do
    [ -e "$source" ] || continue
    glslangValidator -V -g0 --target-env vulkan1.1 -o "$source.spv" "$source" >/dev/null ||
        { glslangValidator -V "$source"; exit 1; }
done
