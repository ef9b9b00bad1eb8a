// Colours by meaning.
export type Tone = 'key' | 'good' | 'warning' | 'bad' | 'faint' | 'plain';
export type Paint = (tone: Tone, text: string) => string;

/** Chalk is loaded only for colours. */
export async function loadPaint(colour: boolean): Promise<Paint> {
  return colour ? (await import('./colours.ts')).paintColours : (_, text) => text;
}
