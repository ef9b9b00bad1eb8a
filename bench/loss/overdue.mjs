// Tells a server that does not answer from a client that was not given the processor: beside busy programs the time of a
// request may be over before the client has read the answer that has long come.

/**
 * Calls `hung` when nothing has come for `timeout` milliseconds. `progress` returns a number that grows with what comes.
 * Returns a function that cancels.
 */
export function whenOverdue(timeout, progress, hung) {
  let isOver = false;
  let timer = setTimeout(look, timeout);

  function look() {
    const before = progress();
    // The event loop runs its timers first; until this is called, it has read all sockets once.
    setImmediate(() => {
      if (isOver) return;
      if (progress() > before) timer = setTimeout(look, timeout);
      else hung();
    });
  }

  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
