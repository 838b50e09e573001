/* A program that follows a null pointer at one place, and would do well if it went on. Its argument says how:
 *
 * `calls`: a method of an object whose table has no function for it; what comes back should be 0.
 * `reads`: a number through a null pointer; it should be 7.
 *
 * Exit status 0; 1: something else came back. */

#define CINTERFACE
#include <d3d9.h>

#include <stdio.h>
#include <string.h>

typedef struct Shader Shader;
typedef struct {
    int(__stdcall *find)(Shader *self, int kind);
} Methods;
struct Shader {
    const Methods *methods;
};

static const Methods none;
/* The compiler must not know that there is nothing. */
static Shader *volatile shader = &(Shader){&none};

static int calls(void) { return shader->methods->find(shader, 5); }

static int reads(void) {
    int value;
    __asm__ volatile("xorl %%eax, %%eax\n\tmovl (%%eax), %%eax" : "=a"(value) : : "memory");
    return value;
}

int main(int count, char **words) {
    int by_call = count > 1 && !strcmp(words[1], "calls"), times, value = 0;
    /* The library reads its configuration here, whether or not anybody can render. */
    IDirect3D9 *direct3d = Direct3DCreate9(D3D_SDK_VERSION);
    for (times = 0; times < 3; times++) {
        value = by_call ? calls() : reads();
        if (value != (by_call ? 0 : 7)) break;
    }
    if (direct3d) IDirect3D9_Release(direct3d);
    printf("went on %d times, the last time with %d\n", times, value);
    return times == 3 ? 0 : 1;
}
