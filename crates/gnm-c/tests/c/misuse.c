/* Everything that a program can do wrong gives a code and a message, and changes nothing. */
#include <afterimage_gnm.h>
#include <afterimage_gnm_library.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned failed, checked;

#define EXPECT(call, code, says) expect((call), (code), (says), #call, __LINE__)

static void expect(uint32_t got, uint32_t wanted, const char *says, const char *what, int line) {
    checked++;
    if (got != wanted || (wanted != 0 && says && !strstr(afterimage_gnm_message(), says))) {
        failed++;
        fprintf(stderr, "%d: %s gave %u (\"%s\"), and not %u (\"%s\")\n", line, what, got, afterimage_gnm_message(), wanted, says);
    }
}

enum { OK, ARGUMENT, VERSION, GONE, THREAD, REENTERED, DEVICE, REFUSED, UNMAPPED, NOTHING };
static const uint64_t BASE = 0x1000000000, BEYOND = 1ull << 48;

static AfterimageGnm *gnm;
static uint32_t reentered[8], entries, told;

/* Memory of 1 MiB at BASE, and callbacks that do what callbacks must not. */
static uint8_t memory[1 << 20];

static void again(void) {
    uint32_t stop;
    size_t size;
    const AfterimageGnmDisplay display = {BASE, 64, 64, 64, 10, 0, 8};
    uint32_t codes[] = {afterimage_gnm_run(gnm, &stop), afterimage_gnm_destroy(gnm), afterimage_gnm_adopt(gnm),
                        afterimage_gnm_submit(gnm, BASE, 4, 0, 0), afterimage_gnm_save(gnm, NULL, 0, &size),
                        afterimage_gnm_flip(gnm, &display), (uint32_t)sceGnmSubmitDone(), afterimage_gnm_use(gnm)};
    memcpy(reentered, codes, sizeof codes);
    entries++;
}

static int read_memory(void *user, uint64_t address, void *out, size_t size) {
    if (user != memory) abort();
    again();
    if (address < BASE || size > sizeof memory || address - BASE > sizeof memory - size) return 0;
    memcpy(out, memory + (address - BASE), size);
    return 1;
}

static int write_memory(void *user, uint64_t address, const void *bytes, size_t size) {
    if (user != memory) abort();
    if (address < BASE || size > sizeof memory || address - BASE > sizeof memory - size) return 0;
    memcpy(memory + (address - BASE), bytes, size);
    return 1;
}

static int next_range(void *user, uint64_t address, AfterimageGnmRange *range) {
    if (user != memory) abort();
    range->start = BASE;
    range->end = BASE + sizeof memory;
    return address < range->end;
}

/* Ranges that are none: they end before the address, or before they begin, or never. */
static int wrong_range(void *user, uint64_t address, AfterimageGnmRange *range) {
    static unsigned turn;
    (void)user;
    switch (turn++ % 4) {
    case 0: *range = (AfterimageGnmRange){address, address}; break;
    case 1: *range = (AfterimageGnmRange){0, 1}; break;
    case 2: *range = (AfterimageGnmRange){~0ull, ~0ull}; break;
    default: *range = (AfterimageGnmRange){0, ~0ull}; break;
    }
    return 1;
}

static int no_read(void *user, uint64_t address, void *out, size_t size) {
    (void)user, (void)address, (void)out, (void)size;
    return 0;
}

static void tell(void *user, uint32_t what, const char *text) {
    (void)user;
    told += what == AFTERIMAGE_GNM_FAULT && text[0] != 0;
}

static void *from_another_thread(void *unused) {
    (void)unused;
    uint32_t stop;
    EXPECT(afterimage_gnm_run(gnm, &stop), THREAD, "another thread");
    EXPECT(afterimage_gnm_map(gnm, BASE, 4), THREAD, "afterimage_gnm_adopt");
    EXPECT(afterimage_gnm_destroy(gnm), THREAD, "another thread");
    EXPECT(afterimage_gnm_adopt(gnm), OK, "");
    EXPECT(afterimage_gnm_run(gnm, &stop), OK, "");
    return NULL;
}

static void creation(void) {
    AfterimageGnmOptions good = {.size = sizeof good}, options = good;
    AfterimageGnm *none = (AfterimageGnm *)&options;
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &good, NULL), ARGUMENT, "gnm: the pointer is NULL");
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, NULL, &none), ARGUMENT, "options: the pointer is NULL");
    EXPECT(none != NULL, 0, "");
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, (void *)((char *)&options + 1), &none), ARGUMENT, "not aligned");
    EXPECT(afterimage_gnm_create(0, &good, &none), VERSION, "version 0");
    EXPECT(afterimage_gnm_create(99, &good, &none), VERSION, "version 99");
    options.size = 8;
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &options, &none), ARGUMENT, "size is 8");
    options = good, options.encoding = 2;
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &options, &none), ARGUMENT, "encoding 2");
    options = good, options.scanout = 3;
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &options, &none), ARGUMENT, "scanout 3");
    options = good, options.name = "\xff";
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &options, &none), ARGUMENT, "not UTF-8");
    options = good, options.read = read_memory;
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &options, &none), ARGUMENT, "or none of them is");
    EXPECT(afterimage_gnm_destroy(NULL), OK, "");
    EXPECT(afterimage_gnm_destroy((AfterimageGnm *)&options), GONE, "no such processor");
    EXPECT(afterimage_gnm_run(NULL, NULL), GONE, "no such processor");
    EXPECT(afterimage_gnm_adopt(NULL), GONE, "no such processor");
    EXPECT(afterimage_gnm_use((AfterimageGnm *)&options), GONE, "no such processor");
    EXPECT(sceGnmSubmitDone() == (int32_t)0x80D110FF && strstr(afterimage_gnm_message(), "afterimage_gnm_use"), 1, "processor");
}

static void arguments(void) {
    uint8_t bytes[64] = {0};
    size_t size;
    uint32_t stop = 7;
    AfterimageGnmDisplay display = {BASE, 64, 64, 64, 10, 0, 8}, wrong;
    AfterimageGnmScanout scanout;
    EXPECT(afterimage_gnm_map(gnm, BASE, 1 << 20), OK, "");
    EXPECT(afterimage_gnm_map(gnm, BEYOND, 1), ARGUMENT, "48 bits");
    EXPECT(afterimage_gnm_map(gnm, ~0ull, 2), ARGUMENT, "48 bits");
    EXPECT(afterimage_gnm_write(gnm, BASE, NULL, 4), ARGUMENT, "bytes: the pointer is NULL");
    EXPECT(afterimage_gnm_write(gnm, BASE, NULL, 0), OK, "");
    EXPECT(afterimage_gnm_write(gnm, BASE - 1, bytes, 4), UNMAPPED, "not all mapped");
    EXPECT(afterimage_gnm_write(gnm, BEYOND, bytes, 4), ARGUMENT, "48 bits");
    EXPECT(afterimage_gnm_write(gnm, 0, bytes, ~(size_t)0), ARGUMENT, "48 bits");
    EXPECT(afterimage_gnm_write(gnm, 0, bytes, (size_t)1 << 31), ARGUMENT, "more than");
    EXPECT(afterimage_gnm_read(gnm, BASE, NULL, 4), ARGUMENT, "out: the pointer is NULL");
    EXPECT(afterimage_gnm_read(gnm, 0, bytes, 4), UNMAPPED, "not all mapped");
    EXPECT(afterimage_gnm_write_back(gnm, BEYOND, 1), ARGUMENT, "48 bits");
    EXPECT(afterimage_gnm_cpu_wrote(gnm, BEYOND, 1), ARGUMENT, "48 bits");
    EXPECT(afterimage_gnm_submit(gnm, BASE, 0, 0, 0), REFUSED, "0 bytes");
    EXPECT(afterimage_gnm_submit(gnm, BASE, 6, 0, 0), REFUSED, "6 bytes");
    EXPECT(afterimage_gnm_submit(gnm, BASE, 4, BASE, 1ull << 23), REFUSED, "8388608 bytes");
    EXPECT(afterimage_gnm_submit(gnm, BEYOND, 4, 0, 0), ARGUMENT, "48 bits");
    EXPECT(afterimage_gnm_submit_compute(gnm, 7, 0, BASE, 4), REFUSED, "pipe 7");
    EXPECT(afterimage_gnm_submit_compute(gnm, 0, 8, BASE, 4), REFUSED, "ring 8");
    EXPECT(afterimage_gnm_map_queue(gnm, 0, 0, BASE + 4, 16, 0), REFUSED, "multiple of 256");
    EXPECT(afterimage_gnm_map_queue(gnm, 0, 0, BASE, 17, 0), REFUSED, "17 words");
    EXPECT(afterimage_gnm_map_queue(gnm, 0, 0, BASE, 16, 1), REFUSED, "multiple of 4");
    EXPECT(afterimage_gnm_map_queue(gnm, 0, 0, BASE, 16, 0), OK, "");
    EXPECT(afterimage_gnm_map_queue(gnm, 0, 0, BASE, 16, 0), REFUSED, "mapped already");
    EXPECT(afterimage_gnm_doorbell(gnm, 0, 0, 17), REFUSED, "no word 17");
    EXPECT(afterimage_gnm_doorbell(gnm, 0, 1, 1), REFUSED, "not mapped");
    EXPECT(afterimage_gnm_unmap_queue(gnm, 0, 0), OK, "");
    EXPECT(afterimage_gnm_unmap_queue(gnm, 0, 0), REFUSED, "not mapped");
    EXPECT(afterimage_gnm_run(gnm, (uint32_t *)(bytes + 1)), ARGUMENT, "stop: the pointer is NULL or not aligned");
    EXPECT(afterimage_gnm_run(gnm, &stop), OK, "");
    EXPECT(stop, AFTERIMAGE_GNM_IDLE, "");
    EXPECT(afterimage_gnm_register_display(gnm, 1, 0, NULL), ARGUMENT, "display: the pointer is NULL");
    EXPECT(afterimage_gnm_register_labels(gnm, 1, BEYOND), ARGUMENT, "48 bits");
    EXPECT(afterimage_gnm_flip(gnm, NULL), ARGUMENT, "display: the pointer is NULL");
    wrong = display, wrong.width = 0;
    EXPECT(afterimage_gnm_flip(gnm, &wrong), ARGUMENT, "width is 0");
    wrong = display, wrong.height = 1u << 31;
    EXPECT(afterimage_gnm_flip(gnm, &wrong), ARGUMENT, "height is 2147483648");
    wrong = display, wrong.address = BEYOND;
    EXPECT(afterimage_gnm_flip(gnm, &wrong), ARGUMENT, "48 bits");
    wrong = display, wrong.tile_mode = 32;
    EXPECT(afterimage_gnm_flip(gnm, &wrong), ARGUMENT, "tile mode 32");
    static uint8_t rgba[64 * 64 * 4];
    EXPECT(afterimage_gnm_picture(gnm, &display, rgba, sizeof rgba), OK, "");
    EXPECT(afterimage_gnm_picture(gnm, &display, rgba, 5), ARGUMENT, "5 bytes are there");
    EXPECT(afterimage_gnm_picture(gnm, &display, NULL, sizeof rgba), ARGUMENT, "rgba: the pointer is NULL");
    wrong = display, wrong.format = 63;
    EXPECT(afterimage_gnm_picture(gnm, &wrong, rgba, sizeof rgba), REFUSED, "63");
    wrong = display, wrong.address = 0;
    EXPECT(afterimage_gnm_picture(gnm, &wrong, rgba, sizeof rgba), REFUSED, "display's buffer");
    EXPECT(afterimage_gnm_scanout(gnm, NULL), ARGUMENT, "scanout: the pointer is NULL");
    EXPECT(afterimage_gnm_scanout(gnm, &scanout), ARGUMENT, "made without scanout");
    EXPECT(scanout.fd == -1, 1, NULL);
    EXPECT(afterimage_gnm_release(gnm, 0), ARGUMENT, "not handed out");
    EXPECT(afterimage_gnm_save(gnm, NULL, 0, NULL), ARGUMENT, "size: the pointer is NULL");
    EXPECT(afterimage_gnm_save(gnm, NULL, 8, &size), ARGUMENT, "bytes: the pointer is NULL");
    EXPECT(afterimage_gnm_save(gnm, bytes, sizeof bytes, &size), ARGUMENT, "there is room for 64");
    EXPECT(size > sizeof bytes, 1, NULL);
    EXPECT(afterimage_gnm_load(gnm, NULL, 4), ARGUMENT, "bytes: the pointer is NULL");
    EXPECT(afterimage_gnm_load(gnm, bytes, sizeof bytes), REFUSED, "no saved state");
    uint8_t *state = malloc(size);
    EXPECT(afterimage_gnm_save(gnm, state, size, &size), OK, "");
    EXPECT(afterimage_gnm_load(gnm, state, size - 1), REFUSED, "ends within");
    EXPECT(afterimage_gnm_load(gnm, state, size), OK, "");
    free(state);
    EXPECT(afterimage_gnm_capture(gnm, NULL, 1), ARGUMENT, "path: the pointer is NULL");
    EXPECT(afterimage_gnm_capture(gnm, "", 1), ARGUMENT, "a path");
    EXPECT(afterimage_gnm_capture(gnm, "x.aftercap", 0), ARGUMENT, "at least one frame");
}

static void library(void) {
    uint32_t cmd[256], sizes[] = {4}, none[12] = {0};
    const uint64_t draws[] = {BASE}, wrong[] = {~0ull};
    EXPECT((uint32_t)sceGnmDrawIndexAuto(NULL, 7, 3, 0), ~0u, "cmd: the pointer is NULL");
    EXPECT((uint32_t)sceGnmDrawIndexAuto(cmd, 6, 3, 0), ~0u, "takes 7 words, and 6 are there");
    EXPECT((uint32_t)sceGnmDrawIndexAuto(cmd, ~0u, 3, 0), ~0u, "more than");
    EXPECT((uint32_t)sceGnmDrawIndexAuto(cmd, 7, 3, 2), ~0u, "flags is 0x2");
    EXPECT((uint32_t)sceGnmDrawIndexAuto(cmd, 7, 3, 0), OK, "");
    EXPECT((uint32_t)sceGnmDrawIndirect(cmd, 9, 0, 99, 0, 0, 0), ~0u, "stage");
    EXPECT((uint32_t)sceGnmSetVgtControl(cmd, 3, 0, 2, 0), ~0u, "partial_vs_wave");
    EXPECT((uint32_t)sceGnmSetVsShader(cmd, 29, NULL, 0), ~0u, "regs");
    EXPECT((uint32_t)sceGnmSetVsShader(cmd, 29, none, 0), OK, "");
    EXPECT((uint32_t)sceGnmSetPsShader(cmd, 40, NULL), OK, "");
    EXPECT((uint32_t)sceGnmUpdatePsShader(cmd, 40, NULL), ~0u, "regs");
    EXPECT((uint32_t)sceGnmDrawInitDefaultHardwareState(cmd, 255), 0, "");
    EXPECT((uint32_t)sceGnmDrawInitDefaultHardwareState(cmd, 256), 256, "");
    EXPECT((uint32_t)sceGnmInsertPushMarker(cmd, 8, NULL), ~0u, "marker: the pointer is NULL");
    EXPECT((uint32_t)sceGnmInsertWaitFlipDone(cmd, 7, 99, 0), ~0u, "handle 99");
    EXPECT((uint32_t)sceGnmSubmitCommandBuffers(0, NULL, NULL, NULL, NULL), 0x80D11000u, "no command buffer");
    EXPECT((uint32_t)sceGnmSubmitCommandBuffers(1, NULL, sizes, NULL, NULL), 0x80D11000u, "addresses");
    EXPECT((uint32_t)sceGnmSubmitCommandBuffers(~0u, draws, sizes, NULL, NULL), 0x80D11000u, "more than");
    EXPECT((uint32_t)sceGnmSubmitCommandBuffers(1, wrong, sizes, NULL, NULL), OK, "");
    EXPECT((uint32_t)sceGnmSubmitAndFlipCommandBuffers(1, draws, sizes, NULL, NULL, 5, 0, 1, 0), 0x80D11080u, "room for a flip");
    EXPECT((uint32_t)sceGnmMapComputeQueue(7, 0, BASE, 16, BASE), 0x80D17000u, "pipe 7");
    EXPECT((uint32_t)sceGnmMapComputeQueue(0, 8, BASE, 16, BASE), 0x80D17001u, "ring 8");
    EXPECT((uint32_t)sceGnmMapComputeQueue(0, 0, BASE, 15, BASE), 0x80D17002u, "15 words");
    EXPECT((uint32_t)sceGnmMapComputeQueue(0, 0, BASE + 4, 16, BASE), 0x80D17003u, "multiple of 256");
    EXPECT((uint32_t)sceGnmMapComputeQueue(0, 0, BASE, 16, BASE + 1), 0x80D17004u, "multiple of 4");
    EXPECT((uint32_t)sceGnmMapComputeQueue(6, 7, BASE, 16, BASE), 56, "");
    EXPECT((uint32_t)sceGnmUnmapComputeQueue(3), 0x80D170FFu, "number 3");
    EXPECT((uint32_t)sceGnmUnmapComputeQueue(56), OK, "");
    EXPECT((uint32_t)sceGnmAreSubmitsAllowed(), 1, NULL);
}

int main(void) {
    const AfterimageGnmOptions ours = {.size = sizeof ours, .told = tell};
    const AfterimageGnmOptions theirs = {
        .size = sizeof theirs, .user = memory, .read = read_memory, .write = write_memory, .next_range = next_range};
    const AfterimageGnmOptions wrong = {
        .size = sizeof wrong, .user = memory, .read = no_read, .write = write_memory, .next_range = wrong_range, .told = tell};
    pthread_t thread;
    EXPECT(afterimage_gnm_version(), AFTERIMAGE_GNM_VERSION, "");
    creation();

    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &ours, &gnm), OK, "");
    EXPECT(afterimage_gnm_use(gnm), OK, "");
    arguments();
    library();
    EXPECT(told > 0, 1, NULL);
    pthread_create(&thread, NULL, from_another_thread, NULL);
    pthread_join(thread, NULL);
    EXPECT(afterimage_gnm_run(gnm, NULL), THREAD, "another thread");
    EXPECT((uint32_t)sceGnmSubmitDone(), OK, "");
    EXPECT(afterimage_gnm_adopt(gnm), OK, "");
    EXPECT(afterimage_gnm_destroy(gnm), OK, "");
    EXPECT(afterimage_gnm_destroy(gnm), GONE, "destroyed");
    EXPECT(afterimage_gnm_run(gnm, NULL), GONE, "destroyed");
    EXPECT((uint32_t)sceGnmSubmitDone(), 0x80D110FFu, "no processor is there");
    EXPECT((uint32_t)sceGnmAreSubmitsAllowed(), 0, "");

    /* Callbacks that call. */
    AfterimageGnm *before = gnm;
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &theirs, &gnm), OK, "");
    EXPECT(gnm != before, 1, NULL);
    EXPECT(afterimage_gnm_use(gnm), OK, "");
    EXPECT(afterimage_gnm_map(gnm, BASE, 4), ARGUMENT, "the memory is yours");
    memset(memory, 0, sizeof memory);
    const uint32_t nop[] = {0xC0001000, 0, 0xC0001000, 0};
    memcpy(memory, nop, sizeof nop);
    EXPECT(afterimage_gnm_submit(gnm, BASE, sizeof nop, 0, 0), OK, "");
    EXPECT(afterimage_gnm_run(gnm, NULL), OK, "");
    EXPECT(entries > 0, 1, NULL);
    for (unsigned call = 0; call < 8; call++) EXPECT(reentered[call] == (call == 6 ? 0x80D110FFu : REENTERED), 1, NULL);
    EXPECT(afterimage_gnm_destroy(gnm), OK, "");

    /* Ranges that are none. */
    EXPECT(afterimage_gnm_create(AFTERIMAGE_GNM_VERSION, &wrong, &gnm), OK, "");
    for (unsigned turn = 0; turn < 16; turn++) {
        const AfterimageGnmDisplay display = {BASE, 64, 64, 64, 10, 0, 8};
        EXPECT(afterimage_gnm_submit(gnm, BASE + 4096 * turn, 64, 0, 0), OK, "");
        EXPECT(afterimage_gnm_run(gnm, NULL), OK, "");
        EXPECT(afterimage_gnm_flip(gnm, &display), OK, "");
    }
    EXPECT(afterimage_gnm_destroy(gnm), OK, "");
    printf("%u checks, %u failed\n", checked, failed);
    return failed != 0;
}
