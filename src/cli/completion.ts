// Completion in shells: all that is known is known here; the scripts only ask.
import type { ProcessView } from '../ipc/views.ts';
import type { Command } from './command.ts';
import { entries, entryFor } from './entries.ts';

/** What the last of `words` may become. `list` is asked only where a target may stand. */
export async function candidates(words: readonly string[], list: () => Promise<ProcessView[]>): Promise<string[]> {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const all = [...namesAfter(before), ...(before.length === 0 ? [] : await wordsFor(before, last, list))];
  return [...new Set(all)].filter((word) => word.startsWith(last));
}

/** The word that comes next in the names of commands. */
function namesAfter(words: readonly string[]): string[] {
  const names = entries.flatMap(({ names: [name], hidden }) => (hidden ? [] : [name.split(' ')]));
  return names.flatMap((name) => (words.every((word, index) => name[index] === word) && name[words.length]) || []);
}

async function wordsFor(words: readonly string[], last: string, list: () => Promise<ProcessView[]>): Promise<string[]> {
  const { entry } = entryFor(words);
  if (!entry) return [];
  const command = await entry.load();
  if (last.startsWith('-')) return optionNames(command);
  if (entry.names[0] === 'completion') return Object.keys(completionScripts);
  if (!command.arguments?.some(([spelling]) => /target|what/.test(spelling))) return [];
  return (await list()).flatMap((process) => [process.name, process.namespace, 'all']);
}

function optionNames({ options = [] }: Command): string[] {
  return [...options.flatMap(([spelling]) => /--[\w-]+/.exec(spelling)?.[0] ?? []), '--help'];
}

/** `nsv start` takes files too, which the shell itself knows best. */
export const completionScripts = {
  bash: `_nsv() {
  local IFS=$'\\n'
  COMPREPLY=($(nsv complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ "\${COMP_WORDS[1]}" = start ]; then COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -F _nsv nsv`,
  zsh: `_nsv() {
  local -a found
  found=(\${(f)"$(nsv complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found
  if [[ $words[2] == start ]]; then _files; fi
}
compdef _nsv nsv`,
  fish: `function __nsv_complete
  set -l words (commandline -opc)
  nsv complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c nsv -f -a '(__nsv_complete)'
complete -c nsv -F -n '__fish_seen_subcommand_from start'`,
};
