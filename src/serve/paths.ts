// Maps the URL of a request to a file. Files that clients must not see are treated as missing.

/** The decoded path; undefined for a malformed URL. */
export function pathOf(url: string): string | undefined {
  const encoded = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] || '/';
  try {
    const path = decodeURIComponent(encoded);
    return path.startsWith('/') && !path.includes('\0') ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects `..`, which only an attacker would send, and all dot files but `.well-known`, which is public (RFC 8615). */
export function isHidden(path: string): boolean {
  return path.split('/').some((name, depth) => name.startsWith('.') && !(name === '.well-known' && depth === 1));
}

/**
 * Where to redirect a directory requested without its slash. Collapses leading slashes: two would begin a host name.
 */
export function asDirectory(path: string, url: string): string {
  const location = encodeURI(path).replace(/^\/+/, '/').replace(/[?#]/g, encodeURIComponent);
  return `${location}/${/\?[^#]*/.exec(url)?.[0] ?? ''}`;
}
