// Settings of glibc's allocator for a daemon that is small most of the time: mallopt(3). Other C libraries ignore them.

/**
 * Large blocks return to the system as soon as they are freed, and the threads of Node's pool share one heap. With
 * glibc's defaults, each write of the state file teaches the allocator to keep blocks of that size, which costs a
 * daemon of 300 apps 3 MB.
 */
export const allocatorSettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** Removes the variables: glibc has read them at startup, and child processes must not inherit them. */
export function forgetAllocatorSettings(): void {
  for (const name of Object.keys(allocatorSettings)) delete process.env[name];
}
