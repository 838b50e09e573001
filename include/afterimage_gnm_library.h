/* Calls of the PlayStation 4's libSceGnmDriver, by their names and in the console's calling convention (x86-64 System V): what an
 * emulator resolves a program's imports with in place of its built-in library. They are symbols of libafterimage_gnm_c, which may be
 * loaded by any name (ln -s libafterimage_gnm_c.so libSceGnmDriver.so).
 *
 * Those that write words (`cmd`, and as many `words` as the console's library asks for) need no processor: 0, or -1 where a parameter
 * is refused; those that set up a whole state give the words they took, or 0. Those that submit are for the processor that
 * afterimage_gnm_use named, run what was submitted before they return, and give the console's errors (0x80D1....). Addresses of command
 * buffers, indices and rings are guest addresses. afterimage_gnm_message says why a call failed.
 *
 * Every other name of the console's library that is known is there, too: it gives 0x8EEE00FF, and is named once in the log. */
#ifndef AFTERIMAGE_GNM_LIBRARY_H
#define AFTERIMAGE_GNM_LIBRARY_H

#include <stdint.h>

#if defined(__x86_64__) || defined(_M_X64)
#define AFTERIMAGE_SYSV __attribute__((sysv_abi))
#else
#error "the calls of libSceGnmDriver are for x86-64"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Words into a command buffer. */

AFTERIMAGE_SYSV int32_t sceGnmDrawIndex(uint32_t *cmd, uint32_t words, uint32_t count, uint64_t indices, uint32_t flags,
                                        uint32_t kind);
AFTERIMAGE_SYSV int32_t sceGnmDrawIndexAuto(uint32_t *cmd, uint32_t words, uint32_t count, uint32_t flags);
AFTERIMAGE_SYSV int32_t sceGnmDrawIndexOffset(uint32_t *cmd, uint32_t words, uint32_t first, uint32_t count, uint32_t flags);
AFTERIMAGE_SYSV int32_t sceGnmDrawIndexIndirect(uint32_t *cmd, uint32_t words, uint32_t offset, uint32_t stage,
                                                uint32_t vertex_sgpr, uint32_t instance_sgpr, uint32_t flags);
AFTERIMAGE_SYSV int32_t sceGnmDrawIndirect(uint32_t *cmd, uint32_t words, uint32_t offset, uint32_t stage, uint32_t vertex_sgpr,
                                           uint32_t instance_sgpr, uint32_t flags);
AFTERIMAGE_SYSV int32_t sceGnmDispatchDirect(uint32_t *cmd, uint32_t words, uint32_t x, uint32_t y, uint32_t z, uint32_t flags);
AFTERIMAGE_SYSV int32_t sceGnmDispatchIndirect(uint32_t *cmd, uint32_t words, uint32_t offset, uint32_t flags);
AFTERIMAGE_SYSV int32_t sceGnmSetVsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers, uint32_t modifier);
AFTERIMAGE_SYSV int32_t sceGnmUpdateVsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers, uint32_t modifier);
AFTERIMAGE_SYSV int32_t sceGnmSetPsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers);
AFTERIMAGE_SYSV int32_t sceGnmSetPsShader350(uint32_t *cmd, uint32_t words, const uint32_t *registers);
AFTERIMAGE_SYSV int32_t sceGnmUpdatePsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers);
AFTERIMAGE_SYSV int32_t sceGnmUpdatePsShader350(uint32_t *cmd, uint32_t words, const uint32_t *registers);
AFTERIMAGE_SYSV int32_t sceGnmSetCsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers);
AFTERIMAGE_SYSV int32_t sceGnmSetCsShaderWithModifier(uint32_t *cmd, uint32_t words, const uint32_t *registers,
                                                      uint32_t modifier);
AFTERIMAGE_SYSV int32_t sceGnmSetEsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers, uint32_t modifier);
AFTERIMAGE_SYSV int32_t sceGnmSetGsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers);
AFTERIMAGE_SYSV int32_t sceGnmUpdateGsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers);
AFTERIMAGE_SYSV int32_t sceGnmSetHsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers, uint32_t ls_hs_config);
AFTERIMAGE_SYSV int32_t sceGnmUpdateHsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers, uint32_t ls_hs_config);
AFTERIMAGE_SYSV int32_t sceGnmSetLsShader(uint32_t *cmd, uint32_t words, const uint32_t *registers, uint32_t modifier);
AFTERIMAGE_SYSV int32_t sceGnmSetEmbeddedVsShader(uint32_t *cmd, uint32_t words, uint32_t id, uint32_t modifier);
AFTERIMAGE_SYSV int32_t sceGnmSetEmbeddedPsShader(uint32_t *cmd, uint32_t words, uint32_t id, uint32_t modifier);
AFTERIMAGE_SYSV int32_t sceGnmSetVgtControl(uint32_t *cmd, uint32_t words, uint32_t group_minus_1, uint32_t partial_vs_wave,
                                            uint32_t switch_on_end);
AFTERIMAGE_SYSV int32_t sceGnmResetVgtControl(uint32_t *cmd, uint32_t words);
AFTERIMAGE_SYSV int32_t sceGnmDrawInitDefaultHardwareState(uint32_t *cmd, uint32_t words);
AFTERIMAGE_SYSV int32_t sceGnmDrawInitDefaultHardwareState175(uint32_t *cmd, uint32_t words);
AFTERIMAGE_SYSV int32_t sceGnmDrawInitDefaultHardwareState200(uint32_t *cmd, uint32_t words);
AFTERIMAGE_SYSV int32_t sceGnmDrawInitDefaultHardwareState350(uint32_t *cmd, uint32_t words);
AFTERIMAGE_SYSV int32_t sceGnmDispatchInitDefaultHardwareState(uint32_t *cmd, uint32_t words);
AFTERIMAGE_SYSV int32_t sceGnmInsertWaitFlipDone(uint32_t *cmd, uint32_t words, uint32_t handle, uint32_t buffer);
AFTERIMAGE_SYSV int32_t sceGnmInsertPushMarker(uint32_t *cmd, uint32_t words, const char *text);
AFTERIMAGE_SYSV int32_t sceGnmInsertSetMarker(uint32_t *cmd, uint32_t words, const char *text);
AFTERIMAGE_SYSV int32_t sceGnmInsertPopMarker(uint32_t *cmd, uint32_t words);

/* Submissions. Constant command buffers may be NULL. */

AFTERIMAGE_SYSV int32_t sceGnmSubmitCommandBuffers(uint32_t count, const uint64_t *draws, const uint32_t *draw_sizes,
                                                   const uint64_t *constants, const uint32_t *constant_sizes);
AFTERIMAGE_SYSV int32_t sceGnmSubmitCommandBuffersForWorkload(uint64_t workload, uint32_t count, const uint64_t *draws,
                                                              const uint32_t *draw_sizes, const uint64_t *constants,
                                                              const uint32_t *constant_sizes);
AFTERIMAGE_SYSV int32_t sceGnmSubmitAndFlipCommandBuffers(uint32_t count, const uint64_t *draws, const uint32_t *draw_sizes,
                                                          const uint64_t *constants, const uint32_t *constant_sizes,
                                                          uint32_t handle, uint32_t buffer, uint32_t mode, uint64_t argument);
AFTERIMAGE_SYSV int32_t sceGnmSubmitAndFlipCommandBuffersForWorkload(uint64_t workload, uint32_t count, const uint64_t *draws,
                                                                     const uint32_t *draw_sizes, const uint64_t *constants,
                                                                     const uint32_t *constant_sizes, uint32_t handle,
                                                                     uint32_t buffer, uint32_t mode, uint64_t argument);
AFTERIMAGE_SYSV int32_t sceGnmSubmitDone(void);
AFTERIMAGE_SYSV int32_t sceGnmAreSubmitsAllowed(void);
AFTERIMAGE_SYSV void sceGnmFlushGarlic(void);

/* Compute queues. */

AFTERIMAGE_SYSV int32_t sceGnmMapComputeQueue(uint32_t pipe, uint32_t queue, uint64_t ring, uint32_t words,
                                              uint64_t read_pointer);
AFTERIMAGE_SYSV int32_t sceGnmMapComputeQueueWithPriority(uint32_t pipe, uint32_t queue, uint64_t ring, uint32_t words,
                                                          uint64_t read_pointer, uint32_t priority);
AFTERIMAGE_SYSV int32_t sceGnmUnmapComputeQueue(uint32_t id);
AFTERIMAGE_SYSV void sceGnmDingDong(uint32_t id, uint32_t offset);
AFTERIMAGE_SYSV void sceGnmDingDongForWorkload(uint32_t id, uint32_t offset, uint64_t workload);

#ifdef __cplusplus
}
#endif

#endif
