// What libFuzzer offers to a program that has a main of its own: https://llvm.org/docs/LibFuzzer.html
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));
