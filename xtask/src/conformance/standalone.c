/* What Wine's Direct3D 9 tests need to be a program of their own: the table of tests, somewhere for debug output to go, and the
 * function that START_TEST calls each sub-test through. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <stdio.h>
#include <string.h>

#define STANDALONE
#include "wine/test.h"

void func_d3d9ex(void);
void func_device(void);
void func_stateblock(void);
void func_visual(void);

const struct test winetest_testlist[] = {
    {"stateblock", func_stateblock},
    {"d3d9ex", func_d3d9ex},
    {"device", func_device},
    {"visual", func_visual},
    {NULL, NULL},
};

/* Runs a sub-test if it is the one that AFTERIMAGE_SUBTEST names, and says what became of its checks. */
void afterimage_subtest(const char *name, void (*run)(void))
{
    const volatile LONG *counters[] = {&winetest_successes, &winetest_failures, &winetest_todo_successes,
                                       &winetest_todo_failures, &winetest_skipped};
    LONG counts[5];
    char wanted[128];
    int i;

    if (GetEnvironmentVariableA("AFTERIMAGE_SUBTEST", wanted, sizeof(wanted)) && strcmp(wanted, name)) return;
    for (i = 0; i < 5; i++) counts[i] = *counters[i];
    run();
    for (i = 0; i < 5; i++) counts[i] = *counters[i] - counts[i];
    printf("\nafterimage-subtest %s passed=%ld failed=%ld todo=%ld todo_passed=%ld skipped=%ld\n", name, counts[0], counts[1],
           counts[2], counts[3], counts[4]);
    fflush(stdout);
}

struct __wine_debug_channel;

/* Text that outlives the call for a while: the last so many bytes of it. */
const char *__cdecl __wine_dbg_strdup(const char *text)
{
    static char kept[1 << 16];
    static size_t next;
    size_t size = strlen(text) + 1;
    char *copy;

    if (size > sizeof(kept)) size = sizeof(kept);
    if (size > sizeof(kept) - next) next = 0;
    copy = kept + next;
    next += size;
    memcpy(copy, text, size - 1);
    copy[size - 1] = 0;
    return copy;
}

unsigned char __cdecl __wine_dbg_get_channel_flags(struct __wine_debug_channel *channel)
{
    (void)channel;
    return 0;
}

int __cdecl __wine_dbg_output(const char *text)
{
    return fputs(text, stderr);
}

int __cdecl __wine_dbg_header(enum __wine_debug_class level, struct __wine_debug_channel *channel, const char *function)
{
    (void)level, (void)channel, (void)function;
    return -1;
}
