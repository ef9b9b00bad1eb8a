// The commands that the README and docs/ tell people to type: the blocks of ```sh and ```console.
//
// Comments right before a block, which no reader sees, say what is to be known of it:
// <!-- not run: why -->         nothing in it is run
// <!-- run without: text (why) --> runs its commands without this text
// <!-- before: command -->      runs a command first; the page shows it elsewhere, or takes it for granted

export interface Block {
  page: string;
  line: number;
  /** Why nothing of it is run. */
  notRun: string | undefined;
  commands: string[];
}

const marker = /<!-- (not run|run without|before): ([\s\S]*?) -->\n+/g;
const fenced = /((?:<!-- (?:not run|run without|before): (?:(?!-->)[\s\S])*-->\n+)*)^```(\w*)\n([\s\S]*?)^```$/gm;

export function blocksOf(page: string, text: string): Block[] {
  return [...text.matchAll(fenced)]
    .filter(([, , language]) => language === 'sh' || language === 'console')
    .map(({ 1: comments = '', 2: language, 3: body = '', index }) => {
      const line = text.slice(0, index).split('\n').length;
      const said = [...comments.matchAll(marker)].map(([, what, detail]) => ({ what, detail: detail!.trim() }));
      const detailsOf = (what: string) => said.filter((each) => each.what === what).map(({ detail }) => detail);
      const commands = commandsOf(language === 'sh' ? body : typedIn(body));
      const left = detailsOf('run without').map((detail) => detail.split(' (')[0]!.trim());
      return {
        page,
        line,
        notRun: detailsOf('not run')[0],
        commands: [...detailsOf('before'), ...commands.map((command) => without(command, left))],
      };
    });
}

/** Blocks of another language, or of none, that look as if somebody should type them: nobody would run these. */
export function unlabelled(text: string): string[] {
  return [...text.matchAll(fenced)]
    .filter(([, , language]) => language === '')
    .flatMap(({ 3: body = '' }) => body.split('\n'))
    .filter((line) => /^(\$|nsv|npm|pm2|docker|kubectl|sudo) (?!<)/.test(line));
}

/** Of a session in a terminal, what follows the prompt. */
function typedIn(session: string): string {
  const typed = session.split('\n').filter((line) => line.startsWith('$ '));
  return typed.map((line) => line.slice(2)).join('\n');
}

function commandsOf(script: string): string[] {
  const whole = script.replaceAll('\\\n', ' ').split('\n');
  return whole.map((line) => line.replace(/(^|\s)# .*$/, '').trim()).filter((line) => line !== '');
}

function without(command: string, texts: string[]): string {
  return texts.reduce((shorter, text) => shorter.replace(text, '').trim(), command);
}

/** Files that a page shows: blocks whose first line is a comment with nothing but a name. */
export function shownFiles(text: string): { name: string; text: string }[] {
  return [...text.matchAll(fenced)].flatMap(({ 3: body = '' }) => {
    const name = /^(?:\/\/|#) ([\w.-]+\.\w+)\n/.exec(body)?.[1];
    return name ? [{ name, text: body }] : [];
  });
}
