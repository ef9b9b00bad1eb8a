import { failure } from '../../shared/errors.ts';
import { completionScripts } from '../args/completion.ts';
import type { Command } from '../command.ts';

export const completion: Command = {
  summary: 'prints a completion script for bash, zsh or fish',
  arguments: [['<shell>', Object.keys(completionScripts).join(', ')]],
  examples: [
    ['eval "$(nsv completion bash)"', 'in ~/.bashrc'],
    ['eval "$(nsv completion zsh)"', 'in ~/.zshrc, after compinit'],
    ['nsv completion fish | source', 'in ~/.config/fish/config.fish'],
  ],
  async run({ out }, { words: [shell = ''] }) {
    const script = new Map(Object.entries(completionScripts)).get(shell);
    if (script) return out.write(script);
    const known = Object.keys(completionScripts).join(', ');
    throw failure('BAD_USAGE', { detail: `there is no completion for "${shell}": the shell must be one of ${known}` });
  },
};
