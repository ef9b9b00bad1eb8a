// Runs `nsv startup` and `nsv unstartup`.
import type { Context, Input, Output } from '../command.ts';
import { printJson } from '../print.ts';
import { install, uninstall } from './install.ts';
import { lineToPaste, type Plan, planBoot } from './plan.ts';

/** Matches paths of Node version managers. */
const versionManager = /\/(?:\.?(?:nvm|fnm|volta|asdf|nodenv|nvs)|mise|n)\//;

/** Throws like `planBoot` and `install`. */
export function performStartup(context: Context, input: Input): void {
  const { out } = context;
  const plan = planBoot(context, input);
  if (!input.options.install) {
    show(out, plan);
    return;
  }
  install(plan, teller(out));
  if (out.json) printJson(out, { file: plan.file });
  else printRest(out, plan);
}

/** Throws like `planBoot` and `uninstall`. */
export function performUnstartup(context: Context, input: Input): void {
  const { out } = context;
  const plan = planBoot(context, input);
  const removed = uninstall(plan, teller(out));
  if (out.json) printJson(out, { file: plan.file, removed });
  else if (!removed) out.write(`nothing to remove: there is no ${plan.file}`);
}

function show(out: Output, plan: Plan): void {
  const { file, platform, service, platformName } = plan;
  const content = platform.render(service);
  if (out.json) {
    printJson(out, { platform: platformName, file, content });
    return;
  }
  out.note(`${file}:\n`);
  out.write(content.trimEnd());
  out.note(`\nTo install it:\n  ${lineToPaste(plan, 'startup', '--install')}`);
  printNode(out, plan);
}

function printRest(out: Output, plan: Plan): void {
  const { platform, service, file, root } = plan;
  out.note('At the next boot, nsv starts the apps saved by "nsv save" ("nsv save --auto" saves every change).');
  if (root === undefined)
    out.note(`To switch to the service now: nsv save && nsv kill && ${platform.start(service.name, file)}`);
  if (platform.notice) out.note(platform.notice);
  printNode(out, plan);
}

function printNode(out: Output, { service: { node } }: Plan): void {
  if (!versionManager.test(node)) return;
  out.note(`The service uses ${node}. If you change the version of Node, install the service again.`);
}

function teller({ json, write }: Output): (text: string) => void {
  return json ? () => {} : write;
}
