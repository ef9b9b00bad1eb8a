// Cuts an answer into parts that fit into messages.
import { longestPart } from '../../ipc/worker-messages.ts';

/** A text that is read as it is needed, or a value that is sent as JSON. */
export type Answer = AsyncIterable<string> | object;

export async function* partsOf(answer: Answer): AsyncGenerator<string> {
  if (!(Symbol.asyncIterator in answer)) yield* cut(JSON.stringify(answer));
  else for await (const text of answer) yield* cut(text);
}

function* cut(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = endOf(text, at);
    yield text.slice(at, end);
    at = end;
  }
}

/** Not between the two halves of a character: a client may write each part to a file. */
function endOf(text: string, at: number): number {
  const end = at + longestPart;
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
