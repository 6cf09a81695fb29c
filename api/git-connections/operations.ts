import { z } from 'zod';
import {
  deleteConnection,
  findConnection,
  listConnections,
  noteCheck,
  replaceWebhookSecret as replace,
} from '../../db/git-connections/connections.ts';
import { repositoryFault } from '../../domain/git/address.ts';
import { hostOfToken } from '../../domain/git/connections.ts';
import { Problem } from '../../domain/problems.ts';
import { isRegistryHost } from '../../domain/services/image-reference.ts';
import { hostedGit } from '../../outbound/git/probe.ts';
import { invalidField } from '../engine/input/input.ts';
import { nameText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import {
  changeProjects,
  newProjects,
  projectsBody,
  usedForOf,
  wantedProjects,
} from '../source-credentials/projects-field.ts';
import {
  gitConnectionAnswer,
  gitConnectionSchema,
  hostOf,
  theGitConnection,
  tokenText,
  toldBy,
  verified,
  writeConnection,
} from './git-connection.ts';

const checkGitConnection = operation({
  method: 'POST',
  url: '/api/v1/git-connections/{id}/check',
  summary: 'Check a Git connection',
  description: 'Asks the host whether it still accepts the token, and what the token lacks. `lastError` says why not.',
  role: 'deployer',
  projectTokens: 'refused',
  of: theGitConnection,
  ownEffect: true,
  result: gitConnectionSchema,
  async handle({ found: connection, caller, database, server, once }) {
    const host = await hostOf(connection, { caller, database, server });
    const account = await toldBy(() => host.account());
    const result =
      'error' in account
        ? account
        : { accountLogin: account.told.login, missingPermissions: account.told.missingPermissions };
    return await once(async (effect) => {
      await noteCheck(effect, connection.organizationId, connection, result);
      const after = await findConnection(effect.kysely, connection.organizationId, connection.id);
      return gitConnectionAnswer(caller, after ?? connection, server.settings.PUBLIC_URL);
    });
  },
});

const hosts = [...hostedGit.keys()];

const createHostedConnection = operation({
  method: 'POST',
  url: '/api/v1/git-connections/hosted-token',
  summary: 'Create a Git connection to a host that everybody knows',
  description: 'The host is asked first: a token that it does not accept is refused.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'quota-reached'],
  body: z.strictObject({
    token: tokenText,
    host: z.enum(hosts).optional().describe('By default the one that the token begins as those of.'),
    label: nameText().optional().describe('By default the account and the host.'),
    ...newProjects,
  }),
  ownEffect: true,
  status: 201,
  result: gitConnectionSchema,
  async handle({ caller, body, database, server, once }) {
    const { token, label, host: _, ...projects } = body;
    const allowed = await wantedProjects(database, caller, projects);
    const host = body.host ?? hostOfToken(token);
    if (host === undefined) {
      throw invalidField('body.host', `must be one of ${hosts.join(', ')}: the token does not say it`);
    }
    const connection = await verified({ kind: 'hosted-token', host, label, token }, server);
    return await once((effect) => writeConnection(effect, caller, { ...connection, allowed }, server));
  },
});

const hostText = z
  .string()
  .trim()
  .toLowerCase()
  .max(255)
  .transform((text) => text.replace(/^https:\/\//, '').replace(/\/+$/, ''))
  .refine((text) => isRegistryHost(text.replace(/^http:\/\//, '')), {
    error: 'must be a host, such as git.example.com or git.example.com:8443',
  })
  .describe('`git.example.com`, with its port; `http://…` only where OUTBOUND_ALLOWED_RANGES has its address.');

const createSelfhostedConnection = operation({
  method: 'POST',
  url: '/api/v1/git-connections/selfhosted-token',
  summary: 'Create a Git connection to a host of your own',
  description:
    'Whether the host is GitLab, Gitea, Forgejo, GitHub Enterprise Server or plain git over https is found by asking it. A token that it does not accept is refused; of a plain host the token may be `name:password`, and shows with the first repository whether it is right.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'quota-reached'],
  body: z.strictObject({ host: hostText, label: nameText(), token: tokenText, ...newProjects }),
  ownEffect: true,
  status: 201,
  result: gitConnectionSchema,
  async handle({ caller, body, database, server, once }) {
    // A form that asks for any host need not know which ones everybody knows.
    const { host, label, token, ...projects } = body;
    const kind = hostedGit.has(host) ? 'hosted-token' : 'selfhosted-token';
    const allowed = await wantedProjects(database, caller, projects);
    const connection = await verified({ kind, host, label, token }, server);
    return await once((effect) => writeConnection(effect, caller, { ...connection, allowed }, server));
  },
});

const deleteGitConnection = operation({
  method: 'DELETE',
  url: '/api/v1/git-connections/{id}',
  summary: 'Delete a Git connection',
  description:
    'Refused while a service is built from a repository of it, as applied or staged. Its token is erased here, not at the host.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict'],
  of: theGitConnection,
  async handle({ found: connection, caller, effect }) {
    await deleteConnection(effect, caller.organization.id, connection);
  },
});

export const gitBranchesSchema = z
  .object({
    branches: z.array(z.string()),
    defaultBranch: z.string().describe('Empty if the host does not say it.'),
  })
  .meta({ id: 'GitBranches' });

const listBranches = operation({
  method: 'GET',
  url: '/api/v1/git-connections/{id}/branches',
  summary: 'List the branches of a repository',
  description: 'As the host tells them now, by git itself.',
  role: 'deployer',
  projectTokens: 'allowed',
  of: theGitConnection,
  query: z.strictObject({ repository: z.string().max(500).describe('Its full name, `team/app`.') }),
  result: gitBranchesSchema,
  async handle({ found: connection, caller, query: { repository }, database, server }) {
    const fault = repositoryFault(repository);
    if (fault !== undefined) throw invalidField('query.repository', fault, repository);
    const host = await hostOf(connection, { caller, database, server });
    const found = await toldBy(() => host.branches(repository));
    if ('told' in found) return found.told;
    throw invalidField('query.repository', `cannot be read: ${found.error}`, repository);
  },
});

const listGitConnections = operation({
  method: 'GET',
  url: '/api/v1/git-connections',
  summary: 'List the Git connections, oldest first',
  description: 'A token that is limited to projects sees those that one of these may use.',
  role: 'viewer',
  projectTokens: 'allowed',
  paged: { after: createdPosition },
  result: gitConnectionSchema,
  async handle({ caller, page, database, server }) {
    const found = await listConnections(database.kysely, caller.organization.id, usedForOf(caller), oneMore(page));
    return pageOf(found, page, (connection) => gitConnectionAnswer(caller, connection, server.settings.PUBLIC_URL));
  },
});

const listRepositories = operation({
  method: 'GET',
  url: '/api/v1/git-connections/{id}/repositories',
  summary: 'List the repositories that a Git connection may read',
  description:
    'At most 200. A plain host has no list: name its repositories. For a token that is limited to projects, of a connection that one of these may use.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theGitConnection,
  query: z.strictObject({
    q: z.string().max(200).default('').describe('A part of the full name; upper and lower case are the same.'),
  }),
  result: z
    .object({
      repositories: z.array(
        z
          .object({ fullName: z.string(), cloneUrl: z.string(), defaultBranch: z.string(), private: z.boolean() })
          .meta({ id: 'GitRepository' }),
      ),
    })
    .meta({ id: 'GitRepositories' }),
  async handle({ found: connection, caller, query, database, server }) {
    const host = await hostOf(connection, { caller, database, server });
    const found = await toldBy(() => host.repositories(query.q));
    if ('told' in found) return { repositories: found.told };
    throw new Problem('conflict', `The repositories of "${connection.label}" cannot be listed: ${found.error}`);
  },
});

const replaceWebhookSecret = operation({
  method: 'POST',
  url: '/api/v1/git-connections/{id}/webhook-secret',
  summary: 'Replace the secret of the webhook of a Git connection',
  description:
    'Answers the new secret, which is shown this once: paste it at the host, with `webhookUrl`. What is signed with the old one is refused from now on.',
  role: 'admin',
  projectTokens: 'refused',
  of: theGitConnection,
  result: z.object({ id: z.guid(), webhookUrl: z.string(), secret: z.string() }).meta({ id: 'GitWebhookSecret' }),
  secretAnswer: ({ id }) => id,
  async handle({ found: connection, caller, effect, server }) {
    const secret = await replace(effect, server.keyring, caller.organization.id, connection);
    const { id, webhookUrl } = gitConnectionAnswer(caller, connection, server.settings.PUBLIC_URL);
    return { id, webhookUrl, secret };
  },
});

const updateGitConnection = operation({
  method: 'PATCH',
  url: '/api/v1/git-connections/{id}',
  summary: 'Change which projects may use a Git connection',
  description:
    'Omitted fields keep their values. `projectIds` limits it to these, `allProjects` opens it to all. Refused while a service of a project that would lose it is built from a repository of it, as applied or staged.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'changed-meanwhile'],
  of: theGitConnection,
  body: projectsBody,
  result: gitConnectionSchema,
  async handle({ found: { id, organizationId }, caller, body, effect, server }) {
    await changeProjects(effect, caller, { kind: 'git_connection', organizationId, id }, body);
    const after = await caller.see(theGitConnection, id, effect.kysely);
    return gitConnectionAnswer(caller, after, server.settings.PUBLIC_URL);
  },
});

export const gitConnections = {
  list: listGitConnections,
  createSelfhosted: createSelfhostedConnection,
  createHosted: createHostedConnection,
  update: updateGitConnection,
  delete: deleteGitConnection,
  check: checkGitConnection,
  branches: listBranches,
  repositories: listRepositories,
  webhookSecret: replaceWebhookSecret,
};
