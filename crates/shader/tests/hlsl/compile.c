/* Compiles HLSL with the d3dcompiler_47.dll beside which it runs: compile.exe FILE.hlsl PROFILE OUT.cso */
#include <windows.h>
#include <d3dcompiler.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 4)
    {
        fprintf(stderr, "compile.exe FILE.hlsl PROFILE OUT.cso\n");
        return 2;
    }
    FILE *file = fopen(argv[1], "rb");
    if (!file)
    {
        fprintf(stderr, "%s cannot be opened\n", argv[1]);
        return 1;
    }
    static char source[1 << 16];
    size_t size = fread(source, 1, sizeof(source), file);
    fclose(file);
    ID3DBlob *code = NULL, *errors = NULL;
    HRESULT hr = D3DCompile(source, size, argv[1], NULL, NULL, "main", argv[2], 0, 0, &code, &errors);
    if (errors)
        fprintf(stderr, "%s", (const char *)errors->lpVtbl->GetBufferPointer(errors));
    if (FAILED(hr))
    {
        fprintf(stderr, "%s: %08lx\n", argv[1], (unsigned long)hr);
        return 1;
    }
    file = fopen(argv[3], "wb");
    if (!file || fwrite(code->lpVtbl->GetBufferPointer(code), 1, code->lpVtbl->GetBufferSize(code), file)
            != code->lpVtbl->GetBufferSize(code) || fclose(file))
    {
        fprintf(stderr, "%s cannot be written\n", argv[3]);
        return 1;
    }
    return 0;
}
