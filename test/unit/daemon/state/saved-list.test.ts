import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { predecessorOf, readSavedList, writeSavedList } from '../../../../src/daemon/state/saved-list.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let directory: string;
let file: string;
const spec = parseAppSpec({ name: 'web', script: '/srv/app.js', cwd: '/srv', env: { KEY: 'ü "quoted"\n' } });

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, 'saved.json');
});

describe('the saved list', () => {
  it('is read as it was written, in order', () => {
    const apps = [
      { spec, active: true, runtimeSettings: { version: 2, values: { limit: 1 }, file: '/srv/settings.json' } },
      { spec: { ...spec, name: 'a-later-one' }, active: false },
    ];
    writeSavedList(file, { auto: true, apps });
    expect(readSavedList(file)).toEqual({ auto: true, apps, problems: [] });
  });

  it('keeps a percentage of the memory as the user wrote it', () => {
    const apps = [{ spec: parseAppSpec({ ...spec, maxMemoryRestart: '80%' }), active: true }];
    writeSavedList(file, { auto: false, apps });
    expect(readSavedList(file).apps[0]?.spec.maxMemoryRestart).toBe('80%');
  });

  it('is readable by its owner only, and leaves no draft behind', () => {
    writeSavedList(file, { auto: false, apps: [] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['saved.json']);
  });

  it('is unchanged if it cannot be written', () => {
    writeSavedList(file, { auto: false, apps: [{ spec, active: true }] });
    const before = readFileSync(file);
    const circular = [{ spec, active: true }] as unknown[];
    circular.push(circular);
    expect(() => writeSavedList(file, circular as never)).toThrow(expect.objectContaining({ code: 'CANNOT_WRITE' }));
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(directory)).toEqual(['saved.json']);
  });

  it.each([
    ['without its settings', { spec: { name: 'x' }, active: true }],
    ['with an unknown setting', { spec: { ...spec, name: 'x', colour: 'red' }, active: true }],
    ['without a valid flag to run', { spec: { ...spec, name: 'x' }, active: 'yes' }],
    ['with the name of another app', { spec, active: true }],
    ['that is null', null],
    ['that is a number', 7],
  ])('keeps all apps beside an entry %s, which is moved to another file once', (_what, broken) => {
    const list = { auto: true, apps: [{ spec, active: true }] };
    writeSavedList(file, { ...list, apps: [...list.apps, broken as never] });
    const { problems, ...read } = readSavedList(file);
    expect(read).toEqual(list);
    const [kept = ''] = readdirSync(directory).filter((name) => name.startsWith('saved.json.apps-'));
    expect(problems).toEqual([expect.stringContaining(join(directory, kept))]);
    expect(JSON.parse(readFileSync(join(directory, kept), 'utf8'))).toEqual([
      expect.objectContaining({ record: JSON.parse(JSON.stringify(broken)) }),
    ]);
    expect(readSavedList(file)).toEqual({ ...list, problems: [] });
    expect(readdirSync(directory).filter((name) => name.includes('.apps-'))).toEqual([kept]);
  });

  it('keeps its predecessor, which replaces it if it cannot be read', () => {
    const [first, second] = [
      { spec, active: true },
      { spec: { ...spec, name: 'second' }, active: true },
    ];
    writeSavedList(file, { auto: true, apps: [first] });
    writeSavedList(file, { auto: false, apps: [second] });
    writeFileSync(file, '{"format":"nsv-saved-list","ver');
    const { fallback, ...read } = readSavedList(file);
    expect(read).toEqual({ auto: true, apps: [first], problems: [] });
    expect(fallback).toMatch(
      /^failed to read the saved list .*saved\.json: .* was kept as .*\.corrupt-\d+; the previous list is used instead$/,
    );
    expect(readSavedList(file)).toEqual({ auto: true, apps: [first], problems: [] });
    rmSync(file);
    expect(readSavedList(file).fallback).toMatch(/^there is no saved list at .*; the previous list is used instead$/);
  });

  it('never has a broken list as its predecessor', () => {
    writeSavedList(file, { auto: false, apps: [{ spec, active: true }] });
    writeSavedList(file, { auto: false, apps: [] });
    for (const broken of ['', '{"apps":[]}', '{"format":"nsv-']) {
      writeFileSync(file, broken);
      writeSavedList(file, { auto: false, apps: [] });
      expect(readFileSync(predecessorOf(file), 'utf8')).toContain('"web"');
    }
  });

  it('is reported as missing if nothing was saved', () => {
    expect(() => readSavedList(file)).toThrow(expect.objectContaining({ code: 'NOTHING_SAVED' }));
  });

  it.each([
    ['cut short', '{"format":"nsv-saved-list","version":1,"apps":[{"sp'],
    ['empty', ''],
    ['not JSON', 'process.exit(1)'],
    ['of another program', '{"apps":[]}'],
    ['of a later version', '{"format":"nsv-saved-list","version":99,"apps":[]}'],
    ['without a list of apps', '{"format":"nsv-saved-list","version":1,"apps":{}}'],
    ['null', 'null'],
  ])('is kept aside when it is %s', (_what, content) => {
    writeFileSync(file, content);
    expect(() => readSavedList(file)).toThrow(expect.objectContaining({ code: 'SAVED_FILE_CORRUPT' }));
    const [kept] = readdirSync(directory);
    expect(kept).toMatch(/^saved\.json\.corrupt-/);
    expect(readFileSync(join(directory, kept!), 'utf8')).toBe(content);
  });
});
