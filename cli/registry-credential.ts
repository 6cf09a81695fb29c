import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { registryCredentialSchema } from '../api/registry-credentials/operations.ts';
import { confirmLoss, yesOption } from './deleted.ts';
import { command, UsageError } from './engine/command.ts';
import { canAsk, hidden } from './engine/question.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { asTable, printable } from './engine/table.ts';
import {
  allowedOption,
  allowedText,
  changeAllowedOptions,
  changeOfAllowed,
  namedProjects,
} from './place/allowed-projects.ts';
import type { Project } from './place/chosen.ts';

type Credential = z.output<typeof registryCredentialSchema>;

const credentials = '/registry-credentials';

/** The credential of this id or name; names are no two's. */
async function namedCredential(rest: Rest, name: string): Promise<Credential> {
  const all = await rest.all<Credential>(credentials);
  const found = all.find((one) => one.id === name.toLowerCase() || one.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const names = all.map((one) => printable(one.name)).join(', ') || 'none';
  throw new UsageError(`There is no registry credential "${printable(name)}"; there is: ${names}.`);
}

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

export const registryCredentialList = command({
  summary: 'Lists the credentials of outside registries, with the projects that may use each',
  usage: '[--json]',
  options: restOptions,
  run: async (given) => {
    const rest = new Rest(given);
    const all = await rest.all<Credential>(credentials);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ credentials: all }, undefined, 2)}\n`);
    if (all.length === 0) {
      const help = '`./ballast registry-credential add --help`';
      return void process.stdout.write(`There is no registry credential yet; see ${help}.\n`);
    }
    const projects = await rest.all<Project>('/projects');
    const rows = all.map((one) => [
      ...[printable(one.name), printable(one.host), printable(one.username)],
      ...[printable(allowedText(one, projects)), one.id],
    ]);
    process.stdout.write(asTable(['name', 'host', 'user', 'projects', 'id'], rows));
  },
});

export const registryCredentialRemove = command({
  summary: 'Deletes a credential of an outside registry',
  usage: 'CREDENTIAL [--yes] [--json]',
  details: `CREDENTIAL is its name or its id. Sources that name it no longer resolve, and machines that lack an image of them cannot fetch it. Its
password is erased here; revoke it at the registry, too.`,
  words: { least: 1, most: 1 },
  options: { ...yesOption(), ...restOptions },
  run: async ({ yes, ...given }, [word = '']) => {
    const rest = new Rest(given);
    const { id, name, host } = await namedCredential(rest, word);
    const called = `${printable(name)} (${printable(host)})`;
    if (yes !== true && !(await confirmLoss({ noun: 'registry credential', called, name }, []))) return;
    await rest.call('DELETE', `${credentials}/${id}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, name } })}\n`);
    else process.stdout.write(`The registry credential ${printable(name)} is deleted.\n`);
  },
});

export const registryCredentialSet = command({
  summary: 'Changes which projects may use a credential of an outside registry',
  usage: 'CREDENTIAL --project SLUG… | --all-projects | --no-project [--json]',
  details: `CREDENTIAL is its name or its id. Refused while a service of a project that would lose it is deployed with it. It takes an admin's token.`,
  words: { least: 1, most: 1 },
  options: { ...changeAllowedOptions, ...restOptions },
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const change = await changeOfAllowed(rest, given);
    const { id, allProjects, projectIds } = await namedCredential(rest, name);
    const was = { allProjects, projectIds };
    const credential = await rest.call<Credential>('PATCH', `${credentials}/${id}`, { ...change, was });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ credential }, undefined, 2)}\n`);
    const projects = printable(allowedText(credential, await rest.all<Project>('/projects')));
    process.stdout.write(`Projects that may use the registry credential ${printable(credential.name)}: ${projects}.\n`);
  },
});
