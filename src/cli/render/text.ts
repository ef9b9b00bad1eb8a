// Makes text safe to print.

/**
 * Escapes control characters as `\x1b`, so that a name or a path cannot control the terminal, and those for the direction of text as
 * `\u202e`: they would change the order of what follows (https://trojansource.codes).
 */
export function printable(text: string): string {
  return text.replace(/[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, escaped);
}

/**
 * A line of an app for a terminal: with its colours (SGR of ECMA-48) and tabs, and other control characters escaped as in
 * `printable`. They could set the title or the clipboard, clear the screen, or overwrite other lines.
 */
export function coloursOnly(line: string): string {
  const text = line
    .replace(/\r$/, '')
    .replace(/\x1b\[[\d;:]*m|[\0-\x08\n-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, (found) =>
      found.length === 1 ? escaped(found) : found,
    );
  // Colours end with their line, whatever other app the next one is from.
  return text.includes('\x1b') ? `${text}\x1b[0m` : text;
}

function escaped(char: string): string {
  const code = char.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
}

const ascii = /^[\x20-\x7e]*$/;

/** Removes or escapes what would control the terminal or spoil a row of it. */
export function harmless(text: string): string {
  if (ascii.test(text)) return text;
  // These have no width but change the width or the order of their neighbours: terminals disagree about them. The
  // expression stands here because the bundler makes it a `new RegExp`, which takes 0.5 ms when the file is loaded.
  return printable(text.replace(/[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\p{Variation_Selector}/gu, ''));
}

/** JSON that cannot control the terminal either: the standard leaves these characters as they are. */
export function toJson(value: unknown, indent?: number): string {
  return String(JSON.stringify(value, null, indent)).replace(
    /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
