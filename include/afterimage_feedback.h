/* Generated from the tables of afterimage-passes and afterimage-feedback-c; do not edit.
 * AFTERIMAGE_BLESS=1 cargo test -p afterimage-feedback-c --test header */
/* Transform feedback for Vulkan devices that have none.
 *
 * A vertex shader whose outputs are captured (decorated with XfbBuffer, XfbStride and Offset, or named in AfterimageFeedbackCapture)
 * becomes a compute shader that stores them, with the primitives, order, capacity rules and counters of VK_EXT_transform_feedback.
 * docs/transform-feedback.md says how to record it; crates/feedback-c/examples/embed.c is a program that uses this header.
 *
 *     AfterimageFeedbackShader *shader;
 *     if (afterimage_feedback_lower(words, count, NULL, &shader) != AFTERIMAGE_FEEDBACK_OK) {
 *         fprintf(stderr, "%s\n", afterimage_feedback_message());
 *     }
 *
 * Link with libafterimage_feedback_c. Every function may be called by any thread; a shader is not changed once it is made. */
#ifndef AFTERIMAGE_FEEDBACK_H
#define AFTERIMAGE_FEEDBACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Form: a compute shader, an invocation for each captured vertex. */
#define AFTERIMAGE_FEEDBACK_GATHER 0u
/* Form: a vertex shader, an invocation for each vertex. */
#define AFTERIMAGE_FEEDBACK_SCATTER 1u
/* AfterimageFeedbackCapture.what: gl_Position. */
#define AFTERIMAGE_FEEDBACK_POSITION 0x100u
/* AfterimageFeedbackCapture.what: gl_PointSize. */
#define AFTERIMAGE_FEEDBACK_POINT_SIZE 0x101u
/* AfterimageFeedbackCapture.what: gl_ClipDistance, 0 to 3. */
#define AFTERIMAGE_FEEDBACK_CLIP 0x102u
/* AfterimageFeedbackCapture.what: gl_ClipDistance, 4 to 7. */
#define AFTERIMAGE_FEEDBACK_CLIP4 0x103u
/* AfterimageFeedbackCapture.offset: behind the capture before it in its buffer. */
#define AFTERIMAGE_FEEDBACK_NEXT 0xffffffffu
/* Result: done. */
#define AFTERIMAGE_FEEDBACK_OK 0u
/* Result: an argument is wrong. */
#define AFTERIMAGE_FEEDBACK_ARGUMENT 1u
/* Result: the words are no SPIR-V. */
#define AFTERIMAGE_FEEDBACK_SPIRV 2u
/* Result: the shader has what is not covered, or captures nothing, or options do not fit it. */
#define AFTERIMAGE_FEEDBACK_REFUSED 3u
/* Result: a bug of Afterimage. */
#define AFTERIMAGE_FEEDBACK_BUG 4u
/* AfterimageFeedbackRequest.kind: the draw's parameters are in the request. */
#define AFTERIMAGE_FEEDBACK_DIRECT 0u
/* AfterimageFeedbackRequest.kind: they are at arguments, a VkDrawIndirectCommand, or a VkDrawIndexedIndirectCommand
 * where there are indices. */
#define AFTERIMAGE_FEEDBACK_INDIRECT 1u
/* AfterimageFeedbackRequest.kind: at arguments is a number of bytes that a capture has written; the vertices are
 * those less counter_offset (at least none), divided by counter_stride. */
#define AFTERIMAGE_FEEDBACK_BYTE_COUNT 2u
/* Lanes of a work group. */
#define AFTERIMAGE_FEEDBACK_GROUP 64u

/* The structs that have device addresses in them lie in device memory, little-endian as here. */

/* Where a draw's captured vertices of one buffer go. */
typedef struct AfterimageFeedbackTarget {
    /* Device address of the first byte that this draw may write: the bound range's start, and what was captured
     * before. */
    uint64_t address;
    /* Zero. */
    uint64_t pad;
} AfterimageFeedbackTarget;

/* A vertex buffer that a lowered shader reads its attributes from. */
typedef struct AfterimageFeedbackVertexBuffer {
    /* Device address of the first vertex. Attributes must come to lie as Vulkan has it: at multiples of their
     * components' bytes, at most 4. */
    uint64_t address;
    /* Bytes from vertex to vertex. */
    uint32_t stride;
    /* Bytes that may be read from address; with 0 it is not looked at. What is read of the last word is up to 3
     * bytes more. Attributes that are not wholly inside are made of zeros. */
    uint32_t bytes;
} AfterimageFeedbackVertexBuffer;

/* System values of one draw: bank feedback of lowered shaders. */
typedef struct AfterimageFeedbackDraw {
    /* afterimage_feedback_row of the topology. */
    uint32_t row[4];
    /* Primitives of all instances that are captured: those for which every buffer has room. */
    uint32_t captured;
    /* Primitives of an instance. */
    uint32_t primitives;
    /* Bytes of an index: 1, 2 or 4; 0 for a draw without indices. */
    uint32_t index_bytes;
    /* First vertex, or what is added to every index. */
    uint32_t first;
    /* First instance. */
    uint32_t first_instance;
    /* Vertices, or indices, of an instance. */
    uint32_t vertices;
    /* Device address of the draw's first index, a multiple of the bytes of an index. Other than for vertices every
     * index of the draw must be there, and what fills the last word. */
    uint64_t indices;
    /* Device address of the list that prepare made of indices with restarts among them, or 0 (as without indices):
     * for each primitive of an instance the position of its run's first index, and its number in the run. */
    uint64_t list;
    /* Device address of an AfterimageFeedbackRequest, of which a lowered geometry shader reads where the buffers and
     * the counters are. Nothing fills it in, and other shaders do not look at it. */
    uint64_t request;
    /* Buffers, by number. */
    AfterimageFeedbackTarget targets[4];
    /* Vertex buffers, by slot. */
    AfterimageFeedbackVertexBuffer vertex_buffers[32];
} AfterimageFeedbackDraw;

/* How far feedback has come, in device memory: it begins as zeros, and everything that draws add is added there. */
typedef struct AfterimageFeedbackCounters {
    /* Bytes captured into each buffer, from the start of its bound range. */
    uint32_t bytes[4];
    /* Primitives of each stream that there were. */
    uint64_t needed[4];
    /* Primitives of each stream that were captured. */
    uint64_t written[4];
} AfterimageFeedbackCounters;

/* What the prepare shader is asked: bank feedback of that shader. It fills an AfterimageFeedbackDraw, all but its
 * vertex buffers; adds to AfterimageFeedbackCounters; and writes the work groups of the dispatch that captures. */
typedef struct AfterimageFeedbackRequest {
    /* afterimage_feedback_row of the topology. */
    uint32_t row[4];
    /* AFTERIMAGE_FEEDBACK_DIRECT, _INDIRECT or _BYTE_COUNT: 0 where the draw's parameters are here, 1 where they are
     * in memory, 2 where feedback's bytes say how many vertices. */
    uint32_t kind;
    /* First vertex, or the first index. */
    uint32_t first;
    /* Vertices, or indices. */
    uint32_t count;
    /* Added to every index. */
    uint32_t vertex_offset;
    /* Instances. */
    uint32_t instances;
    /* First instance. */
    uint32_t first_instance;
    /* With AFTERIMAGE_FEEDBACK_BYTE_COUNT, what is taken off the bytes. */
    uint32_t counter_offset;
    /* With AFTERIMAGE_FEEDBACK_BYTE_COUNT, bytes of a vertex; none are drawn with 0. */
    uint32_t counter_stride;
    /* Device address, a multiple of 4, of what AfterimageFeedbackRequest.kind says: VkDrawIndirectCommand or
     * VkDrawIndexedIndirectCommand, or the 32-bit number of bytes. */
    uint64_t arguments;
    /* Device address of the index buffer's first index. */
    uint64_t indices;
    /* Bytes that may be read from there. */
    uint32_t index_size;
    /* Bytes of an index: 1, 2 or 4; 0 for a draw without indices. */
    uint32_t index_bytes;
    /* 1 where the greatest index begins a new run. */
    uint32_t restart;
    /* Entries that AfterimageFeedbackRequest.list has room for: as many as the index buffer has indices is always
     * enough. */
    uint32_t list_room;
    /* Device address of room for the list of primitives, 8 bytes each: needed with restart alone. */
    uint64_t list;
    /* Device address of the feedback's AfterimageFeedbackCounters. */
    uint64_t counters;
    /* Device address of the AfterimageFeedbackDraw to fill. */
    uint64_t draw;
    /* Device address of three words: the work groups of the dispatch. */
    uint64_t groups;
    /* Device addresses of the bound ranges' starts; 0 for none. */
    uint64_t buffers[4];
    /* Bytes of the bound ranges. */
    uint32_t sizes[4];
    /* Bytes of a captured vertex in each buffer; 0 for a buffer that the shader does not write. */
    uint32_t strides[4];
} AfterimageFeedbackRequest;

/* Where a vertex attribute is read. */
typedef struct AfterimageFeedbackAttribute {
    /* Location of the input. */
    uint32_t location;
    /* Number of the vertex buffer in AfterimageFeedbackDraw.vertex_buffers, below 32. */
    uint32_t slot;
    /* VkFormat. */
    uint32_t format;
    /* Byte in the vertex. */
    uint32_t offset;
    /* 0: each vertex has its own; 1: each instance, as divisor says. (VkVertexInputRate.) */
    uint32_t rate;
    /* With rate 1, instances after which the next is read; 0 for never. */
    uint32_t divisor;
} AfterimageFeedbackAttribute;

/* An output, or some of its components, that is captured. */
typedef struct AfterimageFeedbackCapture {
    /* Location of the output, or one of AFTERIMAGE_FEEDBACK_POSITION, _POINT_SIZE, _CLIP and _CLIP4. */
    uint32_t what;
    /* First component. */
    uint32_t component;
    /* Number of components of 4 bytes; 0 for all of them. */
    uint32_t components;
    /* Buffer, 0 to 3. */
    uint32_t buffer;
    /* Byte in the captured vertex; AFTERIMAGE_FEEDBACK_NEXT for behind the capture before it in its buffer. */
    uint32_t offset;
} AfterimageFeedbackCapture;

/* How a shader is lowered. All zeros are good defaults. */
typedef struct AfterimageFeedbackOptions {
    /* 0: AFTERIMAGE_FEEDBACK_GATHER, a compute shader. 1: AFTERIMAGE_FEEDBACK_SCATTER, a vertex shader. */
    uint32_t form;
    /* Provoking vertex of the strips that a geometry shader gives: 0 first, 1 last. */
    uint32_t provoking;
    /* Byte of the push constants, a multiple of 8, where the address of the system values shall be; 0 for behind the
     * shader's own. */
    uint32_t push;
    /* Name of the vertex shader's entry point; NULL for the only one. */
    const char *entry;
    /* SPIR-V of a geometry shader behind the vertex shader, whose outputs are then captured; NULL for none. */
    const uint32_t *geometry;
    /* Its words. */
    size_t geometry_words;
    /* Attributes; inputs without one are read as the shader declares them, from the slot of their location's number. */
    const AfterimageFeedbackAttribute *attributes;
    /* Number of them. */
    size_t attribute_count;
    /* Captures, in place of those that the shader's decorations ask for; NULL to take these. */
    const AfterimageFeedbackCapture *captures;
    /* Number of them. */
    size_t capture_count;
    /* With captures, bytes between the vertices in each buffer; 0 for no more than they need. */
    uint32_t strides[4];
} AfterimageFeedbackOptions;

/* What a lowered shader has to be given. */
typedef struct AfterimageFeedbackUses {
    /* VkShaderStageFlagBits: compute (0x20) of AFTERIMAGE_FEEDBACK_GATHER, vertex (1) of
     * AFTERIMAGE_FEEDBACK_SCATTER. */
    uint32_t stage;
    /* 1 of a geometry shader, which is dispatched as one work group and reads AfterimageFeedbackDraw.request. */
    uint32_t geometry;
    /* Byte of the push constants where the device address of an AfterimageFeedbackDraw lies (8 bytes). */
    uint32_t push;
    /* Bit per vertex buffer that is read. */
    uint32_t slots;
    /* Bytes of a captured vertex in each buffer, for AfterimageFeedbackRequest.strides; 0 where nothing is captured. */
    uint32_t strides[4];
    /* Stream that each buffer captures. */
    uint32_t streams[4];
} AfterimageFeedbackUses;

/* A lowered shader. */
typedef struct AfterimageFeedbackShader AfterimageFeedbackShader;

/* Lowers the vertex shader in `count` words of SPIR-V, with `options` or NULL for the defaults, and gives the lowered shader in
 * `*shader`, or NULL there. Results are AFTERIMAGE_FEEDBACK_OK, _ARGUMENT, _SPIRV, _REFUSED and _BUG. */
uint32_t afterimage_feedback_lower(const uint32_t *words, size_t count, const AfterimageFeedbackOptions *options,
                                   AfterimageFeedbackShader **shader);

/* Frees a lowered shader, and what was got of it; NULL is none. */
void afterimage_feedback_free(AfterimageFeedbackShader *shader);

/* The lowered shader's SPIR-V, and the number of its words. */
const uint32_t *afterimage_feedback_words(const AfterimageFeedbackShader *shader, size_t *count);

/* Every attribute that it reads, those included that were not asked for, by rising location. */
const AfterimageFeedbackAttribute *afterimage_feedback_attributes(const AfterimageFeedbackShader *shader, size_t *count);

/* What it has to be given. */
uint32_t afterimage_feedback_uses(const AfterimageFeedbackShader *shader, AfterimageFeedbackUses *uses);

/* SPIR-V of the shader that fills an AfterimageFeedbackDraw where only the device knows a draw's numbers: a compute shader of one
 * work group, with the device address of an AfterimageFeedbackRequest at byte 0 of its push constants. Not to be freed. */
const uint32_t *afterimage_feedback_prepare(size_t *count);

/* The row of a topology (VkPrimitiveTopology, 0 to 9) and a provoking vertex (0 first, 1 last), four words. */
uint32_t afterimage_feedback_row(uint32_t topology, uint32_t provoking, uint32_t *words);

/* What `prepare` does, on the host, for draws whose numbers the host knows: of kind AFTERIMAGE_FEEDBACK_DIRECT, without restarts.
 * Fills `draw` but for its vertex buffers, gives the three numbers of work groups, and adds to `counters`. */
uint32_t afterimage_feedback_plan(const AfterimageFeedbackRequest *request, AfterimageFeedbackCounters *counters,
                                  AfterimageFeedbackDraw *draw, uint32_t *groups);

/* What this thread's last call that failed has to say, until the next one fails. Never NULL. */
const char *afterimage_feedback_message(void);

#ifdef __cplusplus
}
#endif

#endif
