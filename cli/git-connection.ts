import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { gitConnectionSchema } from '../api/git-connections/git-connection.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
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

type Connection = z.output<typeof gitConnectionSchema>;

const connections = '/git-connections';

async function listConnections(rest: Rest): Promise<Connection[]> {
  return await rest.all<Connection>(connections);
}

/** The connection of this id or label; labels are no two's. */
export async function namedConnection(rest: Rest, name: string): Promise<Connection> {
  const all = await listConnections(rest);
  const found = all.find(({ id, label }) => id === name.toLowerCase() || label.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const labels = all.map(({ label }) => printable(label)).join(', ') || 'none';
  throw new UsageError(`There is no Git connection "${printable(name)}"; there is: ${labels}.`);
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
    const token = await tokenOf(fromInput === true);
    const named = label === undefined ? {} : { label };
    const body = { host: known ? host.toLowerCase() : host, token, ...named, ...allowed };
    const kind = known ? 'hosted-token' : 'selfhosted-token';
    const made = await rest.call<Connection>('POST', `${connections}/${kind}`, body);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ connection: made }, undefined, 2)}\n`);
    const whose = made.accountLogin === '' ? '' : ` as ${printable(made.accountLogin)}`;
    process.stdout.write(`The Git connection ${printable(made.label)} to ${printable(made.host)}${whose} is added.\n`);
    const trouble = troubleOf(made);
    if (trouble !== '') process.stderr.write(`${printable(trouble)}\n`);
    process.stderr.write('`./ballast git-connection webhook` makes the secret that its host sends pushes with.\n');
  },
});

async function tokenOf(fromInput: boolean): Promise<string> {
  const token = (!fromInput && canAsk() ? await hidden('Token: ') : await text(process.stdin)).trim();
  if (token !== '') return token;
  throw new UsageError('There is no token: give it by the standard input.');
}

export const gitConnectionBranches = command({
  summary: 'Lists the branches of a repository of a Git connection',
  usage: 'CONNECTION REPOSITORY [--json]',
  details:
    'CONNECTION is its label or its id, REPOSITORY a full name such as team/app. An asterisk marks the default branch.',
  words: { least: 2, most: 2 },
  options: restOptions,
  run: async (given, [name = '', repository = '']) => {
    const rest = new Rest(given);
    const { id } = await namedConnection(rest, name);
    const path = `${connections}/${id}/branches?${new URLSearchParams({ repository })}`;
    const told = await rest.call<{ branches: string[]; defaultBranch: string }>('GET', path);
    if (given.json) return void process.stdout.write(`${JSON.stringify(told, undefined, 2)}\n`);
    for (const branch of told.branches) {
      process.stdout.write(`${branch === told.defaultBranch ? '*' : ' '} ${printable(branch)}\n`);
    }
  },
});

export const gitConnectionCheck = command({
  summary: 'Asks the host of a Git connection whether it accepts the token, and what that lacks',
  usage: 'CONNECTION [--json]',
  details: 'CONNECTION is its label or its id. The exit code is 1 when the host refuses the token or does not answer.',
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const { id } = await namedConnection(rest, name);
    const connection = await rest.call<Connection>('POST', `${connections}/${id}/check`);
    const { label, lastError, accountLogin } = connection;
    if (given.json) process.stdout.write(`${JSON.stringify({ connection }, undefined, 2)}\n`);
    if (lastError !== '') throw new Refusal(`The Git connection ${printable(label)} fails: ${printable(lastError)}`);
    if (given.json) return;
    const whose = accountLogin === '' ? '' : ` for ${printable(accountLogin)}`;
    process.stdout.write(`The Git connection ${printable(label)} works${whose}. ${troubleOf(connection)}`.trimEnd());
    process.stdout.write('\n');
  },
});

export const gitConnectionList = command({
  summary: 'Lists the Git connections, with the projects that may use each and what is wrong with it',
  usage: '[--json]',
  options: restOptions,
  run: async (given) => {
    const rest = new Rest(given);
    const connections = await listConnections(rest);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ connections }, undefined, 2)}\n`);
    if (connections.length === 0) {
      return void process.stdout.write('There is no Git connection yet; see `./ballast git-connection add --help`.\n');
    }
    const titles = ['label', 'host', 'kind', 'account', 'projects', 'state', 'last delivery', ''];
    const projects = await rest.all<Project>('/projects');
    process.stdout.write(
      asTable(
        titles,
        connections.map((connection) => row(connection, projects)),
      ),
    );
  },
});

function row(connection: Connection, projects: readonly Project[]): string[] {
  const { label, host, provider, accountLogin, lastDeliveryAt } = connection;
  return [
    ...[printable(label), printable(host), provider, printable(accountLogin) || '-'],
    ...[printable(allowedText(connection, projects)), stateOf(connection)],
    ...[lastDeliveryAt ?? 'never', printable(troubleOf(connection))],
  ];
}

export const gitConnectionRemove = command({
  summary: 'Deletes a Git connection',
  usage: 'CONNECTION [--yes] [--json]',
  details: `CONNECTION is its label or its id. Refused while a service is built from a repository of it. Its token is erased here; revoke it at the
host, too.`,
  words: { least: 1, most: 1 },
  options: { ...yesOption(), ...restOptions },
  run: async ({ yes, ...given }, [name = '']) => {
    const rest = new Rest(given);
    const { id, label, host } = await namedConnection(rest, name);
    const called = `${printable(label)} (${printable(host)})`;
    if (yes !== true && !(await confirmLoss({ noun: 'Git connection', called, name: label }, []))) return;
    await rest.call('DELETE', `${connections}/${id}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, label } })}\n`);
    else process.stdout.write(`The Git connection ${printable(label)} is deleted.\n`);
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
  words: { least: 1, most: 2 },
  options: restOptions,
  run: async (given, [name = '', q = '']) => {
    const rest = new Rest(given);
    const { id, provider } = await namedConnection(rest, name);
    const path = `${connections}/${id}/repositories?${new URLSearchParams({ q })}`;
    const { repositories } = await rest.call<{ repositories: Repository[] }>('GET', path);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ repositories }, undefined, 2)}\n`);
    if (repositories.length === 0) {
      const why = provider === 'plain' ? 'Its host has no list of repositories; name them.' : 'There is none.';
      return void process.stdout.write(`${why}\n`);
    }
    const rows = repositories.map((one) => [
      ...[printable(one.fullName), printable(one.defaultBranch) || '-', one.private ? 'private' : 'public'],
    ]);
    process.stdout.write(asTable(['repository', 'default branch', ''], rows));
  },
});

export const gitConnectionSet = command({
  summary: 'Changes which projects may use a Git connection',
  usage: 'CONNECTION --project SLUG… | --all-projects | --no-project [--json]',
  details: `CONNECTION is its label or its id. Refused while a service of a project that would lose it is built from a repository of it. It takes an
admin's token.`,
  words: { least: 1, most: 1 },
  options: { ...changeAllowedOptions, ...restOptions },
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const change = await changeOfAllowed(rest, given);
    const { id, allProjects, projectIds } = await namedConnection(rest, name);
    const was = { allProjects, projectIds };
    const connection = await rest.call<Connection>('PATCH', `${connections}/${id}`, { ...change, was });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ connection }, undefined, 2)}\n`);
    const projects = printable(allowedText(connection, await rest.all<Project>('/projects')));
    process.stdout.write(`Projects that may use the Git connection ${printable(connection.label)}: ${projects}.\n`);
  },
});

export const gitConnectionWebhook = command({
  summary: 'Makes a new secret for the webhook of a Git connection, and shows it with the address',
  usage: 'CONNECTION [--json]',
  details: `CONNECTION is its label or its id. Paste both at the host, as a webhook of each repository or of the whole team: events push and tag push, content
type application/json. The secret is shown this once; what is signed with an older one is refused from now on.`,
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const { id } = await namedConnection(rest, name);
    const { webhookUrl, secret } = await rest.call<{ webhookUrl: string; secret: string }>(
      'POST',
      `${connections}/${id}/webhook-secret`,
    );
    if (given.json) return void process.stdout.write(`${JSON.stringify({ webhookUrl, secret }, undefined, 2)}\n`);
    process.stdout.write(`address  ${webhookUrl}\nsecret   ${secret}\n`);
  },
});
