/* A program that fills a texture again and again, draws with it, and presents nothing: as many do while they load. Prints by how many MiB
 * its peak memory grew. Exit status 77: this machine has no Vulkan driver. */

#define CINTERFACE
#include <d3d9.h>

#include <stdio.h>
#include <string.h>

enum { SIZE = 512, FIRST = 16, ROUNDS = 640 };

/* MiB. */
static long peak(void) {
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    if (!status) return 0;
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
    fclose(status);
    return kib / 1024;
}

int main(void) {
    static const struct {
        float x, y, z, w, u, v;
    } corners[3] = {
        {0, 0, 0.5f, 1, 0, 0},
        {128, 0, 0.5f, 1, 2, 0},
        {0, 128, 0.5f, 1, 0, 2},
    };
    D3DPRESENT_PARAMETERS parameters = {0};
    D3DLOCKED_RECT locked;
    IDirect3DDevice9 *device = NULL;
    IDirect3DVertexBuffer9 *vertices = NULL;
    IDirect3DTexture9 *texture = NULL;
    IDirect3DSurface9 *target = NULL, *copy = NULL;
    IDirect3D9 *direct3d = Direct3DCreate9(D3D_SDK_VERSION);
    void *bytes = NULL;
    long before = 0;
    int round, row;

    if (!direct3d) return 77;
    parameters.BackBufferWidth = parameters.BackBufferHeight = 64;
    parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
    parameters.SwapEffect = D3DSWAPEFFECT_DISCARD;
    parameters.Windowed = TRUE;
    if (FAILED(IDirect3D9_CreateDevice(direct3d, D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, NULL,
                                       D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters, &device)))
        return 1;
    if (FAILED(IDirect3DDevice9_CreateTexture(device, SIZE, SIZE, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &texture, NULL))) return 2;
    if (FAILED(IDirect3DDevice9_CreateVertexBuffer(device, sizeof corners, 0, 0, D3DPOOL_MANAGED, &vertices, NULL))) return 3;
    if (FAILED(IDirect3DVertexBuffer9_Lock(vertices, 0, 0, &bytes, 0))) return 3;
    memcpy(bytes, corners, sizeof corners);
    IDirect3DVertexBuffer9_Unlock(vertices);
    IDirect3DDevice9_SetFVF(device, D3DFVF_XYZRHW | D3DFVF_TEX1);
    IDirect3DDevice9_SetStreamSource(device, 0, vertices, 0, sizeof corners[0]);
    IDirect3DDevice9_SetTextureStageState(device, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG1);
    IDirect3DDevice9_SetTexture(device, 0, (IDirect3DBaseTexture9 *)texture);
    IDirect3DDevice9_BeginScene(device);
    for (round = 0; round < FIRST + ROUNDS; round++) {
        if (round == FIRST) before = peak();
        if (FAILED(IDirect3DTexture9_LockRect(texture, 0, &locked, NULL, 0))) return 4;
        for (row = 0; row < SIZE; row++) memset((char *)locked.pBits + row * locked.Pitch, round & 0xff, SIZE * 4);
        IDirect3DTexture9_UnlockRect(texture, 0);
        if (FAILED(IDirect3DDevice9_DrawPrimitive(device, D3DPT_TRIANGLELIST, 0, 1))) return 5;
    }
    IDirect3DDevice9_EndScene(device);
    /* The last texels are those that were drawn. */
    if (FAILED(IDirect3DDevice9_GetRenderTarget(device, 0, &target))) return 6;
    if (FAILED(IDirect3DDevice9_CreateOffscreenPlainSurface(device, 64, 64, D3DFMT_X8R8G8B8, D3DPOOL_SYSTEMMEM, &copy, NULL))) return 6;
    if (FAILED(IDirect3DDevice9_GetRenderTargetData(device, target, copy))) return 6;
    if (FAILED(IDirect3DSurface9_LockRect(copy, &locked, NULL, D3DLOCK_READONLY))) return 6;
    if (*(unsigned char *)locked.pBits != ((FIRST + ROUNDS - 1) & 0xff)) return 7;
    IDirect3DSurface9_UnlockRect(copy);
    printf("%ld\n", peak() - before);
    return 0;
}
