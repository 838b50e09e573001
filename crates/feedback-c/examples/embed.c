/* Lowers a vertex shader and plans a draw with it, without a device: everything that a program does before it records commands.
 *
 *     cc embed.c -I include -L target/release -lafterimage_feedback_c -o embed
 *     ./embed scene.vert.spv captured.spv prepare.spv
 */
#include <afterimage_feedback.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *read_words(const char *name, size_t *count) {
    FILE *file = fopen(name, "rb");
    uint32_t *words = NULL;
    long bytes;
    if (file && fseek(file, 0, SEEK_END) == 0 && (bytes = ftell(file)) >= 0) {
        rewind(file);
        words = malloc((size_t)bytes + 1);
        *count = words ? fread(words, 4, (size_t)bytes / 4, file) : 0;
    }
    if (file) {
        fclose(file);
    }
    return words;
}

static int write_words(const char *name, const uint32_t *words, size_t count) {
    FILE *file = fopen(name, "wb");
    int done = file && fwrite(words, 4, count, file) == count;
    return (!file || fclose(file) == 0) && done;
}

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, afterimage_feedback_message());
    return 1;
}

int main(int argc, char **argv) {
    AfterimageFeedbackAttribute place = {0};
    AfterimageFeedbackOptions options = {0};
    AfterimageFeedbackShader *shader = NULL;
    AfterimageFeedbackUses uses;
    AfterimageFeedbackRequest request;
    AfterimageFeedbackCounters counters;
    AfterimageFeedbackDraw draw;
    const AfterimageFeedbackAttribute *attributes;
    const uint32_t *words, *prepare;
    uint32_t *source, groups[3];
    size_t count = 0, prepare_count, attribute_count, i;

    if (argc != 4) {
        fprintf(stderr, "usage: embed IN.spv OUT.spv PREPARE.spv\n");
        return 2;
    }
    source = read_words(argv[1], &count);
    if (!source) {
        fprintf(stderr, "%s: cannot be read\n", argv[1]);
        return 1;
    }

    /* Input 0 is two 16-bit numbers of a vertex of 8 bytes; all other inputs are as the shader declares them. */
    place.format = 78; /* VK_FORMAT_R16G16_SNORM */
    options.attributes = &place;
    options.attribute_count = 1;
    if (afterimage_feedback_lower(source, count, &options, &shader) != AFTERIMAGE_FEEDBACK_OK) {
        free(source);
        return failed(argv[1]);
    }
    free(source);
    if (afterimage_feedback_uses(shader, &uses) != AFTERIMAGE_FEEDBACK_OK) {
        return failed("uses");
    }
    printf("stage 0x%x, address at byte %u, strides %u %u %u %u\n", uses.stage, uses.push, uses.strides[0], uses.strides[1],
           uses.strides[2], uses.strides[3]);
    attributes = afterimage_feedback_attributes(shader, &attribute_count);
    for (i = 0; i < attribute_count; i++) {
        printf("location %u: format %u in slot %u at byte %u\n", attributes[i].location, attributes[i].format,
               attributes[i].slot, attributes[i].offset);
    }

    /* A triangle strip of 6 vertices, twice, into a buffer that has room for 7 of the 8 triangles. */
    memset(&request, 0, sizeof request);
    memset(&counters, 0, sizeof counters);
    memset(&draw, 0, sizeof draw);
    if (afterimage_feedback_row(4, 0, request.row) != AFTERIMAGE_FEEDBACK_OK) {
        return failed("row");
    }
    request.kind = AFTERIMAGE_FEEDBACK_DIRECT;
    request.count = 6;
    request.instances = 2;
    memcpy(request.strides, uses.strides, sizeof request.strides);
    request.buffers[0] = 0x10000; /* what vkGetBufferDeviceAddress said, and the offset of the binding */
    request.sizes[0] = 7 * 3 * uses.strides[0];
    draw.vertex_buffers[0].address = 0x20000;
    draw.vertex_buffers[0].stride = 8;
    draw.vertex_buffers[0].bytes = 6 * 8;
    if (afterimage_feedback_plan(&request, &counters, &draw, groups) != AFTERIMAGE_FEEDBACK_OK) {
        return failed("plan");
    }
    printf("groups %u %u %u: %u primitives captured of %u\n", groups[0], groups[1], groups[2],
           (unsigned)counters.written[0], (unsigned)counters.needed[0]);
    printf("bytes %u, slot 0 at 0x%x\n", counters.bytes[0], (unsigned)draw.vertex_buffers[0].address);

    words = afterimage_feedback_words(shader, &count);
    prepare = afterimage_feedback_prepare(&prepare_count);
    if (!write_words(argv[2], words, count) || !write_words(argv[3], prepare, prepare_count)) {
        fprintf(stderr, "%s, %s: cannot be written\n", argv[2], argv[3]);
        return 1;
    }
    afterimage_feedback_free(shader);
    return 0;
}
