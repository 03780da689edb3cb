/* The library of random numbers that Rust's standard library uses on Windows, for Wine 8, which has none. It also
   takes the home directory from HOME, since Wine sets USERPROFILE itself. For tests, beside pimem.exe; never shipped. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }

BOOL WINAPI DllMain(HINSTANCE self, DWORD why, LPVOID reserved) {
  WCHAR home[1024];
  if (why == DLL_PROCESS_ATTACH && GetEnvironmentVariableW(L"HOME", home, 1024))
    SetEnvironmentVariableW(L"USERPROFILE", home);
  return TRUE;
}
