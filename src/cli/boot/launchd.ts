// Renders a property list for launchd: launchd.plist(5). Pure.
import { type BootService, generatedMarker, openFiles, serviceCommand, stopSeconds } from './service.ts';

/** A system daemon: started at boot, runs as the given user. */
export function renderPropertyList(service: BootService): string {
  const { name, user, directory, home, path } = service;
  const entries = {
    Label: text(name),
    UserName: text(user),
    ProgramArguments: block('array', serviceCommand(service).map(text)),
    EnvironmentVariables: dict({ HOME: text(directory), NSV_HOME: text(home), PATH: text(path) }),
    RunAtLoad: '<true/>',
    // Restarted after a failure.
    KeepAlive: dict({ SuccessfulExit: '<false/>' }),
    // Keeps launchd from killing the apps if the daemon dies.
    AbandonProcessGroup: '<true/>',
    ExitTimeOut: `<integer>${stopSeconds}</integer>`,
    SoftResourceLimits: dict({ NumberOfFiles: `<integer>${openFiles}</integer>` }),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${generatedMarker} -->
<plist version="1.0">
${dict(entries)}
</plist>
`;
}

function dict(entries: Record<string, string>): string {
  const parts = Object.entries(entries).flatMap(([key, value]) => [`<key>${key}</key>`, value]);
  return block('dict', parts);
}

function block(tag: string, parts: string[]): string {
  const lines = parts.flatMap((part) => part.split('\n')).map((line) => `  ${line}`);
  return [`<${tag}>`, ...lines, `</${tag}>`].join('\n');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\n': '&#10;' };

function text(value: string): string {
  return `<string>${value.replace(/[&<>\n]/g, (character) => entities[character]!)}</string>`;
}
