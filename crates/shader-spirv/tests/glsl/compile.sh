#!/bin/sh
# Compiles every shader beside this script; the results are committed, so that the tests need no compiler.
# glslangValidator is in Debian's glslang-tools. A line "// target: ENV" in a shader names a target environment, "// debug"
# asks for debug information.
set -e
cd "$(dirname "$0")"
for source in *.vert *.frag refused/*; do
    case $source in *.spv) continue ;; esac
    target=$(sed -n 's|^// target: ||p' "$source")
    debug=-g0; if grep -q "^// debug" "$source"; then debug=-g; fi
    glslangValidator -V $debug --target-env "${target:-vulkan1.0}" -o "$source.spv" "$source" >/dev/null ||
        { glslangValidator -V "$source"; exit 1; }
done
