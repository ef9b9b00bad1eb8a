// Makes text safe to print, and shortens it.

/** Escapes control characters as `\x1b`, so that a name or a path cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\0-\x1f\x7f-\x9f]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** What has no width but changes that, or the order, of what stands beside it: terminals disagree about it. */
const unruly = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\p{Variation_Selector}/gu;

/** Without what would steer the terminal or spoil a row of it. */
export function harmless(text: string): string {
  return printable(text.replace(unruly, ''));
}
