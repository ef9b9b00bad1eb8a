// Shell completion. All the logic is here; the shell scripts only ask for candidates.
import type { ProcessView } from '../../ipc/views.ts';
import { type Command, type CommandEntry, entryFor } from '../command.ts';

/** Candidates for the last of `words`. Calls `list` only where a target is possible. */
export async function candidates(
  entries: readonly CommandEntry[],
  words: readonly string[],
  list: () => Promise<ProcessView[]>,
): Promise<string[]> {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const all = [
    ...namesAfter(entries, before),
    ...(before.length === 0 ? [] : await wordsFor(entries, before, last, list)),
  ];
  return [...new Set(all)].filter((word) => word.startsWith(last));
}

/** The possible next words in names of commands. */
function namesAfter(entries: readonly CommandEntry[], words: readonly string[]): string[] {
  const names = entries.flatMap(({ names: [name], hidden }) => (hidden ? [] : [name.split(' ')]));
  return names.flatMap((name) => (words.every((word, index) => name[index] === word) && name[words.length]) || []);
}

async function wordsFor(
  entries: readonly CommandEntry[],
  words: readonly string[],
  last: string,
  list: () => Promise<ProcessView[]>,
): Promise<string[]> {
  const { entry } = entryFor(entries, words);
  if (!entry) return [];
  const command = await entry.load();
  if (last.startsWith('-')) return optionNames(command);
  if (entry.names[0] === 'completion') return Object.keys(completionScripts);
  if (command.arguments?.some(([spelling]) => /queue/.test(spelling)))
    return (await list()).flatMap(({ queues = [] }) => queues);
  if (!command.arguments?.some(([spelling]) => /target|what/.test(spelling))) return [];
  return (await list()).flatMap((process) => [process.name, process.namespace, 'all']);
}

function optionNames({ options = [] }: Command): string[] {
  const shown = options.filter(([, , hidden]) => !hidden);
  return [...shown.flatMap(([spelling]) => /--[\w-]+/.exec(spelling)?.[0] ?? []), '--help'];
}

/**
 * The shell itself completes file names where nsv has no candidates, as for `nsv run` and the config files of most
 * commands, and in addition to them for `nsv start` and `nsv serve`.
 */
export const completionScripts = {
  // Splits words at spaces only: bash also splits at ":" and completes the part after it.
  bash: `_nsv() {
  local line="\${COMP_LINE:0:COMP_POINT}" words word last kept
  IFS=$' \\t' read -a words <<< "$line"
  if [[ "$line" = *[!\\\\]' ' ]]; then words+=(''); fi
  last="\${words[\${#words[@]} - 1]}"
  kept="\${last%"\${last##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r word; do
    printf -v word %q "\${word#"$kept"}"
    COMPREPLY+=("$word")
  done < <(nsv complete -- "\${words[@]:1}" 2>/dev/null)
  local IFS=$'\\n'
  if [[ "\${words[1]}" = start || "\${words[1]}" = serve ]]; then COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -o default -F _nsv nsv`,
  zsh: `_nsv() {
  local -a found
  found=(\${(f)"$(nsv complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found
  if [[ $words[2] == start || $words[2] == serve || $compstate[nmatches] -eq 0 ]]; then _files; fi
}
compdef _nsv nsv`,
  fish: `function __nsv_complete
  set -l words (commandline -opc)
  set -l found (nsv complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c nsv -f -a '(__nsv_complete)'
complete -c nsv -F -n '__fish_seen_subcommand_from start serve'`,
};
