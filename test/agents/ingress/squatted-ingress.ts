import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ingress } from '../../../agent/ingress/ingress.ts';
import { IngressFiles, type ProcessRecord } from '../../../agent/ingress/ingress-files.ts';
import { pathThief } from '../../attacks/path-thief.ts';
import { portThief } from '../../attacks/port-thief.ts';
import { ingressMain, type Undo } from './served-ingress.ts';

interface Options {
  /** Of the home beneath a directory of the test's own. */
  depth?: string;
  port?: number;
  program?: readonly string[];
}

/** An agent's ingress, not started yet, in a home whose directories above it anybody may enter, as the agent's home of root. */
export function preparedIngress(
  undo: Undo,
  { depth = '', port = 0, program: words = [process.execPath, ingressMain] }: Options = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-squatted-'));
  undo.push(() => rmSync(directory, { recursive: true }));
  const home = join(directory, depth, 'agent');
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const log = { info: () => undefined, warn: () => undefined };
  const agent = (others = words) => {
    const one = new Ingress({ home, port, listen: '127.0.0.1', program: others, log });
    undo.push(() => one.stop());
    return one;
  };
  const files = new IngressFiles(join(home, 'ingress'));
  const serving = (): ProcessRecord => {
    const record = files.serving();
    if (record === undefined) throw new Error('No ingress is written down.');
    return record;
  };
  return { directory, files, agent, serving };
}

export async function runningIngress(undo: Undo, options: Options = {}) {
  const found = preparedIngress(undo, options);
  const ingress = found.agent();
  await ingress.ensure();
  return { ...found, ingress };
}

export async function thiefOf(undo: Undo, ...paths: string[]) {
  const thief = await pathThief(paths);
  undo.push(() => thief.end());
  return thief;
}

/** The thief gets `::1` at once, which is not an address of this ingress. */
export async function thiefOfPort(undo: Undo, port: number) {
  const thief = await portThief([port]);
  undo.push(() => thief.end());
  return { got: () => thief.got().filter((name) => !name.startsWith('::1 ')) };
}
