import { readFileSync, rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { homeOption, openHome } from '../home/home.ts';
import { fingerprintIn, TrustFile } from '../home/trust.ts';
import { lineLog, reason } from '../program/log.ts';
import type { AgentCommand, Option, Values } from '../program/options.ts';
import { Refusal } from '../program/refusal.ts';
import { enrol } from './enrol.ts';

export const joinOptions: Readonly<Record<string, Option>> = {
  url: { value: 'URL', what: 'The address of the control plane.', variable: 'BALLAST_AGENT_URL' },
  'token-file': {
    value: 'PATH',
    what: 'A file with the enrolment token, deleted once it is used; - reads it from standard input.',
    variable: 'BALLAST_AGENT_TOKEN_FILE',
  },
  'ca-file': {
    value: 'PATH',
    what: 'Certificates (PEM) to trust besides those that Node trusts.',
    variable: 'BALLAST_AGENT_CA_FILE',
  },
  socket: {
    value: 'PATH',
    what: "The control plane's own socket on this machine, instead of its address.",
    variable: 'BALLAST_AGENT_SOCKET',
  },
  trust: {
    value: 'FINGERPRINT',
    what: "Of the key that signs the agent's releases; without it the first one that the control plane names is kept.",
    variable: 'BALLAST_AGENT_TRUST',
  },
  epoch: {
    value: 'NUMBER',
    what: 'Lowest epoch of a release that is accepted; set by the install script.',
    default: '0',
  },
};

/** Where the control plane is: by its socket whatever its address is, else by the address. */
export function controlPlaneOf(values: Values): { url: string; socket?: string } | undefined {
  const socket = values.text('socket');
  const url = values.text('url') ?? (socket === undefined ? undefined : 'http://localhost');
  return url === undefined ? undefined : { url, ...(socket === undefined ? {} : { socket }) };
}

/** Pins the key that the command named, before anything is heard of a control plane. */
export function pinKey(home: string, values: Values): void {
  const named = values.text('trust');
  if (named === undefined) return;
  const trust = new TrustFile(home);
  if (trust.read() !== undefined) return;
  trust.write({ fingerprint: fingerprintIn(named), epoch: values.number('epoch', 0, 9_999_999_999), from: 'join' });
}

export const join: AgentCommand = {
  name: 'join',
  summary: 'Enrols this machine as the agent of a cluster.',
  details:
    'The token comes from the install command of the cluster. The credential is created here and never leaves this machine.',
  options: { home: homeOption, ...joinOptions },
  async run(values) {
    const home = openHome(values.needed('home'));
    const place = controlPlaneOf(values);
    if (place === undefined) throw new Refusal('--url is missing; see --help.');
    pinKey(home, values);
    const { token, used } = await takeToken(values.needed('token-file'));
    const { signal } = new AbortController();
    const { cluster } = await enrol({ home, ...place, token, caFile: values.text('ca-file'), log: lineLog, signal });
    used();
    process.stdout.write(`This machine is enrolled for the cluster ${cluster?.name}.\n`);
    return 0;
  },
};

/** A token is never an argument: those can be read by everybody on the machine. */
export async function takeToken(path: string): Promise<{ token: string; used(): void }> {
  if (path === '-') return { token: (await text(process.stdin)).trim(), used: () => {} };
  try {
    return { token: readFileSync(path, 'utf8').trim(), used: () => rmSync(path, { force: true }) };
  } catch (error) {
    throw new Refusal(`The token cannot be read from ${path}: ${reason(error)}.`);
  }
}
