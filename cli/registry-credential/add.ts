import { text } from 'node:stream/consumers';
import { command, UsageError } from '../engine/command.ts';
import { canAsk, hidden } from '../engine/question.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { allowedOption, namedProjects } from '../place/allowed-projects.ts';
import { type Credential, credentials } from './credential.ts';

export const registryCredentialAdd = command({
  summary: 'Adds a credential of an outside registry',
  usage: '--name NAME --host HOST --username NAME [--project SLUG]… [--password-stdin] [--json]',
  details: `The password is read from the standard input, or asked for at a terminal; it is never an argument, which the history of a shell would keep.
Sources of services name the credential by its id.`,
  options: {
    name: { type: 'string', value: 'NAME', what: 'The name of the credential.' },
    host: { type: 'string', value: 'HOST', what: 'The registry, such as ghcr.io.' },
    username: { type: 'string', value: 'NAME', what: 'The user name there.' },
    ...allowedOption,
    'password-stdin': { type: 'boolean', what: 'Read the password from the standard input, at a terminal, too.' },
    ...restOptions,
  },
  run: async ({ name, host, username, project, 'password-stdin': fromInput, ...given }) => {
    if (name === undefined || host === undefined || username === undefined) {
      throw new UsageError('Say all of --name NAME, --host HOST and --username NAME.');
    }
    const rest = new Rest(given);
    const allowed = await namedProjects(rest, project);
    const password = await passwordOf(fromInput === true);
    const credential = await rest.call<Credential>('POST', credentials, { name, host, username, password, ...allowed });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ credential }, undefined, 2)}\n`);
    const { name: made, id } = credential;
    process.stdout.write(`The registry credential ${printable(made)} for ${printable(host)} is added: ${id}.\n`);
  },
});

async function passwordOf(fromInput: boolean): Promise<string> {
  const given = !fromInput && canAsk() ? await hidden('Password: ') : await text(process.stdin);
  const password = given.replace(/\r?\n$/, '');
  if (password !== '') return password;
  throw new UsageError('There is no password: give it by the standard input.');
}
