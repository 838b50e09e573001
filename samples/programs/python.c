/* Starts the Python that lies beside it as python311.dll, as `python.exe` does: wheels bring the library, but no program. */
#include <windows.h>
#include <stdio.h>

int wmain(int count, wchar_t **words)
{
    HMODULE library = LoadLibraryW(L"python311.dll");
    int (*run)(int, wchar_t **) = library ? (int (*)(int, wchar_t **))(void *)GetProcAddress(library, "Py_Main") : NULL;

    if (!run) {
        fprintf(stderr, "error: cannot load python311.dll, or it has no Py_Main: error %lu\n", GetLastError());
        return 1;
    }
    return run(count, words);
}
