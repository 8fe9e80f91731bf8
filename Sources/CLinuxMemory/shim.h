// What glibc says about a process's memory, and Swift's Glibc module does not have: malloc_trim(3), dl_iterate_phdr(3),
// getauxval(3).

#ifndef CLINUXMEMORY_SHIM_H
#define CLINUXMEMORY_SHIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <sys/auxv.h>

#endif
