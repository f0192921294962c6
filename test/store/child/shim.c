/*
 * A disk that fails when told: preloaded before libc, it lets every call through until the file $SHIM_TRIGGER exists.
 * From then on calls on files whose path contains $SHIM_PATH fail as $SHIM_FAULT says: "sync" (EIO from fdatasync,
 * fsync, msync), "once" (the same, but the first sync only), "meta" (EIO from the write of a meta page, which LMDB makes
 * through a descriptor opened O_DSYNC), "full" (ENOSPC from every write), "slow" (a sync takes $SHIM_SECONDS).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int failed_once = 0;

static int is_fault(const char *name) {
  const char *fault = getenv("SHIM_FAULT"), *trigger = getenv("SHIM_TRIGGER");
  return fault && trigger && strcmp(fault, name) == 0 && access(trigger, F_OK) == 0;
}

static int is_ours(int fd) {
  char link[64], path[PATH_MAX];
  const char *part = getenv("SHIM_PATH");
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0 || !part) return 0;
  path[length] = 0;
  return strstr(path, part) != NULL && strstr(path, ".mdb") != NULL;
}

static int is_meta(int fd) { return (fcntl(fd, F_GETFL) & O_DSYNC) != 0; }

static int sync_fault(int fd) {
  if (!is_ours(fd)) return 0;
  if (is_fault("slow")) sleep(atoi(getenv("SHIM_SECONDS")));
  if (is_fault("once") && !__sync_fetch_and_add(&failed_once, 1)) return EIO;
  return is_fault("sync") ? EIO : 0;
}

static int write_fault(int fd) {
  if (!is_ours(fd)) return 0;
  if (is_fault("full")) return ENOSPC;
  return is_fault("meta") && is_meta(fd) ? EIO : 0;
}

#define THROUGH(fault, type, name, arguments, ...)                  \
  type name arguments {                                             \
    static type(*real) arguments;                                   \
    if (!real) real = (type(*) arguments)dlsym(RTLD_NEXT, #name);   \
    int error = fault;                                              \
    if (error) return errno = error, -1;                            \
    return real(__VA_ARGS__);                                       \
  }

THROUGH(sync_fault(fd), int, fdatasync, (int fd), fd)
THROUGH(sync_fault(fd), int, fsync, (int fd), fd)
THROUGH(is_fault("sync") ? EIO : 0, int, msync, (void *at, size_t length, int flags), at, length, flags)
THROUGH(write_fault(fd), ssize_t, write, (int fd, const void *from, size_t length), fd, from, length)
THROUGH(write_fault(fd), ssize_t, pwrite, (int fd, const void *from, size_t length, off_t at), fd, from, length, at)
THROUGH(write_fault(fd), ssize_t, pwrite64, (int fd, const void *from, size_t length, off64_t at), fd, from, length, at)
THROUGH(write_fault(fd), ssize_t, writev, (int fd, const struct iovec *from, int count), fd, from, count)
THROUGH(write_fault(fd), ssize_t, pwritev, (int fd, const struct iovec *from, int count, off_t at), fd, from, count, at)
THROUGH(write_fault(fd), ssize_t, pwritev64, (int fd, const struct iovec *from, int count, off64_t at), fd, from, count, at)
