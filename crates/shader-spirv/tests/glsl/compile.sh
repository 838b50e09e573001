#!/bin/sh
# Compiles every shader beside this script; the results are committed, so that the tests need no compiler.
# glslangValidator is in Debian's glslang-tools. A line "// target: ENV" in a shader names a target environment, "// debug"
# asks for debug information. SPIR-V as text (*.spvasm) goes through spirv-as of spirv-tools.
set -e
cd "$(dirname "$0")"
for source in *.vert *.frag refused/* ../programs/*; do
    case $source in
    *.spv) continue ;;
    *.spvasm)
        spirv-as --target-env spv1.5 -o "${source%asm}" "$source"
        continue
        ;;
    *.vert.hlsl | *.geom.hlsl)
        stage=${source%.hlsl}
        glslangValidator -D -V -g0 -e main -S "${stage##*.}" -o "$stage.spv" "$source" >/dev/null
        continue
        ;;
    esac
    target=$(sed -n 's|^// target: ||p' "$source")
    debug=-g0; if grep -q "^// debug" "$source"; then debug=-g; fi
    glslangValidator -V $debug --target-env "${target:-vulkan1.0}" -o "$source.spv" "$source" >/dev/null ||
        { glslangValidator -V "$source"; exit 1; }
done
