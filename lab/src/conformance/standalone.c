/* What Wine's tests need to be a program of their own: the table of tests (AFTERIMAGE_TESTS is TEST(name) for each file),
 * somewhere for debug output to go, and what START_TEST asks before and tells after each sub-test. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <stdio.h>
#include <string.h>

#define STANDALONE
#include "wine/test.h"

#define TEST(name) void func_##name(void);
AFTERIMAGE_TESTS
#undef TEST
#define TEST(name) {#name, func_##name},

const struct test winetest_testlist[] = {AFTERIMAGE_TESTS{NULL, NULL}};

static const volatile LONG *const counters[] = {&winetest_successes, &winetest_failures, &winetest_todo_successes,
                                                &winetest_todo_failures, &winetest_skipped};
static LONG before[5];
static const char *running;

/* Whether a sub-test is the one that AFTERIMAGE_SUBTEST names, or none is named. */
int afterimage_begin(const char *name)
{
    char wanted[128];
    int i;

    if (GetEnvironmentVariableA("AFTERIMAGE_SUBTEST", wanted, sizeof(wanted)) && strcmp(wanted, name)) return 0;
    running = name;
    for (i = 0; i < 5; i++) before[i] = *counters[i];
    return 1;
}

/* Says what became of the checks of the sub-test that runs. */
void afterimage_end(void)
{
    LONG counts[5];
    int i;

    for (i = 0; i < 5; i++) counts[i] = *counters[i] - before[i];
    printf("\nafterimage-subtest %s passed=%ld failed=%ld todo=%ld todo_passed=%ld skipped=%ld\n", running, counts[0],
           counts[1], counts[2], counts[3], counts[4]);
    fflush(stdout);
}

/* As Wine's own C library computes them, with which d3dx9 does: the tests expect the same bits. */
#define AS_WINE(name) \
    float name(float x) \
    { \
        static float(__cdecl * own)(float); \
        if (!own) own = (void *)GetProcAddress(LoadLibraryA("ucrtbase.dll"), #name); \
        return own(x); \
    }
AS_WINE(cosf)
AS_WINE(sinf)

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
