import type { z } from 'zod';
import type { gitConnectionSchema } from '../api/git-connections/git-connection.ts';
import { defined } from '../domain/defined.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { deletion, yesOption } from './deleted.ts';
import { command, UsageError } from './engine/command.ts';
import { namedBy, secretOf } from './engine/given.ts';
import { listed } from './engine/outcome.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { printable, said } from './engine/table.ts';
import {
  allowedOption,
  changeAllowed,
  changeAllowedOptions,
  namedProjects,
  whoMayUse,
} from './place/allowed-projects.ts';

type Connection = z.output<typeof gitConnectionSchema>;

const connections = '/git-connections';

/** The connection of this id or label; labels are no two's. */
export async function namedConnection(rest: Rest, name: string): Promise<Connection> {
  return namedBy(name, 'Git connection', await rest.all<Connection>(connections), ({ label }) => label);
}

/** Whether it can be used, by the last check. */
function stateOf({ lastError, missingPermissions, verifiedAt }: Connection): string {
  if (lastError !== '') return 'failing';
  if (missingPermissions.length > 0) return 'lacks rights';
  // A host that only serves git tells nothing of a token by itself.
  return verifiedAt === undefined ? 'token not checked' : 'working';
}

/** Why it fails, or what its token lacks; empty where there is nothing to say. */
function troubleOf({ lastError, missingPermissions }: Connection): string {
  if (lastError !== '') return lastError;
  return missingPermissions.length > 0 ? `The token lacks ${missingPermissions.join(', ')}.` : '';
}

/** Hosts that everybody knows; any other is one of the organization. */
const hosted = ['github.com', 'gitlab.com', 'codeberg.org', 'gitea.com'];

export const gitConnectionAdd = command({
  summary: 'Adds a Git connection: a host of repositories, with a token',
  usage: '--host HOST --label LABEL [--project SLUG]… [--token-stdin] [--json]',
  details: `The token is read from the standard input, or asked for at a terminal; it is never an argument, which the history of a shell would keep. The host
is asked first, and a token that it does not accept is refused. Of GitHub the token needs \`repo\`, of GitLab \`api\`, of Gitea and Forgejo
\`read:user\` and \`write:repository\`. Of a host that only serves git the token is \`name:password\`.`,
  options: {
    host: { type: 'string', value: 'HOST', what: 'github.com, gitlab.com, codeberg.org, or a host of your own.' },
    label: {
      type: 'string',
      value: 'LABEL',
      what: 'The name of the connection; may be left out of a host that everybody knows.',
    },
    ...allowedOption,
    'token-stdin': { type: 'boolean', what: 'Read the token from the standard input, at a terminal, too.' },
    ...restOptions,
  },
  run: async ({ host, label, project, 'token-stdin': fromInput, ...given }) => {
    if (host === undefined) throw new UsageError('Say the host: --host github.com, or one of your own.');
    const known = hosted.includes(host.toLowerCase());
    if (label === undefined && !known) throw new UsageError('Say what it is called: --label LABEL.');
    const rest = new Rest(given);
    const allowed = await namedProjects(rest, project);
    const token = (await secretOf('Token: ', fromInput)).trim();
    if (token === '') throw new UsageError('There is no token: give it by the standard input.');
    const body = defined({ host: known ? host.toLowerCase() : host, token, label, ...allowed });
    const kind = known ? 'hosted-token' : 'selfhosted-token';
    const made = await rest.call<Connection>('POST', `${connections}/${kind}`, body);
    const whose = made.accountLogin === '' ? '' : ` as ${made.accountLogin}`;
    return {
      json: { connection: made },
      text: said`The Git connection ${made.label} to ${made.host}${whose} is added.`,
      below: [
        printable(troubleOf(made)),
        '`./ballast git-connection webhook` makes the secret that its host sends pushes with.',
      ],
    };
  },
});

export const gitConnectionBranches = command({
  summary: 'Lists the branches of a repository of a Git connection',
  usage: 'CONNECTION REPOSITORY [--json]',
  details:
    'CONNECTION is its label or its id, REPOSITORY a full name such as team/app. An asterisk marks the default branch.',
  options: restOptions,
  run: async (given, [name = '', repository = '']) => {
    const rest = new Rest(given);
    const { id } = await namedConnection(rest, name);
    const path = `${connections}/${id}/branches?${new URLSearchParams({ repository })}`;
    const told = await rest.call<{ branches: string[]; defaultBranch: string }>('GET', path);
    const lines = told.branches.map((branch) => said`${branch === told.defaultBranch ? '*' : ' '} ${branch}\n`);
    return { json: told, text: lines.join('') };
  },
});

export const gitConnectionCheck = command({
  summary: 'Asks the host of a Git connection whether it accepts the token, and what that lacks',
  usage: 'CONNECTION [--json]',
  details: 'CONNECTION is its label or its id. The exit code is 1 when the host refuses the token or does not answer.',
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const { id } = await namedConnection(rest, name);
    const connection = await rest.call<Connection>('POST', `${connections}/${id}/check`);
    const { label, lastError, accountLogin } = connection;
    const whose = accountLogin === '' ? '' : ` for ${accountLogin}`;
    const works = said`The Git connection ${label} works${whose}. ${troubleOf(connection)}`.trimEnd();
    if (lastError === '') return { json: { connection }, text: works };
    const failure = new Refusal(said`The Git connection ${label} fails: ${lastError}`);
    return { json: { connection }, text: '', failure };
  },
});

export const gitConnectionList = command({
  summary: 'Lists the Git connections, with the projects that may use each and what is wrong with it',
  usage: '[--json]',
  options: restOptions,
  run: async (given) => {
    const rest = new Rest(given);
    const all = await rest.all<Connection>(connections);
    const none = 'There is no Git connection yet; see `./ballast git-connection add --help`.';
    return listed({ connections: all }, none, async () => ({
      label: 'label',
      host: 'host',
      kind: 'provider',
      account: ({ accountLogin }) => accountLogin || '-',
      projects: await whoMayUse(rest, all),
      state: stateOf,
      'last delivery': ({ lastDeliveryAt }) => lastDeliveryAt ?? 'never',
      '': troubleOf,
    }));
  },
});

export const gitConnectionRemove = command({
  summary: 'Deletes a Git connection',
  usage: 'CONNECTION [--yes] [--json]',
  details: `CONNECTION is its label or its id. Refused while a service is built from a repository of it. Its token is erased here; revoke it at the
host, too.`,
  options: { ...yesOption(), ...restOptions },
  run: async ({ yes, ...given }, [name = '']) => {
    const rest = new Rest(given);
    const { id, label, host } = await namedConnection(rest, name);
    const thing = { noun: 'Git connection', called: `${label} (${host})`, name: label };
    return await deletion(rest, { ...thing, path: `${connections}/${id}`, yes, deleted: { id, label } });
  },
});

interface Repository {
  fullName: string;
  defaultBranch: string;
  private: boolean;
}

export const gitConnectionRepositories = command({
  summary: 'Lists the repositories that a Git connection may read',
  usage: 'CONNECTION [TEXT] [--json]',
  details: 'CONNECTION is its label or its id, TEXT a part of the full name. At most 200 are listed.',
  options: restOptions,
  run: async (given, [name = '', q = '']) => {
    const rest = new Rest(given);
    const { id, provider } = await namedConnection(rest, name);
    const path = `${connections}/${id}/repositories?${new URLSearchParams({ q })}`;
    const { repositories } = await rest.call<{ repositories: Repository[] }>('GET', path);
    const none = provider === 'plain' ? 'Its host has no list of repositories; name them.' : 'There is none.';
    return listed({ repositories }, none, {
      repository: 'fullName',
      'default branch': ({ defaultBranch }) => defaultBranch || '-',
      '': (one) => (one.private ? 'private' : 'public'),
    });
  },
});

export const gitConnectionSet = command({
  summary: 'Changes which projects may use a Git connection',
  usage: 'CONNECTION --project SLUG… | --all-projects | --no-project [--json]',
  details: `CONNECTION is its label or its id. Refused while a service of a project that would lose it is built from a repository of it. It takes an
admin's token.`,
  options: { ...changeAllowedOptions, ...restOptions },
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const named = () => namedConnection(rest, name);
    const { changed, projects } = await changeAllowed(rest, given, connections, named);
    return {
      json: { connection: changed },
      text: async () => said`Projects that may use the Git connection ${changed.label}: ${await projects()}.`,
    };
  },
});

export const gitConnectionWebhook = command({
  summary: 'Makes a new secret for the webhook of a Git connection, and shows it with the address',
  usage: 'CONNECTION [--json]',
  details: `CONNECTION is its label or its id. Paste both at the host, as a webhook of each repository or of the whole team: events push and tag push, content
type application/json. The secret is shown this once; what is signed with an older one is refused from now on.`,
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const { id } = await namedConnection(rest, name);
    const { webhookUrl, secret } = await rest.call<{ webhookUrl: string; secret: string }>(
      'POST',
      `${connections}/${id}/webhook-secret`,
    );
    return { json: { webhookUrl, secret }, text: `address  ${webhookUrl}\nsecret   ${secret}` };
  },
});
