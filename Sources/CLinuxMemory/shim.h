// What glibc says about a process's memory, and Swift's Glibc module does not have: malloc_trim(3), getauxval(3),
// dl_iterate_phdr(3).

#ifndef CLINUXMEMORY_SHIM_H
#define CLINUXMEMORY_SHIM_H

#if !__has_include(<malloc.h>)
#error "the headers of the GNU C library are missing, and Earshot runs on nothing else: install libc6-dev"
#endif

#include <elf.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/auxv.h>

// The beginning of a `struct dl_phdr_info`. <link.h> has it only where _GNU_SOURCE is defined, which would give this module other
// definitions of what Swift's has, too.
struct clinuxmemory_file {
    Elf64_Addr base;
    const char *name;
    const Elf64_Phdr *segments;
    Elf64_Half segment_count;
};

// dl_iterate_phdr(3).
int clinuxmemory_each_file(
    int (*body)(const struct clinuxmemory_file *file, size_t size, void *context), void *context
) __asm__("dl_iterate_phdr");

#endif
