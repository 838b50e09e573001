// A writer of compiled effects (the binary form, version fx_2_0) with techniques of plain states, for D3DXCreateEffect.
//
// Wine's effect compiler does not know techniques in HLSL text, so the sample brings its effect compiled. The layout, in
// 32-bit words: the tag 0xfeff0901 and the distance from the third word to the directory; then values, types and names;
// then the directory: numbers of parameters, techniques, (unused), objects; per parameter its type, value, flags and
// annotations; per technique its name, annotations, passes; per pass its name, annotations, states; per state its
// operation, index, type and value; then the numbers of strings and of resources. All places are counted in bytes from
// the third word.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace sample {

/// States of an effect's pass that we use, by their number in the format.
enum EffectState : uint32_t {
    EFFECT_Z_ENABLE = 0,
    EFFECT_Z_WRITE_ENABLE = 3,
    EFFECT_CULL_MODE = 8,
    EFFECT_ALPHA_BLEND_ENABLE = 13,
};

/// One state of the pass.
struct EffectSetting {
    EffectState state;
    uint32_t value;
};

/// An effect of one technique with one pass, and one parameter: a float4 named `tint`.
inline std::vector<uint32_t> make_effect(const std::vector<EffectSetting> &settings, const float tint[4]) {
    const uint32_t tag = 0xfeff0901, class_scalar = 0, class_vector = 1, type_int = 2, type_float = 3;
    std::vector<uint32_t> body;
    auto place = [&] { return static_cast<uint32_t>(body.size() * 4); };
    auto name = [&](const char *text) {
        uint32_t at = place(), bytes = static_cast<uint32_t>(std::strlen(text)) + 1;
        body.push_back(bytes);
        body.resize(body.size() + (bytes + 3) / 4);
        std::memcpy(&body[at / 4 + 1], text, bytes);
        return at;
    };
    auto words = [&](std::vector<uint32_t> values) {
        uint32_t at = place();
        body.insert(body.end(), values.begin(), values.end());
        return at;
    };
    uint32_t no_name = words({0}), tint_name = name("tint"), technique_name = name("solid"), pass_name = name("p0");
    // A type: kind, class, name, semantic, elements; a vector's columns and rows, a scalar's rows and columns.
    uint32_t tint_type = words({type_float, class_vector, tint_name, no_name, 0, 4, 1});
    std::vector<uint32_t> tint_words(4);
    std::memcpy(tint_words.data(), tint, 16);
    uint32_t tint_value = words(tint_words), state_type = words({type_int, class_scalar, no_name, no_name, 0, 1, 1});
    std::vector<uint32_t> values;
    for (const EffectSetting &setting : settings) values.push_back(words({setting.value}));
    uint32_t start = words({1, 1, 0, 1});
    words({tint_type, tint_value, 0, 0});
    words({technique_name, 0, 1});
    words({pass_name, 0, static_cast<uint32_t>(settings.size())});
    for (size_t i = 0; i < settings.size(); i++) words({settings[i].state, 0, state_type, values[i]});
    words({0, 0});
    body.insert(body.begin(), {tag, start});
    return body;
}

} // namespace sample
