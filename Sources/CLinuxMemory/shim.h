// What glibc says about a process's memory, and Swift's Glibc module does not have: malloc_trim(3).

#ifndef CLINUXMEMORY_SHIM_H
#define CLINUXMEMORY_SHIM_H

#include <malloc.h>

#endif
