/* Generated from the tables of afterimage-d3d9-types and afterimage-d3d9-com; do not edit.
 * AFTERIMAGE_BLESS=1 cargo test -p afterimage-d3d9-com --test headers */
#ifndef AFTERIMAGE_WINDOWS_H
#define AFTERIMAGE_WINDOWS_H

/* The part of the Windows API's basic types that Direct3D 9 needs, for programs built natively. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

typedef int32_t BOOL;
typedef uint8_t BOOLEAN, BYTE, UCHAR, UINT8;
typedef int8_t INT8;
typedef char CHAR;
typedef wchar_t WCHAR;
typedef int16_t SHORT, INT16;
typedef uint16_t WORD, USHORT, UINT16;
typedef int32_t INT, LONG, INT32, HRESULT;
typedef uint32_t UINT, DWORD, ULONG, UINT32;
typedef int64_t LONGLONG, INT64;
typedef uint64_t ULONGLONG, DWORD64, UINT64;
typedef float FLOAT;
typedef intptr_t INT_PTR, LONG_PTR, LPARAM, LRESULT;
typedef uintptr_t UINT_PTR, ULONG_PTR, DWORD_PTR, WPARAM;
typedef size_t SIZE_T;
typedef void VOID, *PVOID, *LPVOID;
typedef const void *LPCVOID;
typedef char *LPSTR;
typedef const char *LPCSTR;
typedef wchar_t *LPWSTR;
typedef const wchar_t *LPCWSTR;
typedef DWORD *LPDWORD;
typedef DWORD COLORREF;

/* A window is an SDL_Window. */
typedef void *HANDLE, *HWND, *HDC, *HMONITOR, *HINSTANCE, *HMODULE, *HCURSOR;

typedef union _LARGE_INTEGER {
    struct { DWORD LowPart; LONG HighPart; } u;
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
    __extension__ struct { DWORD LowPart; LONG HighPart; };
#endif
    LONGLONG QuadPart;
} LARGE_INTEGER;

#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif
#define CONST const
#define WINAPI
#define CALLBACK
#define STDMETHODCALLTYPE
#define MAX_PATH 260

#define SUCCEEDED(result) ((HRESULT)(result) >= 0)
#define FAILED(result) ((HRESULT)(result) < 0)
#define MAKE_HRESULT(severity, facility, code) \
    ((HRESULT)(((uint32_t)(severity) << 31) | ((uint32_t)(facility) << 16) | (uint32_t)(code)))
#define LOWORD(value) ((WORD)((DWORD_PTR)(value) & 0xffff))
#define HIWORD(value) ((WORD)((DWORD_PTR)(value) >> 16 & 0xffff))
#define ZeroMemory(to, size) memset((to), 0, (size))
#define CopyMemory(to, from, size) memcpy((to), (from), (size))

/* Globally unique identifier. */
typedef struct _GUID {
    UINT Data1;
    WORD Data2;
    WORD Data3;
    BYTE Data4[8];
} GUID;

/* Locally unique identifier. */
typedef struct _LUID {
    UINT LowPart;
    INT HighPart;
} LUID;

/* Point in pixels. */
typedef struct _POINT {
    INT x;
    INT y;
} POINT;

/* Rectangle in pixels; right and bottom are exclusive. */
typedef struct _RECT {
    INT left;
    INT top;
    INT right;
    INT bottom;
} RECT;

/* Palette entry. */
typedef struct _PALETTEENTRY {
    BYTE peRed;
    BYTE peGreen;
    BYTE peBlue;
    BYTE peFlags;
} PALETTEENTRY;

/* Header of a region. */
typedef struct _RGNDATAHEADER {
    UINT dwSize;
    UINT iType;
    UINT nCount;
    UINT nRgnSize;
    RECT rcBound;
} RGNDATAHEADER;

/* Region: header followed by `nCount` rectangles. */
typedef struct _RGNDATA {
    RGNDATAHEADER rdh;
    char Buffer[1];
} RGNDATA;

typedef GUID IID, UUID, CLSID;
#ifdef __cplusplus
typedef const GUID &REFGUID, &REFIID;
inline bool operator==(REFGUID a, REFGUID b) { return memcmp(&a, &b, sizeof(GUID)) == 0; }
inline bool operator!=(REFGUID a, REFGUID b) { return !(a == b); }
#define IsEqualGUID(a, b) ((a) == (b))
#else
typedef const GUID *REFGUID, *REFIID;
#define IsEqualGUID(a, b) (memcmp((a), (b), sizeof(GUID)) == 0)
#endif
#define IsEqualIID(a, b) IsEqualGUID(a, b)

/* Results. */
#define E_ABORT ((HRESULT)0x80004004u)
#define E_FAIL ((HRESULT)0x80004005u)
#define E_INVALIDARG ((HRESULT)0x80070057u)
#define E_NOINTERFACE ((HRESULT)0x80004002u)
#define E_NOTIMPL ((HRESULT)0x80004001u)
#define E_OUTOFMEMORY ((HRESULT)0x8007000eu)
#define E_POINTER ((HRESULT)0x80004003u)
#define S_FALSE ((HRESULT)0x00000001u)
#define S_OK ((HRESULT)0x00000000u)

#ifdef __cplusplus
/* __uuidof(Interface): each interface specialises this. */
template <typename T> struct AfterimageUuid;
#define __uuidof(interface_name) (AfterimageUuid<interface_name>::value())
#endif

typedef struct IUnknown IUnknown;

#if defined(__GNUC__)
#define AFTERIMAGE_IID __attribute__((unused)) static const
#else
#define AFTERIMAGE_IID static const
#endif
AFTERIMAGE_IID GUID IID_IUnknown = { 0x00000000, 0x0000, 0x0000, { 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46 } };
#undef AFTERIMAGE_IID

#if defined(__cplusplus) && !defined(CINTERFACE)

/* What every object can do. */
struct IUnknown {
    virtual HRESULT STDMETHODCALLTYPE QueryInterface(REFGUID riid, void **ppvObject) = 0;
    virtual UINT STDMETHODCALLTYPE AddRef(void) = 0;
    virtual UINT STDMETHODCALLTYPE Release(void) = 0;
};
template <> struct AfterimageUuid<IUnknown> { static const GUID &value() { return IID_IUnknown; } };

#else

typedef struct IUnknownVtbl {
    HRESULT (STDMETHODCALLTYPE *QueryInterface)(IUnknown *This, REFGUID riid, void **ppvObject);
    UINT (STDMETHODCALLTYPE *AddRef)(IUnknown *This);
    UINT (STDMETHODCALLTYPE *Release)(IUnknown *This);
} IUnknownVtbl;
struct IUnknown { const IUnknownVtbl *lpVtbl; };
#define IUnknown_QueryInterface(p, a, b) (p)->lpVtbl->QueryInterface(p, a, b)
#define IUnknown_AddRef(p) (p)->lpVtbl->AddRef(p)
#define IUnknown_Release(p) (p)->lpVtbl->Release(p)

#endif

#endif
