// Text made safe and made to fit.

/** Control characters as `\x1b`: a name or a path must not be able to steer the terminal. */
export function printable(text: string): string {
  return text.replace(/[\0-\x1f\x7f-\x9f]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** At most `width` characters; an ellipsis shows that some are missing. */
export function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  return width > 0 ? `${text.slice(0, width - 1)}…` : '';
}
