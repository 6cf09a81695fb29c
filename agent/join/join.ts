import { readFileSync, rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { openHome } from '../home/home.ts';
import { homeOption } from '../home/home-option.ts';
import { lineLog, reason } from '../program/log.ts';
import type { AgentCommand, Option } from '../program/options.ts';
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
};

export const join: AgentCommand = {
  name: 'join',
  summary: 'Enrols this machine as the agent of a cluster.',
  details:
    'The token comes from the install command of the cluster. The credential is made here and never leaves this machine.',
  options: { home: homeOption, ...joinOptions },
  async run(values) {
    const home = openHome(values.needed('home'));
    const url = values.needed('url');
    const { token, used } = await takeToken(values.needed('token-file'));
    const { signal } = new AbortController();
    const { cluster } = await enrol({ home, url, token, caFile: values.text('ca-file'), log: lineLog, signal });
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
