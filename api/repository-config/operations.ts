import { z } from 'zod';
import { connectionAccess } from '../../db/git-connections/connections.ts';
import { detect } from '../../domain/detection/detect.ts';
import type { DetectedBuild } from '../../domain/detection/detected-build.ts';
import { parseEnvTemplate, templateOf } from '../../domain/env-template/parse.ts';
import { cloneUrl, gitUrlFault, longestGitUrl, repositoryFault } from '../../domain/git/address.ts';
import { emptyEffective } from '../../domain/repository-config/effective.ts';
import { configNames, configPaths } from '../../domain/repository-config/overlay.ts';
import { type ReadConfig, readConfig } from '../../domain/repository-config/parse.ts';
import { summaryOf } from '../../domain/repository-config/summary.ts';
import { gitAddress } from '../../outbound/git/address.ts';
import { branchesOf } from '../../outbound/git/branches.ts';
import { type CommitTree, withCommitTree } from '../../outbound/git/commit/commit-tree.ts';
import { type GitCredential, remoteRefs } from '../../outbound/git/remote-refs.ts';
import { detectedBuildSchema } from '../builds/build.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import type { HandlerInput } from '../engine/definition.ts';
import { invalidField } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { envTemplateKey } from '../env-template/operations.ts';
import { theGitConnection, toldBy } from '../git-connections/git-connection.ts';
import { gitBranchesSchema } from '../git-connections/operations.ts';
import { usedForOf } from '../source-credentials/projects-field.ts';
import { configProblemSchema, effectiveSchema } from './effective-schema.ts';

interface DetectedCommit {
  detected: DetectedBuild;
  message: string;
  /** The template of variables. */
  template: { path: string; text: string } | undefined;
}

/** Detection asks for texts that depend on those before: each round is one question to the host. */
const mostRounds = 8;
const mostTexts = 1_000;

async function detectCommit({ paths, texts }: CommitTree, context: string): Promise<DetectedCommit> {
  const known = new Map<string, string | undefined>();
  const folder = context.replace(/^(?:\.\/)+|\/+$/g, '');
  const there = new Set(paths);
  const usual = templateOf(folder, (one) => there.has(one));
  let wanted = usual === undefined ? [] : [usual];
  for (let round = 0; ; round += 1) {
    const next: string[] = [];
    const tree = {
      paths,
      text(one: string) {
        if (!known.has(one)) next.push(one);
        return known.get(one);
      },
    };
    const { detected, message } = detect(tree, context);
    const missing = [...new Set([...next, ...wanted])].slice(0, mostTexts);
    wanted = [];
    if (missing.length === 0 || round === mostRounds || known.size >= mostTexts) {
      // Of a single application in a folder below it is that one's.
      const path = detected.envTemplate || usual;
      const text = path === undefined ? undefined : known.get(path);
      return { detected, message, template: path === undefined || text === undefined ? undefined : { path, text } };
    }
    const read = await texts(missing);
    for (const one of missing) known.set(one, read.get(one));
  }
}

/** Beneath the deadline of a request. */
const timeoutMillis = 20_000;

/** A branch of a repository, without a service. */
const branchBody = z.strictObject({
  branch: z.string().min(1).max(500),
  gitUrl: z.string().max(2_000).optional().describe('An https address that everybody may read.'),
  gitConnectionId: z.guid().toLowerCase().optional(),
  repository: z.string().max(500).optional().describe('Its full name, `team/app`, with `gitConnectionId`.'),
  context: z.string().max(1_000).default('').describe('A folder of the repository.'),
});

type Body = z.output<typeof branchBody>;
type DetectionInput = Pick<
  HandlerInput<OrganizationCaller, unknown, unknown, Body>,
  'caller' | 'body' | 'database' | 'server' | 'signal'
>;

interface ReadBranch<T> {
  commit: string;
  /** As people read it. */
  repository: string;
  told: T;
}

/** Reads the newest commit of a branch. Refuses at the field with a sentence where that is not possible. */
async function readBranch<T>(
  { caller, body, database, server, signal }: DetectionInput,
  work: (tree: CommitTree) => Promise<T>,
): Promise<ReadBranch<T>> {
  refuseUnfit(body);
  const { branch, gitConnectionId, gitUrl = '', repository = '' } = body;
  const rules = { ...server.outbound, timeoutMillis };
  let url = gitUrl;
  let credential: GitCredential | undefined;
  if (gitConnectionId !== undefined) {
    const { id, host } = await caller.see(theGitConnection, gitConnectionId);
    const asked = { id, usedFor: usedForOf(caller) };
    credential = await connectionAccess(database.kysely, server.keyring, caller.organization.id, asked);
    url = cloneUrl(host, repository);
  }
  const field = gitConnectionId === undefined ? 'gitUrl' : 'repository';
  const ref = `refs/heads/${branch}`;
  const found = await toldBy(async () => {
    const address = gitAddress(url, rules);
    const { refs } = await remoteRefs(address, credential, ['refs/heads/'], rules);
    return { address, refs };
  });
  if ('error' in found) throw refused(field, `cannot be read: ${found.error}`);
  const { address, refs } = found.told;
  const commit = refs.find(({ name }) => name === ref)?.commit;
  if (refs.length === 0) throw refused(field, 'is an empty repository; push a commit first');
  if (commit === undefined) {
    const names = refs.slice(0, 5).map(({ name }) => name.slice('refs/heads/'.length));
    throw refused(
      'branch',
      `is no branch of the repository; there are ${names.join(', ')}${refs.length > 5 ? ' and others' : ''}`,
    );
  }
  const read = await toldBy(() => withCommitTree(address, commit, credential, rules, signal, work));
  if ('error' in read) throw refused(field, `cannot be read: ${read.error}`);
  return { commit, repository: repository === '' ? address.url : repository, told: read.told };
}

function refuseUnfit({ gitUrl, gitConnectionId, repository }: Body): void {
  if (gitConnectionId === undefined) {
    const fault = gitUrl === undefined ? 'must be there, or gitConnectionId with repository' : gitUrlFault(gitUrl);
    if (fault !== undefined) throw refused('gitUrl', fault);
    if (repository !== undefined) throw refused('repository', 'is of a Git connection: give gitConnectionId, too');
    return;
  }
  if (gitUrl !== undefined) throw refused('gitUrl', 'must be left out: the repository of the Git connection is read');
  const fault = repository === undefined ? 'must be there with gitConnectionId' : repositoryFault(repository);
  if (fault !== undefined) throw refused('repository', fault);
}

function refused(field: string, message: string) {
  return invalidField(`body.${field}`, message);
}

const detectConfig = operation({
  method: 'POST',
  url: '/api/v1/repository-config/detect',
  summary: 'Read the configuration file of a branch of a repository',
  description:
    'Reads `ballast.yaml` of the newest commit, of the folder `context` or else of the root, and changes nothing. A file with problems is an answer, too.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  body: branchBody,
  ownEffect: true,
  result: z
    .object({
      status: z.enum(['ok', 'absent', 'invalid']),
      source: z.enum(['git', '']).describe('Where the file was read; empty: there is none.'),
      commit: z.string(),
      path: z.string(),
      summary: z.string(),
      message: z.string().describe('What is to be known or done; empty: nothing.'),
      problems: z.array(configProblemSchema).describe('With one, nothing of the file is used.'),
      base: effectiveSchema.describe('The keys at its top, which each service of the repository has.'),
      services: z.array(z.string()).describe('The slugs of services that have sections of their own.'),
      databases: z.array(z.string()).describe('Templates of databases: listed, and not created.'),
    })
    .meta({ id: 'DetectedConfig' }),
  async handle({ once, ...asked }) {
    const { context } = asked.body;
    const { commit, told } = await readBranch(asked, (tree) => configOf(tree, context));
    const { status, path, problems, config } = told;
    const base = config?.base ?? emptyEffective;
    const absent = `The repository has no ${configNames[0]}${context === '' ? '' : `, neither in ${context} nor at its root`}: settings are those of the service.`;
    return await once(async () => ({
      ...{ status, commit, path, problems },
      source: status === 'absent' ? ('' as const) : ('git' as const),
      summary: {
        absent,
        invalid: 'The file has problems: nothing of it is used, and builds fail.',
        ok: summaryOf(base),
      }[status],
      message: told.message,
      base: status === 'ok' ? base : emptyEffective,
      services: config?.services.map(({ name }) => name) ?? [],
      databases: config?.databases ?? [],
    }));
  },
});

async function configOf({ paths, texts }: CommitTree, context: string): Promise<ReadConfig> {
  const there = new Set(paths);
  const found = configPaths(context, (path) => there.has(path));
  const read = await texts(found);
  return readConfig(found, (path) => read.get(path));
}

const detectProject = operation({
  method: 'POST',
  url: '/api/v1/repository-config/detect-project',
  summary: 'Tell how a branch of a repository would be built and started',
  description:
    'Reads the newest commit as a build would and changes nothing. `envTemplate` is what its `.env.example` asks for.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  body: branchBody,
  ownEffect: true,
  result: z
    .object({
      commit: z.string(),
      message: z.string().describe('Why it cannot be built, and what to do; empty if it can.'),
      result: detectedBuildSchema,
      envTemplate: z.object({
        keys: z.array(envTemplateKey),
        reason: z.string().describe('`absent` where there is no template.'),
        message: z.string(),
        source: z.object({ commit: z.string(), path: z.string(), repository: z.string() }).optional(),
      }),
    })
    .meta({ id: 'DetectedProject' }),
  async handle({ once, ...asked }) {
    const { commit, repository, told } = await readBranch(asked, (tree) => detectCommit(tree, asked.body.context));
    const { detected, message, template } = told;
    const source = { commit, path: template?.path ?? '', repository };
    const absent = {
      keys: [],
      reason: 'absent',
      message: 'The repository has no template of variables such as .env.example.',
    };
    const envTemplate =
      template === undefined ? absent : { keys: parseEnvTemplate(template.text), reason: '', message: '', source };
    return await once(async () => ({ commit, message, result: detected, envTemplate }));
  },
});

/** An address may hold a password by mistake, and queries are logged: so it is in a body, although nothing changes. */
const listPublicBranches = operation({
  method: 'POST',
  url: '/api/v1/repository-config/branches',
  summary: 'List the branches of a repository that everybody may read',
  description: 'As its host tells them now, by git itself. It changes nothing.',
  role: 'deployer',
  projectTokens: 'refused',
  body: z.strictObject({ gitUrl: z.string().max(longestGitUrl).describe('An https address.') }),
  ownEffect: true,
  result: gitBranchesSchema,
  async handle({ body: { gitUrl }, server: { outbound }, once }) {
    const fault = gitUrlFault(gitUrl);
    if (fault !== undefined) throw refused('gitUrl', fault);
    const found = await toldBy(() =>
      branchesOf(gitAddress(gitUrl, outbound), undefined, { ...outbound, timeoutMillis }),
    );
    if ('error' in found) throw refused('gitUrl', `cannot be read: ${found.error}`);
    return await once(async () => found.told);
  },
});

export const repositoryConfig = { detect: detectConfig, detectProject, publicBranches: listPublicBranches };
