// Key bindings of the list view. The help and the last row of the screen are generated from them.
import type { Key } from 'node:readline';
import type { KeyAction } from './actions.ts';

export interface Binding {
  /** Named as by `keyName`. */
  keys: readonly string[];
  action: KeyAction;
  /** How the help shows the keys. */
  shown: string;
  about: string;
  /** One word for the last row of the screen. */
  hint?: string;
}

export const bindings: readonly Binding[] = [
  { keys: ['q', 'C-c'], action: 'quit', shown: 'q, Ctrl-C', about: 'quits; the apps keep running', hint: 'quit' },
  { keys: ['?', 'h'], action: 'help', shown: '?', about: 'shows these keys', hint: 'help' },
  { keys: ['up', 'k'], action: 'selectPrevious', shown: 'up, k', about: 'selects the process above' },
  { keys: ['down', 'j'], action: 'selectNext', shown: 'down, j', about: 'selects the process below' },
  {
    keys: ['tab', 'return'],
    action: 'toggleScope',
    shown: 'Tab, Enter',
    about: 'shows the logs of all processes, or of the selected one',
    hint: 'all/one',
  },
  { keys: ['r'], action: 'restart', shown: 'r', about: 'restarts the selected process', hint: 'restart' },
  {
    keys: ['l'],
    action: 'reload',
    shown: 'l',
    about: 'reloads it: the new process starts before the old one stops',
    hint: 'reload',
  },
  { keys: ['s'], action: 'stopOrStart', shown: 's', about: 'stops it, or starts it again', hint: 'stop/start' },
  {
    keys: [' ', 'c'],
    action: 'toggleHold',
    shown: 'space, c',
    about: 'pauses the logs, or follows them again',
    hint: 'pause',
  },
  { keys: ['/'], action: 'filter', shown: '/', about: 'shows only log lines that contain a text', hint: 'filter' },
  { keys: ['w'], action: 'toggleWrap', shown: 'w', about: 'wraps long log lines, or cuts them', hint: 'wrap' },
  { keys: ['pageup'], action: 'pageUp', shown: 'PgUp', about: 'scrolls the logs back and pauses them' },
  { keys: ['pagedown'], action: 'pageDown', shown: 'PgDn', about: 'scrolls the logs forward' },
  { keys: ['home', 'g'], action: 'toBeginning', shown: 'Home, g', about: 'jumps to the first log line in memory' },
  { keys: ['end', 'G'], action: 'toEnd', shown: 'End, G', about: 'jumps to the last log line and follows the logs' },
  { keys: ['C-z'], action: 'suspend', shown: 'Ctrl-Z', about: 'suspends the dashboard until "fg"' },
  { keys: ['C-l'], action: 'redraw', shown: 'Ctrl-L', about: 'redraws the screen' },
];

export function actionOf(key: string): KeyAction | undefined {
  return bindings.find(({ keys }) => keys.includes(key))?.action;
}

const named = ['up', 'down', 'pageup', 'pagedown', 'home', 'end', 'tab', 'return', 'escape', 'backspace'];

/** `up`, `C-c`, or the character itself; undefined for keys without a meaning here. */
export function keyName({ name = '', sequence = '', ctrl, meta }: Key): string | undefined {
  if (ctrl) return name === '' ? undefined : `C-${name}`;
  if (name === 'enter') return 'return';
  if (named.includes(name)) return name;
  return !meta && /^\P{C}$/u.test(sequence) ? sequence : undefined;
}
