/* The PlayStation 4's graphics processor, for emulators written in C and C++: command buffers and GCN code in the console's memory,
 * drawn with Vulkan. docs/gnm.md says what it does; crates/gnm-c/examples has programs that use this header.
 *
 *     AfterimageGnmOptions options = {0};
 *     options.size = sizeof options;
 *     AfterimageGnm *gnm;
 *     if (afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &options, &gnm) != AFTERIMAGE_GNM_OK) {
 *         fprintf(stderr, "%s\n", afterimage_gnm_message());
 *     }
 *
 * Link with libafterimage_gnm_c. The calls of the console's libSceGnmDriver are in the same library: afterimage_gnm_library.h.
 *
 * Results: every function but the first two gives AFTERIMAGE_GNM_OK or why it did nothing, and afterimage_gnm_message then says it in
 * words. What is done is the same whichever came before: no failure is kept.
 *
 * Threads: a processor belongs to the thread that made it, or that adopted it last; calls of another thread give
 * AFTERIMAGE_GNM_THREAD. Different processors may be called at the same time. Calls of libSceGnmDriver may come from any thread, and
 * take turns; while one of them has the processor, its owner's calls give AFTERIMAGE_GNM_THREAD, too.
 *
 * Callbacks come during a call, on the thread that makes it, and on no other. They must return (no longjmp, no exception), and must
 * not call the processor: that gives AFTERIMAGE_GNM_REENTERED and does nothing.
 *
 * A pointer to a processor is never followed by the library: after afterimage_gnm_destroy, or if it is anything else, calls give
 * AFTERIMAGE_GNM_GONE. Other pointers must point at what they say; NULL and those that are not aligned give
 * AFTERIMAGE_GNM_ARGUMENT.
 *
 * Guest addresses have 48 bits. The device and what is logged are as the user has configured them (docs/configuration.md). */
#ifndef AFTERIMAGE_GNM_H
#define AFTERIMAGE_GNM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header; a library of another version makes no processor for it. */
#define AFTERIMAGE_GNM_VERSION 1u

/* Results: done. */
#define AFTERIMAGE_GNM_OK 0u
/* An argument is wrong. */
#define AFTERIMAGE_GNM_ARGUMENT 1u
/* The header is of another version than the library. */
#define AFTERIMAGE_GNM_VERSION_MISMATCH 2u
/* There is no such processor, or not any more. */
#define AFTERIMAGE_GNM_GONE 3u
/* The processor belongs to another thread, or a call of another has it. */
#define AFTERIMAGE_GNM_THREAD 4u
/* A callback called the processor whose call it is part of. */
#define AFTERIMAGE_GNM_REENTERED 5u
/* There is no Vulkan device that fits, or it lacks what was asked for. */
#define AFTERIMAGE_GNM_DEVICE 6u
/* The processor refuses it: a queue, a size, a format. */
#define AFTERIMAGE_GNM_REFUSED 7u
/* Memory is not mapped. */
#define AFTERIMAGE_GNM_UNMAPPED 8u
/* There is nothing new. */
#define AFTERIMAGE_GNM_NOTHING 9u
/* A bug of Afterimage. A processor whose call broke off can only be destroyed. */
#define AFTERIMAGE_GNM_BUG 10u

/* How a run stopped: every queue is done. */
#define AFTERIMAGE_GNM_IDLE 0u
/* Some queue waits for memory that only the processor can change; the next run looks again. */
#define AFTERIMAGE_GNM_WAITING 1u

/* What AfterimageGnmOptions.told is told: something could not be done (queue, packet, address, why). */
#define AFTERIMAGE_GNM_FAULT 0u
/* What a queue waits for, where a run stopped so. */
#define AFTERIMAGE_GNM_WAIT 1u

/* AfterimageGnmOptions.encoding: calls of libSceGnmDriver become the hardware's packets. */
#define AFTERIMAGE_GNM_PM4 0u
/* They become private packets that carry the calls as they are. */
#define AFTERIMAGE_GNM_PRIVATE 1u

/* AfterimageGnmOptions.scanout: none. */
#define AFTERIMAGE_GNM_SCANOUT_NONE 0u
/* VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, for a VkImage of optimal tiling on a device of the same driver. */
#define AFTERIMAGE_GNM_SCANOUT_OPAQUE_FD 1u
/* VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, a linear image (DRM_FORMAT_MOD_LINEAR), for any device or compositor. */
#define AFTERIMAGE_GNM_SCANOUT_DMA_BUF 2u

/* Queues, where one is told: 0 the graphics ring, 1 + 8 * pipe + queue a compute ring. */
#define AFTERIMAGE_GNM_GRAPHICS 0u
/* The graphics ring's constant engine. */
#define AFTERIMAGE_GNM_CONSTANT 0x100u

/* A processor. */
typedef struct AfterimageGnm AfterimageGnm;

/* A range of guest memory. */
typedef struct AfterimageGnmRange {
    /* First byte. */
    uint64_t start;
    /* The byte behind the last. */
    uint64_t end;
} AfterimageGnmRange;

/* A flip that came with the commands. */
typedef struct AfterimageGnmFlip {
    /* Handle of the video output. */
    uint32_t handle;
    /* Index of the buffer. */
    uint32_t buffer;
    /* When, as the program said. */
    uint32_t mode;
    /* Zero. */
    uint32_t pad;
    /* What the program wants to hear again. */
    uint64_t argument;
} AfterimageGnmFlip;

/* A buffer that the display can show. */
typedef struct AfterimageGnmDisplay {
    /* Guest address of its first byte. */
    uint64_t address;
    /* Columns, lines, and pixels from one line to the next: 1 to 16384. */
    uint32_t width;
    uint32_t height;
    uint32_t pitch;
    /* Data format, as of T# descriptors: 10 is 8_8_8_8, 9 is 2_10_10_10. */
    uint32_t format;
    /* Not 0: blue comes first in memory. */
    uint32_t blue_first;
    /* Index in the table of tile modes: 8 and 31 are plain lines, 10 is the display's 2D mode. */
    uint32_t tile_mode;
} AfterimageGnmDisplay;

/* How a processor is made. All zeros but `size` are good defaults. */
typedef struct AfterimageGnmOptions {
    /* sizeof(AfterimageGnmOptions). */
    size_t size;
    /* Given to every callback. */
    void *user;

    /* The console's memory. With all four NULL it is one of the library's own, of which afterimage_gnm_map maps ranges. */

    /* Copies bytes out; 0 if some of them are not mapped. */
    int (*read)(void *user, uint64_t address, void *out, size_t size);
    /* Copies bytes in, and gives their pages a new generation; 0, and nothing is copied, if some of them are not mapped. */
    int (*write)(void *user, uint64_t address, const void *bytes, size_t size);
    /* Gives the mapped range that `address` is in, or the first behind it; 0 if there is none. Ranges begin and end at any byte. */
    int (*next_range)(void *user, uint64_t address, AfterimageGnmRange *range);
    /* A number that is larger whenever a page (4 KiB) of the range was written since the last time: the newest generation of the
     * range's pages. NULL: everything may have changed at any time, which is slower. */
    uint64_t (*generation)(void *user, uint64_t address, uint64_t size);

    /* Is told of flips among the commands, after the frame was handed over. May be NULL. */
    void (*flipped)(void *user, const AfterimageGnmFlip *flip);
    /* Is told of interrupts: everything before on the queue has happened. May be NULL. */
    void (*interrupted)(void *user, uint32_t queue);
    /* Is told what a run could not do, and what it waits for: AFTERIMAGE_GNM_FAULT or _WAIT, and a text. May be NULL. */
    void (*told)(void *user, uint32_t what, const char *text);

    /* The program's name, for logs and captures; NULL for none. */
    const char *name;
    /* AFTERIMAGE_GNM_SCANOUT_NONE, _OPAQUE_FD or _DMA_BUF. */
    uint32_t scanout;
    /* AFTERIMAGE_GNM_PM4 or _PRIVATE. */
    uint32_t encoding;
} AfterimageGnmOptions;

/* A picture in a VkImage of ours, for a VkImage of yours with the same memory. Its creation parameters: VK_IMAGE_TYPE_2D, one level,
 * one layer, one sample, flags 0, and what is here. It is in VK_IMAGE_LAYOUT_GENERAL, and belongs to VK_QUEUE_FAMILY_EXTERNAL; what the
 * GPU does for the picture is done. */
typedef struct AfterimageGnmScanout {
    /* The memory, a dedicated allocation: yours, to be imported (which takes it) or closed. A new descriptor each time, also where the
     * image is one that you have imported. */
    int32_t fd;
    /* AFTERIMAGE_GNM_SCANOUT_OPAQUE_FD or _DMA_BUF. */
    uint32_t kind;
    /* Number of the image. There are three of a size, and a number is never used again for another. */
    uint64_t image;
    /* Number of the frame. */
    uint64_t frame;
    /* Columns, and lines. */
    uint32_t width;
    uint32_t height;
    /* VkFormat: VK_FORMAT_R8G8B8A8_UNORM. */
    uint32_t format;
    /* VkImageUsageFlags. */
    uint32_t usage;
    /* Bytes of the memory. */
    uint64_t bytes;
    /* Index of its type on our device. */
    uint32_t memory_type;
    /* Zero. */
    uint32_t pad;
    /* Of a dma-buf the image's first byte, and bytes from line to line; else zeros. */
    uint64_t offset;
    uint64_t pitch;
    /* VkPhysicalDeviceIDProperties of our device: an opaque descriptor is for one that has the same. */
    uint8_t device_uuid[16];
    uint8_t driver_uuid[16];
} AfterimageGnmScanout;

/* The library's version: AFTERIMAGE_GNM_VERSION of the header that it was made with. */
uint32_t afterimage_gnm_version(void);

/* What this thread's last call that failed has to say, until the next one fails. Never NULL. */
const char *afterimage_gnm_message(void);

/* Opens a Vulkan device, and makes a processor in the state after reset; `*gnm` is NULL where that fails. */
uint32_t afterimage_gnm_create(uint32_t version, const AfterimageGnmOptions *options, AfterimageGnm **gnm);

/* Waits until everything is drawn, and ends the processor; NULL is none. */
uint32_t afterimage_gnm_destroy(AfterimageGnm *gnm);

/* Has the processor belong to the calling thread. Not while a call has it. */
uint32_t afterimage_gnm_adopt(AfterimageGnm *gnm);

/* Has calls of libSceGnmDriver be for this processor; NULL for none. */
uint32_t afterimage_gnm_use(AfterimageGnm *gnm);

/* Maps memory of the library's own; what was mapped stays as it is, the rest is zeros. */
uint32_t afterimage_gnm_map(AfterimageGnm *gnm, uint64_t address, uint64_t size);

/* Writes memory, as the console's processor does. */
uint32_t afterimage_gnm_write(AfterimageGnm *gnm, uint64_t address, const void *bytes, size_t size);

/* Reads memory, as shaders and draws left it. */
uint32_t afterimage_gnm_read(AfterimageGnm *gnm, uint64_t address, void *out, size_t size);

/* What was drawn into this range is in memory when this returns. (What shaders stored into buffers is when afterimage_gnm_run does.) */
uint32_t afterimage_gnm_write_back(AfterimageGnm *gnm, uint64_t address, uint64_t size);

/* Memory was written between two runs of which the generation callback has not told, or while something is drawn. */
uint32_t afterimage_gnm_cpu_wrote(AfterimageGnm *gnm, uint64_t address, uint64_t size);

/* Puts a draw command buffer into the graphics ring, and the constant command buffer that goes with it, if that has bytes. */
uint32_t afterimage_gnm_submit(AfterimageGnm *gnm, uint64_t draw_address, uint64_t draw_bytes, uint64_t constant_address,
                               uint64_t constant_bytes);

/* Gives a command buffer to a compute queue, mapped or not: pipe 0 to 6, queue 0 to 7. */
uint32_t afterimage_gnm_submit_compute(AfterimageGnm *gnm, uint32_t pipe, uint32_t queue, uint64_t address, uint64_t bytes);

/* Maps a compute ring: `words`, a power of two, at a multiple of 256 bytes; its read pointer goes to `read_pointer`, or nowhere with 0. */
uint32_t afterimage_gnm_map_queue(AfterimageGnm *gnm, uint32_t pipe, uint32_t queue, uint64_t ring, uint32_t words,
                                  uint64_t read_pointer);

/* Takes a compute ring away. */
uint32_t afterimage_gnm_unmap_queue(AfterimageGnm *gnm, uint32_t pipe, uint32_t queue);

/* The doorbell of a compute ring: commands are complete up to this word; 0 is the ring's end. */
uint32_t afterimage_gnm_doorbell(AfterimageGnm *gnm, uint32_t pipe, uint32_t queue, uint32_t offset);

/* The clock that commands write, in ticks of 100 MHz. */
uint32_t afterimage_gnm_set_time(AfterimageGnm *gnm, uint64_t ticks);

/* Runs every queue until all are done or wait (submit done). `*stop` becomes AFTERIMAGE_GNM_IDLE or _WAITING; it may be NULL. */
uint32_t afterimage_gnm_run(AfterimageGnm *gnm, uint32_t *stop);

/* Every queue goes on behind what it waits for, which is told as a fault. */
uint32_t afterimage_gnm_skip_waits(AfterimageGnm *gnm);

/* Says which buffer a video output's handle and index are, for flips among the commands. */
uint32_t afterimage_gnm_register_display(AfterimageGnm *gnm, uint32_t handle, uint32_t buffer,
                                         const AfterimageGnmDisplay *display);

/* Says where a video output has its labels, 8 bytes for each buffer, for flips and waits of libSceGnmDriver. */
uint32_t afterimage_gnm_register_labels(AfterimageGnm *gnm, uint32_t handle, uint64_t labels);

/* Shows a buffer, and ends the frame: for flips that do not come with the commands. */
uint32_t afterimage_gnm_flip(AfterimageGnm *gnm, const AfterimageGnmDisplay *display);

/* Copies what a buffer holds, as the GPU left it, to the processor: red to alpha, 8 bits each, `size` = 4 * width * height bytes. */
uint32_t afterimage_gnm_picture(AfterimageGnm *gnm, const AfterimageGnmDisplay *display, void *rgba, size_t size);

/* Waits until the GPU has drawn what was shown, and gives the newest picture without a copy through the processor. The image is yours
 * until it is released; AFTERIMAGE_GNM_NOTHING if nothing was shown since the last one, or all images are with you. Where it fails, `fd`
 * is -1. */
uint32_t afterimage_gnm_scanout(AfterimageGnm *gnm, AfterimageGnmScanout *scanout);

/* Gives an image back, once your GPU has read it: later pictures may go to it. */
uint32_t afterimage_gnm_release(AfterimageGnm *gnm, uint64_t image);

/* Saves the state between two runs: registers, queues, what is left of command buffers, displays. What was drawn is in memory when this
 * returns; memory itself is yours to save, after it. `*size` becomes the bytes of the state; with no `room` nothing else is done, and with
 * too little it fails. The state is the same until something is submitted, run, loaded or written. Labels of video outputs
 * (afterimage_gnm_register_labels) and numbers of queues that libSceGnmDriver gave are not in it. */
uint32_t afterimage_gnm_save(AfterimageGnm *gnm, void *bytes, size_t room, size_t *size);

/* Goes on with a saved state, also in another processor. Memory must hold what it held then. A state that is none changes nothing. */
uint32_t afterimage_gnm_load(AfterimageGnm *gnm, const void *bytes, size_t size);

/* Captures the next `frames` frames to a file for `afterimage replay` and `afterimage inspect`. */
uint32_t afterimage_gnm_capture(AfterimageGnm *gnm, const char *path, uint64_t frames);

#ifdef __cplusplus
}
#endif

#endif
