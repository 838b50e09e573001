/* A program that asks for Direct3D three times and says each time whether there is any, with the milliseconds that it took. */

#include <d3d9.h>

#include <stdio.h>
#ifdef _WIN32
#define NOW() ((unsigned long)GetTickCount())
#else
#include <time.h>
static unsigned long NOW(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000ul + now.tv_nsec / 1000000ul;
}
#endif

int main(void) {
    int time;
    for (time = 0; time < 3; time++) {
        unsigned long begin = NOW();
        IDirect3D9 *direct3d = Direct3DCreate9(D3D_SDK_VERSION);
        printf("%s %lu\n", direct3d ? "there" : "refused", NOW() - begin);
        fflush(stdout);
    }
    return 0;
}
