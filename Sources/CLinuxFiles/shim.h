// What Linux says about files, and Swift's Glibc module does not have: open(2), ioctl_ficlone(2).

#ifndef CLINUXFILES_SHIM_H
#define CLINUXFILES_SHIM_H

#include <fcntl.h>
#include <linux/fs.h>

static const int clinuxfiles_direct = __O_DIRECT;
static const unsigned long clinuxfiles_clone = FICLONE;

#endif
