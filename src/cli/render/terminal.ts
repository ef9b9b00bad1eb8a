// The properties of the output stream that renderers need.

export interface Terminal {
  /** Width in characters. */
  columns: number;
  colour: boolean;
  /** False for a pipe or a file: no frames, and nothing is dropped or shortened. */
  tty: boolean;
}

interface Stream {
  isTTY?: boolean;
  columns?: number;
}

/** NO_COLOR (https://no-color.org) wins over FORCE_COLOR, which wins over the type of the stream. */
export function terminalOf(stream: Stream, env: Record<string, string | undefined>): Terminal {
  const tty = stream.isTTY === true;
  return { tty, columns: stream.columns || 80, colour: wantsColour(tty, env) };
}

function wantsColour(tty: boolean, { NO_COLOR, FORCE_COLOR, TERM }: Record<string, string | undefined>): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return tty && TERM !== 'dumb';
}
