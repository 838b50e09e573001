/* Generated from the tables of afterimage-d3d9-types and afterimage-d3d9-com; do not edit.
 * AFTERIMAGE_BLESS=1 cargo test -p afterimage-d3d9-com --test headers */
#ifndef AFTERIMAGE_H
#define AFTERIMAGE_H

/* What libd3d9.so and d3d9.dll have beside Direct3D 9's own entry points, for programs that embed them. Link with the library, or ask
 * for the function by its name, which is undecorated on every platform. C99 and C++. */

#include <stdint.h>

#if defined(_WIN32)
#define AFTERIMAGE_CALL __stdcall
#else
#define AFTERIMAGE_CALL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Captures the next frames of every device that is rendered in this process to a file, for `afterimage replay` and its like: from the
 * next one on that the renderer begins, which may be up to three behind the program's. The file is whole when the renderer has begun the
 * frame after the last, or when the device is gone.
 *
 * path:   UTF-8, ends with a zero; files of devices after the first are NAME-2.aftercap and so on. A file that is there is overwritten.
 * frames: how many, from 1.
 *
 * Returns how many devices will be captured: 0 where there are none, where the viewer renders, or where an argument is wrong. Any thread
 * may call it at any time; while a capture runs, the next one waits. */
uint32_t AFTERIMAGE_CALL AfterimageCaptureFrames(const char *path, uint32_t frames);

/* The type of AfterimageCaptureFrames, for programs that load the library themselves. */
typedef uint32_t (AFTERIMAGE_CALL *AfterimageCaptureFramesFn)(const char *path, uint32_t frames);

#ifdef __cplusplus
}
#endif

#endif
