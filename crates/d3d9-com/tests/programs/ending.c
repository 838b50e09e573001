/* A program that ends in the middle of what it draws, and releases nothing. Exit status 7; 77: this machine has no Vulkan driver.
 *
 * Its argument says how it ends: `exits`, as without one, or `is killed`. */

#define CINTERFACE
#include <d3d9.h>

#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <signal.h>
#endif

static void end(const char *how) {
#ifdef _WIN32
    if (!strcmp(how, "is killed")) TerminateProcess(GetCurrentProcess(), 9);
#else
    if (!strcmp(how, "is killed")) raise(9);
#endif
    exit(7);
}

int main(int count, char **words) {
    static const struct {
        float x, y, z, w;
        D3DCOLOR color;
    } corners[3] = {
        {0, 0, 0.5f, 1, 0x80ff0000},
        {512, 0, 0.5f, 1, 0x8000ff00},
        {0, 512, 0.5f, 1, 0x800000ff},
    };
    D3DPRESENT_PARAMETERS parameters = {0};
    IDirect3DDevice9 *device = NULL;
    IDirect3D9 *direct3d = Direct3DCreate9(D3D_SDK_VERSION);
    unsigned frame, draw;

    if (!direct3d) return 77;
    parameters.BackBufferWidth = parameters.BackBufferHeight = 512;
    parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
    parameters.SwapEffect = D3DSWAPEFFECT_DISCARD;
    parameters.Windowed = TRUE;
#ifdef _WIN32
    parameters.hDeviceWindow = CreateWindowA("static", "ending", WS_POPUP | WS_VISIBLE, 0, 0, 512, 512, NULL, NULL, NULL, NULL);
#endif
    if (FAILED(IDirect3D9_CreateDevice(direct3d, D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, NULL,
                                       D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters, &device)))
        return 1;
    IDirect3DDevice9_SetFVF(device, D3DFVF_XYZRHW | D3DFVF_DIFFUSE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHABLENDENABLE, TRUE);
    for (frame = 0; frame < 2; frame++) {
        IDirect3DDevice9_Clear(device, 0, NULL, D3DCLEAR_TARGET, 0, 1.0f, 0);
        IDirect3DDevice9_BeginScene(device);
        /* States that were never drawn with: each is compiled. */
        for (draw = 0; draw < 20; draw++) {
            IDirect3DDevice9_SetRenderState(device, D3DRS_SRCBLEND, D3DBLEND_ONE + draw % 5);
            IDirect3DDevice9_SetRenderState(device, D3DRS_DESTBLEND, D3DBLEND_ONE + (draw / 5 + frame) % 5);
            if (FAILED(IDirect3DDevice9_DrawPrimitiveUP(device, D3DPT_TRIANGLELIST, 1, corners, sizeof corners[0])))
                return 2;
        }
        IDirect3DDevice9_EndScene(device);
        if (FAILED(IDirect3DDevice9_Present(device, NULL, NULL, NULL, NULL))) return 3;
    }
    end(count > 1 ? words[1] : "exits");
    return 4;
}
