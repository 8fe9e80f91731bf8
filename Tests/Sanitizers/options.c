// What the sanitizers are told, in every program that script/sanitize builds. Environment variables would not do: tests
// start programs with an environment of their own, whose reports would be lost in their standard error.
//
// REPORTS is where reports go to: the beginning of a file name, which gets the number of the process. SUPPRESSIONS is the
// path of address.supp, which says what is suppressed and why.

#define SEEN __attribute__((used, visibility("default")))

SEEN const char *__tsan_default_options(void) { return "log_path=" REPORTS; }

SEEN const char *__asan_default_options(void) { return "log_path=" REPORTS ":detect_leaks=0:suppressions=" SUPPRESSIONS; }
