/* A program that embeds libd3d9 and captures two of its frames: capture FILE.aftercap
 *
 *     cc capture.c -I include/afterimage -L target/release -ld3d9 -o capture
 *
 * Exit status 77: this machine has no Vulkan driver. */

#define CINTERFACE
#include <afterimage.h>
#include <d3d9.h>

#include <stdio.h>

/* WKPDID_D3DDebugObjectName: private data of this name is what tools call a resource. */
static const GUID NAME = {0x429b8c22, 0x9188, 0x4b0c, {0x87, 0x42, 0xac, 0xb0, 0xbf, 0x85, 0xc2, 0x00}};

static int fail(const char *what, HRESULT result) {
    fprintf(stderr, "%s: 0x%08x\n", what, (unsigned)result);
    return 1;
}

int main(int count, char **words) {
    static const char name[] = "canvas";
    static const WCHAR mark[] = {'p', 'a', 'i', 'n', 't', 0};
    D3DPRESENT_PARAMETERS parameters = {0};
    IDirect3DSurface9 *back = NULL;
    IDirect3DDevice9 *device = NULL;
    IDirect3D9 *direct3d;
    HRESULT result;
    unsigned frame;

    if (count != 2) {
        fprintf(stderr, "usage: %s FILE.aftercap\n", words[0]);
        return 2;
    }
    if (AfterimageCaptureFrames(words[1], 2) != 0) return fail("there are no devices yet", 0);
    direct3d = Direct3DCreate9(D3D_SDK_VERSION);
    if (!direct3d) return 77;
    parameters.BackBufferWidth = 64;
    parameters.BackBufferHeight = 48;
    parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
    parameters.SwapEffect = D3DSWAPEFFECT_COPY;
    parameters.Windowed = TRUE;
    result = IDirect3D9_CreateDevice(direct3d, D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, NULL,
                                     D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters, &device);
    if (FAILED(result)) return fail("CreateDevice", result);
    result = IDirect3DDevice9_GetBackBuffer(device, 0, 0, D3DBACKBUFFER_TYPE_MONO, &back);
    if (FAILED(result)) return fail("GetBackBuffer", result);
    result = IDirect3DSurface9_SetPrivateData(back, &NAME, name, sizeof name, 0);
    if (FAILED(result)) return fail("SetPrivateData", result);
    IDirect3DSurface9_Release(back);
    for (frame = 0; frame < 5; frame++) {
        if (frame == 2) {
            printf("%u devices will be captured\n", AfterimageCaptureFrames(words[1], 2));
            if (AfterimageCaptureFrames(NULL, 2) != 0 || AfterimageCaptureFrames(words[1], 0) != 0)
                return fail("wrong arguments", 0);
        }
        D3DPERF_BeginEvent(D3DCOLOR_XRGB(255, 0, 0), mark);
        result = IDirect3DDevice9_Clear(device, 0, NULL, D3DCLEAR_TARGET, D3DCOLOR_XRGB(frame * 50, 100, 200), 1.0f, 0);
        if (FAILED(result)) return fail("Clear", result);
        D3DPERF_EndEvent();
        result = IDirect3DDevice9_Present(device, NULL, NULL, NULL, NULL);
        if (FAILED(result)) return fail("Present", result);
    }
    IDirect3DDevice9_Release(device);
    IDirect3D9_Release(direct3d);
    return 0;
}
