import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { through } from '../agents/kept-machine.ts';
import { sampleLayout } from '../images/sample-image.ts';
import { type CommandResult, runBallast } from '../installation/ballast-command.ts';
import type { Installation } from '../installation/installation.ts';

interface Given {
  ingressPort: number;
  /** Whether the image is for the driver process, which runs it on the host as it is. */
  hostBound: boolean;
}

export interface ByReference {
  project: string;
  secrets: string[];
  /** All that the commands printed. */
  printed: string;
}

/** With signs that are written otherwise in an address, in JSON and in a shell. */
const newSecret = (): string => `p&ss "wörd"/${randomBytes(9).toString('base64url')}+=%`;

/**
 * A service reaches a store of its environment by the address that is put into its variables, over releases of both; secrets come
 * to it by reference, and one release of it prints all that it was given.
 */
export async function byReference(installation: Installation, { ingressPort, hostBound }: Given): Promise<ByReference> {
  const { token } = await installation.token('admin');
  const project = `by-reference-${randomBytes(4).toString('hex')}`;
  const directory = mkdtempSync(join(tmpdir(), 'ballast-by-reference-'));
  const settings = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
  const place = ['--project', project, '--environment', 'staging'];
  const [password, rotated, shared] = [newSecret(), newSecret(), newSecret()];
  let printed = '';
  const ended = async (...words: string[]): Promise<CommandResult> => {
    const result = await runBallast(
      [...words, ...place.slice(0, words[0] === 'project' ? 0 : 4)],
      settings,
      undefined,
      directory,
    );
    printed += `${words.slice(0, 2).join(' ')}\n${result.stdout}${result.stderr}`;
    return result;
  };
  const ballast = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await ended(...words);
    // An unexpected output may have a secret in it: the command is named, and not what it printed.
    if (code !== 0) throw new Error(`${words.slice(0, 2).join(' ')} ended with ${code}: ${stderr.slice(0, 300)}`);
    return stdout;
  };
  const layout = async (version: string, ...command: string[]) =>
    (await sampleLayout(join(directory, version), { version, hostBound, command })).layout;
  const url = `http://127.0.0.1:${ingressPort}`;
  let host = '';
  const given = async (): Promise<Record<string, string>> =>
    JSON.parse((await through(url, host, '/environment')).body);
  const said = async (address: string, line: string) =>
    (await through(url, host, `/ask?${new URLSearchParams({ address, line })}`)).body;
  try {
    await ballast('project', 'create', project);
    for (const service of ['db', 'web']) {
      await ballast('service', 'create', service);
      await ballast('service', 'set', 'stabilizationSeconds=0', '--service', service);
    }
    await ballast('service', 'set', 'kind=tcp', 'port=6379', 'args=["-store"]', '--service', 'db');
    await ballast('var', 'set', `PASSWORD=${password}`, '--secret', '--service', 'db');
    await ballast('var', 'set', `TOKEN=${shared}`, '--secret', '--shared');
    await ballast(
      ...['var', 'set', 'ADDRESS=${{db.HOST}}:${{db.PORT}}', 'URL=${{db.web.URL}}', 'AUTH=Bearer ${{shared.TOKEN}}'],
      ...['DSN=postgres://u:${{db.PASSWORD}}@${{ADDRESS}}/app', '--service', 'web'],
    );
    const [first, second] = [await layout('1'), await layout('2')];
    await ballast('deploy', first, '--service', 'db');
    host = new URL(JSON.parse(await ballast('deploy', first, '--service', 'web', '--json')).addresses[0]).host;
    host = host.replace(/:\d+$/, '');

    const { ADDRESS: address = '', ...others } = await given();
    expect(address).toMatch(hostBound ? /^127\.0\.0\.1:\d+$/ : /^web\.db:6379$/);
    expect(others.URL).toBe(`tcp://${address}`);
    // The program has them; nobody else is shown them.
    expect([others.AUTH === `Bearer ${shared}`, others.DSN === `postgres://u:${password}@${address}/app`]).toEqual([
      true,
      true,
    ]);
    expect(await said(address, 'set a 1')).toContain('"ok 1"');
    await ballast('deploy', second, '--service', 'db');
    expect(await said(address, 'set a 2')).toContain('"ok 2"');
    await ballast('deploy', second, '--service', 'web');
    expect((await given()).ADDRESS).toBe(address);
    expect(await said(address, 'get a')).toContain('"2 2"');

    await ballast('var', 'set', `PASSWORD=${rotated}`, '--secret', '--service', 'db');
    await ballast('deploy', '--staged', '--service', 'web');
    expect((await given()).DSN === `postgres://u:${rotated}@${address}/app`).toBe(true);
    expect(await said(address, 'set a 3')).toContain('"ok 2"');

    const refused = await ended('var', 'set', `DSN=${rotated} \${{db.NOT}}`, '--secret', '--service', 'web');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('db.NOT')]);
    await through(url, host, `/log?${new URLSearchParams({ text: `the password is ${rotated}` })}`);
    const telling = await ended('deploy', await layout('3', '-env'), '--service', 'web');
    expect(telling.code).toBe(1);
    for (const words of [
      ['why', 'web'],
      ['logs', 'web', '--tail', '1000'],
      ['deployment', 'list', '--service', 'web'],
    ])
      await ended(...words);
    expect(printed).toContain('the password is [secret]');
    expect(printed).toContain('DSN=[secret]');
    return { project, secrets: [password, rotated, shared], printed };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
