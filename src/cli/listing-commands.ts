// Lists with facts that are in the files of the apps. A part of its own: lazy-commands.ts says why.
export { jlist, prettylist } from './commands/jlist.ts';
export { withFacts } from './facts/with-facts.ts';
