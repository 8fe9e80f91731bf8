// What Linux says about files, and Swift's Glibc module does not have: open(2), ioctl_ficlone(2), pipe(2).

#ifndef CLINUXFILES_SHIM_H
#define CLINUXFILES_SHIM_H

#if !__has_include(<linux/fs.h>)
#error "Linux's headers are missing, and Earshot runs on nothing else: install linux-libc-dev"
#endif

#include <fcntl.h>
#include <linux/fs.h>

// Declared by unistd.h, too, where it is asked for all of GNU's extensions.
int pipe2(int ends[2], int flags);

static inline int clinuxfiles_pipe(int *ends, int flags) { return pipe2(ends, flags); }

static const int clinuxfiles_direct = __O_DIRECT;
static const unsigned long clinuxfiles_clone = FICLONE;

#endif
