#!/bin/sh
# Compiles every shader beside this script; the results are committed, so that building needs no compiler.
# glslangValidator is in Debian's glslang-tools.
set -e
cd "$(dirname "$0")"
for source in *.comp; do
    glslangValidator -V -g0 --target-env vulkan1.2 -o "$source.spv" "$source" >/dev/null ||
        { glslangValidator -V "$source"; exit 1; }
done
