// A task that ends its processes is given up, by every store in the same way.

/** With which death of a process a task has failed. */
export const mostDeaths = 3;

export const diedError = `${mostDeaths} processes died, or did not turn their event loop, while they worked on it`;
