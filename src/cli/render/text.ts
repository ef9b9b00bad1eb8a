// Makes text safe to print, and shortens it.

/** Escapes control characters as `\x1b`, so that a name or a path cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\0-\x1f\x7f-\x9f]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
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
    /[\x7f-\x9f]/g,
    (char) => `\\u00${char.charCodeAt(0).toString(16)}`,
  );
}
