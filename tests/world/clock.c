/* Moves the wall clock of one program: by as many seconds as stand in the file CLOCK_OFFSET. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  const char *path = getenv("CLOCK_OFFSET");
  FILE *file = clock == CLOCK_REALTIME && path ? fopen(path, "r") : NULL;
  if (file) {
    long offset = 0;
    if (fscanf(file, "%ld", &offset) == 1) time->tv_sec += offset;
    fclose(file);
  }
  return result;
}
