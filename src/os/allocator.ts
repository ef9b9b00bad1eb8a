// The allocator of glibc, set for a daemon that is small most of the time: mallopt(3). Others do not know these variables.

/**
 * A large piece of memory goes back to the system when it is freed, and the threads of Node's pool share one heap. By itself
 * glibc learns from each write of the state to keep pieces of its size, and the daemon of 300 apps 3 MB that it does not use.
 */
export const allocatorSettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** They have been read when the program begins, and are not for the programs it starts. */
export function forgetAllocatorSettings(): void {
  for (const name of Object.keys(allocatorSettings)) delete process.env[name];
}
