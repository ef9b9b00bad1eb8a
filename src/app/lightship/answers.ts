// What the probes are answered. Pure.

export interface Standing {
  isReady: boolean;
  isShuttingDown: boolean;
}

export interface Reply {
  code: 200 | 404 | 500;
  body: string;
}

/** `path` is that of the request. */
export function replyTo(path: string | undefined, { isReady, isShuttingDown }: Standing): Reply {
  switch (path?.split('?', 1)[0]) {
    case '/health':
      if (isShuttingDown) return { code: 500, body: 'SERVER_IS_SHUTTING_DOWN' };
      return readiness(isReady);
    case '/live':
      if (isShuttingDown) return { code: 500, body: 'SERVER_IS_SHUTTING_DOWN' };
      return { code: 200, body: 'SERVER_IS_NOT_SHUTTING_DOWN' };
    case '/ready':
      return readiness(isReady && !isShuttingDown);
    default:
      return { code: 404, body: 'not found; the probes are /health, /live and /ready' };
  }
}

function readiness(isReady: boolean): Reply {
  return isReady ? { code: 200, body: 'SERVER_IS_READY' } : { code: 500, body: 'SERVER_IS_NOT_READY' };
}
