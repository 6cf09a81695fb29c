import { z } from 'zod';
import { connectionAccess } from '../../db/git-connections/connections.ts';
import { parseEnvTemplate } from '../../domain/env-template/parse.ts';
import { gitUrlFault, repositoryFault } from '../../domain/git/address.ts';
import { cloneUrl } from '../../domain/git/clone-url.ts';
import { gitAddress } from '../../outbound/git/address.ts';
import { withCommitTree } from '../../outbound/git/commit/commit-tree.ts';
import { type GitCredential, remoteRefs } from '../../outbound/git/remote-refs.ts';
import { detectedBuildSchema } from '../builds/build.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { envTemplateKey } from '../env-template/env-template-key.ts';
import { theGitConnection, toldBy } from '../git-connections/git-connection.ts';
import { detectCommit } from './detect-commit.ts';

/** Beneath the deadline of a request. */
const mostMillis = 20_000;

const bodySchema = z.strictObject({
  branch: z.string().min(1).max(500),
  gitUrl: z.string().max(2_000).optional().describe('An https address that everybody may read.'),
  gitConnectionId: z.guid().toLowerCase().optional(),
  repository: z.string().max(500).optional().describe('Its full name, `team/app`, with `gitConnectionId`.'),
  context: z.string().max(1_000).default('').describe('A folder of the repository.'),
});

export const detectProject = operation({
  method: 'POST',
  url: '/api/v1/repository-config/detect-project',
  summary: 'Tell how a branch of a repository would be built and started',
  description:
    'Reads the newest commit as a build would and changes nothing. `envTemplate` is what its `.env.example` asks for.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'refused',
  problems: ['not-found'],
  body: bodySchema,
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
  async handle({ caller, body, database, server, signal, once }) {
    refuseUnfit(body);
    const { branch, context, gitConnectionId, gitUrl = '', repository = '' } = body;
    const rules = { ...server.outbound, timeoutMillis: mostMillis };
    let url = gitUrl;
    let credential: GitCredential | undefined;
    if (gitConnectionId !== undefined) {
      const { id, host } = await caller.see(theGitConnection, gitConnectionId);
      credential = await connectionAccess(database.kysely, server.keyring, caller.organization.id, id);
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
    const read = await toldBy(() =>
      withCommitTree(address, commit, credential, rules, signal, (tree) => detectCommit(tree, context)),
    );
    if ('error' in read) throw refused(field, `cannot be read: ${read.error}`);
    const { detected, message, template } = read.told;
    const source = { commit, path: template?.path ?? '', repository: repository === '' ? address.url : repository };
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

function refuseUnfit({ gitUrl, gitConnectionId, repository }: z.output<typeof bodySchema>): void {
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
  return invalidFields([{ location: `body.${field}`, message }]);
}
