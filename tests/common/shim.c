/* Put before the C library: a file system without locks, and a clock that goes back. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

int flock(int file, int operation) {
    (void)file;
    (void)operation;
    errno = ENOLCK;
    return -1;
}

/* Every question finds the clock of the wall ten minutes earlier than the one before. */
int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    static long asked;
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int found = real(clock, time);
    if (clock == CLOCK_REALTIME) time->tv_sec -= 600 * __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
    return found;
}
