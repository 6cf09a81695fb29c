import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzippedArchive } from '../../agent/bundle/archive.ts';
import { programVersion } from '../../domain/version.ts';
import { keptFile } from '../../machine/kept-file.ts';

/** All rooms that go into the command line. */
export const rooms = ['agent', 'cli', 'domain', 'machine', 'protocol', 'runtime', 'workflows'];

/** The command line of this version as this control plane gives it away: alone, and as a package of npm. */
export interface ClientFiles {
  script: Buffer;
  archive: Buffer;
}

/** Made by a process of its own, the first time: what bundles takes more memory than it gives back. */
export async function keptClient(cache: string, url: string): Promise<ClientFiles> {
  const args = ['--disable-warning=ExperimentalWarning', import.meta.filename, cache];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const script = clientOf(url, await readFile(stdout.trim()));
  return { script, archive: await packClient(script) };
}

/** As a package of npm, without an installation script and without dependencies. */
async function packClient(script: Buffer): Promise<Buffer> {
  const about = {
    name: 'ballast-cli',
    version: programVersion,
    description: 'Command line of Ballast, the self-hosted control plane for applications.',
    license: 'Apache-2.0',
    type: 'module',
    bin: { ballast: 'ballast.mjs' },
    engines: { node: '>=20.19' },
  };
  const license = readFileSync(join(import.meta.dirname, '..', '..', 'LICENSE'));
  return await gzippedArchive([
    { name: 'package/package.json', bytes: Buffer.from(`${JSON.stringify(about, undefined, 2)}\n`), executable: false },
    { name: 'package/ballast.mjs', bytes: script, executable: true },
    { name: 'package/LICENSE', bytes: license, executable: false },
  ]);
}

/** For somebody who names no control plane it is the one that gave the file away. */
function clientOf(url: string, script: Buffer): Buffer {
  const said = Buffer.from(`process.env.BALLAST_URL||=${JSON.stringify(url)};\n`);
  const second = script.indexOf('\n') + 1;
  return Buffer.concat([script.subarray(0, second), said, script.subarray(second)]);
}

if (import.meta.main) {
  const { makeClient } = await import('./make-client.ts');
  const make = async () => (await makeClient()).script;
  const { path } = await keptFile({ cache: process.argv[2] ?? '', name: 'client', ending: 'mjs', rooms, make });
  process.stdout.write(`${path}\n`);
}
