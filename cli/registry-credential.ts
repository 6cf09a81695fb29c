import type { z } from 'zod';
import type { registryCredentialSchema } from '../api/registry-credentials/operations.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { deletion, yesOption } from './deleted.ts';
import { command, UsageError } from './engine/command.ts';
import { namedBy, secretOf } from './engine/given.ts';
import { listed } from './engine/outcome.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { said } from './engine/table.ts';
import {
  allowedOption,
  changeAllowed,
  changeAllowedOptions,
  namedProjects,
  whoMayUse,
} from './place/allowed-projects.ts';

type Credential = z.output<typeof registryCredentialSchema>;

const credentials = '/registry-credentials';

/** The credential of this id or name; names are no two's. */
async function namedCredential(rest: Rest, name: string): Promise<Credential> {
  return namedBy(name, 'registry credential', await rest.all<Credential>(credentials), (one) => one.name);
}

function stateOf({ lastError, verifiedAt }: Credential): string {
  if (lastError !== '') return 'failing';
  return verifiedAt === undefined ? 'not checked' : 'working';
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
    const password = await secretOf('Password: ', fromInput);
    if (password === '') throw new UsageError('There is no password: give it by the standard input.');
    const credential = await rest.call<Credential>('POST', credentials, { name, host, username, password, ...allowed });
    return {
      json: { credential },
      text: said`The registry credential ${credential.name} for ${host} is added: ${credential.id}.`,
    };
  },
});

export const registryCredentialCheck = command({
  summary: 'Asks the registry of a credential whether it accepts the sign-in',
  usage: 'CREDENTIAL [--json]',
  details: `CREDENTIAL is its name or its id. The exit code is 1 when the registry refuses the sign-in or does not answer.`,
  options: restOptions,
  run: async (given, [word = '']) => {
    const rest = new Rest(given);
    const { id } = await namedCredential(rest, word);
    const credential = await rest.call<Credential>('POST', `${credentials}/${id}/check`);
    const { name, host, lastError } = credential;
    const json = { credential };
    if (lastError === '') return { json, text: said`${host} accepts the registry credential ${name}.` };
    return { json, text: '', failure: new Refusal(said`The registry credential ${name} fails: ${lastError}`) };
  },
});

export const registryCredentialList = command({
  summary: 'Lists the credentials of outside registries, with the projects that may use each',
  usage: '[--json]',
  options: restOptions,
  run: async (given) => {
    const rest = new Rest(given);
    const all = await rest.all<Credential>(credentials);
    const none = 'There is no registry credential yet; see `./ballast registry-credential add --help`.';
    return listed({ credentials: all }, none, async () => ({
      name: 'name',
      host: 'host',
      user: 'username',
      state: stateOf,
      projects: await whoMayUse(rest, all),
      id: 'id',
    }));
  },
});

export const registryCredentialRemove = command({
  summary: 'Deletes a credential of an outside registry',
  usage: 'CREDENTIAL [--yes] [--json]',
  details: `CREDENTIAL is its name or its id. Sources that name it no longer resolve, and machines that lack an image of them cannot fetch it. Its
password is erased here; revoke it at the registry, too.`,
  options: { ...yesOption(), ...restOptions },
  run: async ({ yes, ...given }, [word = '']) => {
    const rest = new Rest(given);
    const { id, name, host } = await namedCredential(rest, word);
    const thing = { noun: 'registry credential', called: `${name} (${host})`, name };
    return await deletion(rest, { ...thing, path: `${credentials}/${id}`, yes, deleted: { id, name } });
  },
});

export const registryCredentialSet = command({
  summary: 'Changes which projects may use a credential of an outside registry',
  usage: 'CREDENTIAL --project SLUG… | --all-projects | --no-project [--json]',
  details: `CREDENTIAL is its name or its id. Refused while a service of a project that would lose it is deployed with it. It takes an admin's token.`,
  options: { ...changeAllowedOptions, ...restOptions },
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const named = () => namedCredential(rest, name);
    const { changed, projects } = await changeAllowed(rest, given, credentials, named);
    return {
      json: { credential: changed },
      text: async () => said`Projects that may use the registry credential ${changed.name}: ${await projects()}.`,
    };
  },
});
