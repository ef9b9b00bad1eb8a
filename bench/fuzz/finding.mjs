// What the fuzzer looks for.

/** A fact that does not hold. `input`: what was sent or read, for the report. */
export class Finding extends Error {
  constructor(fact, input) {
    super(fact);
    this.input = input;
  }
}

/** Resolves with the promise, or rejects with a finding after `ms`. */
export async function within(ms, fact, promise, input) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Finding(fact, input)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An input for a line of the report. */
export function shown(input) {
  const text = Buffer.isBuffer(input) ? JSON.stringify(input.toString('latin1')) : JSON.stringify(input);
  return text === undefined ? '' : text.length > 1_000 ? `${text.slice(0, 1_000)}… (${text.length} characters)` : text;
}
