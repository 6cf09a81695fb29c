import type { Kysely } from 'kysely';
import { z } from 'zod';
import { deciders } from '../../db/approvals/approvals.ts';
import { settingsAt } from '../../db/builds/commits.ts';
import { type CommitSource, requestBuild, SourceMissing } from '../../db/builds/request-build.ts';
import { approveBuild as approve } from '../../db/builds/variables/approve-build.ts';
import { connectionAccess } from '../../db/git-connections/connection-access.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { defined } from '../../domain/defined.ts';
import { cloneUrl } from '../../domain/git/address.ts';
import { commitPattern } from '../../domain/git/connections.ts';
import { Problem } from '../../domain/problems.ts';
import { mayActAs } from '../../domain/roles.ts';
import type { ServiceSource } from '../../domain/services/settings.ts';
import { outboundFault } from '../../outbound/failures.ts';
import { gitAddress } from '../../outbound/git/address.ts';
import { type RemoteRefs, remoteRefs } from '../../outbound/git/remote-refs.ts';
import { isJob } from '../approvals/approval.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField, invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { theService } from '../services/service.ts';
import { environmentOf } from '../services/service-place.ts';
import { buildAnswer, buildSchema, theBuild } from './build.ts';

export const approveBuild = operation({
  method: 'POST',
  url: '/api/v1/builds/{id}/approve',
  summary: 'Approve that a build sees the build variables of a production environment',
  description:
    'Of a build that `awaitsApproval`: its source is an upload, a tag, or a commit that is not the head of the connected branch, and any command of it could tell what it is given. Not by the person who requested it, unless only one account may decide. A token counts as the person who made it; tokens of CI jobs never approve. A retry is of the same source and needs no other approval.',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['already-decided', 'role-too-low'],
  of: theBuild,
  result: buildSchema,
  async handle({ found: build, caller, effect }) {
    if (await isJob(effect.kysely, caller))
      throw new Problem('role-too-low', 'Tokens of CI jobs do not approve builds: a person does.');
    const own = (build.actorUserId ?? build.requestedById) === caller.countsAs.id;
    if (own && !(await isAlone(effect.kysely, caller))) {
      throw new Problem(
        'role-too-low',
        'You requested this build, so somebody else approves it: any other admin or owner of the organization.',
      );
    }
    await approve(effect, build.id, { name: build.serviceName, by: caller.countsAs });
    return buildAnswer(await caller.see(theBuild, build.id, effect.kysely));
  },
});

/** Who asks for a build and is the only one who may approve it: that is said by asking. */
export async function approvesAlone(
  kysely: Kysely<Tables>,
  caller: OrganizationCaller,
): Promise<{ id: string; name: string } | undefined> {
  if (!mayActAs(caller.role, 'admin') || (await isJob(kysely, caller))) return undefined;
  return (await isAlone(kysely, caller)) ? caller.countsAs : undefined;
}

/** A token that was made on the machine itself has no person behind it, and stands for who holds the installation. */
async function isAlone(kysely: Kysely<Tables>, { organization, countsAs }: OrganizationCaller): Promise<boolean> {
  return (await deciders(kysely, organization.id)).every((one) => one === countsAs.id);
}

const timeoutMillis = 15_000;

interface SourceOfBuild {
  organizationId: string;
  projectId: string;
  /** The service's name, for people. */
  name: string;
  source: ServiceSource;
  /** Without one it is the branch that a clone checks out. */
  branch: string | undefined;
}

/** The commit at the top of a branch, as the repository says now. Asks the host, so that it belongs before a transaction. */
export async function resolveCommit(server: ServerParts, asked: SourceOfBuild): Promise<CommitSource> {
  const { organizationId, projectId, name, source } = asked;
  const { gitConnectionId: connectionId } = source;
  const access =
    connectionId === undefined
      ? undefined
      : await connectionAccess(server.database.kysely, server.keyring, organizationId, {
          id: connectionId,
          usedFor: [projectId],
        });
  if (connectionId !== undefined && access === undefined) {
    throw unresolved(
      name,
      'the Git connection of its source was deleted, or is not for this project; choose another one, or ask an administrator of the organization to add the project to it',
    );
  }
  const url = access === undefined ? source.gitUrl : cloneUrl(access.host, source.repository);
  const { refs, head } = await listed(server, name, url, access, asked.branch);
  const ref = asked.branch === undefined ? head : `refs/heads/${asked.branch}`;
  if (ref === undefined) throw unresolved(name, 'the repository is empty; push a commit first');
  const found = refs.find((one) => one.name === ref);
  if (found === undefined) {
    const branch = ref.replace(/^refs\/heads\//, '');
    throw unresolved(name, `it has no branch "${branch}"; push it, or change the branch of the environment`);
  }
  return {
    ...{ kind: 'git', url, ref, commit: found.commit, commitMessage: '' },
    repository: source.repository || repositoryOf(url),
    ...(connectionId === undefined ? {} : { connectionId }),
  };
}

async function listed(
  { outbound }: ServerParts,
  name: string,
  url: string,
  credential: { username: string; password: string } | undefined,
  branch: string | undefined,
): Promise<RemoteRefs> {
  try {
    const prefix = branch === undefined ? 'refs/heads/' : `refs/heads/${branch}`;
    return await remoteRefs(gitAddress(url, outbound), credential, [prefix], { ...outbound, timeoutMillis });
  } catch (error) {
    throw unresolved(name, outboundFault(error).replace(/\.$/, ''));
  }
}

/** `team/app` of https://git.example.com/team/app.git. */
function repositoryOf(url: string): string {
  return new URL(url).pathname.replace(/^\/+|\/+$|(?:\.git)?\/*$/g, '');
}

function unresolved(name: string, why: string): Problem {
  return new Problem('commit-not-resolved', `The commit to build of "${name}" was not found: ${why}.`);
}

export const createBuild = operation({
  method: 'POST',
  url: '/api/v1/services/{id}/builds',
  summary: 'Build an uploaded source, or a commit of the repository of the service',
  description:
    'Queues a build on the cluster of the environment. Once it has succeeded, its image is deployed there with the settings that are applied then, never with staged ones; in production that waits for its approval. Without `sourceId` the repository that is applied there is asked for its branch: `branch`, or else that of the environment, or else its own default one.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'quota-reached'],
  of: theService,
  body: z.strictObject({
    environmentId: z.guid().toLowerCase(),
    sourceId: z.guid().toLowerCase().optional().describe('Of `POST /services/{id}/sources`.'),
    branch: z.string().min(1).max(500).optional().describe('A branch of the repository, such as `main`.'),
    commitSha: z.string().regex(commitPattern).optional().describe('A whole name of a commit, of the branch or older.'),
    message: z
      .string()
      .trim()
      .max(500)
      .default('')
      .describe('What changes, in your words: of the build, of its deployment, and for who approves that.'),
    deploy: z.boolean().default(true).describe('`false`: only an image is made.'),
    downtimeAccepted: z
      .boolean()
      .default(false)
      .describe('Its deployment may end processes that have a volume before their successors start.'),
  }),
  result: buildSchema,
  status: 201,
  ownEffect: true,
  async handle({ found: service, caller, body, database, server, once }) {
    const environment = await environmentOf(caller, service, body.environmentId);
    const { organizationId, projectId } = environment;
    const place = { organizationId, projectId, environmentId: environment.id, serviceId: service.id };
    const { sourceId, deploy, downtimeAccepted, message: title } = body;
    const approvedBy = environment.production ? await approvesAlone(database.kysely, caller) : undefined;
    const common = { ...place, deploys: deploy, title, downtimeAccepted, approvedBy, actorUserId: caller.answerableId };
    if (sourceId !== undefined) {
      refuseBoth(body);
      return await once(async (effect) => {
        const source = { kind: 'upload', buildSourceId: sourceId } as const;
        const id = await requestBuild(effect, { ...common, source, trigger: 'upload' }).catch((error: unknown) => {
          if (!(error instanceof SourceMissing)) throw error;
          throw invalidField('body.sourceId', 'is no source of this service', sourceId);
        });
        return buildAnswer(await caller.see(theBuild, id, effect.kysely));
      });
    }
    // No transaction is open while its host is asked.
    const { source: settings } = await settingsAt(database.kysely, place);
    if (settings.kind !== 'git') {
      throw invalidField(
        'body.sourceId',
        `is needed: "${service.name}" has no repository as its source in "${environment.name}"; upload one, or give it a repository and apply that`,
      );
    }
    const { branch, commitSha } = body;
    const wanted = { organizationId, projectId, name: service.name, source: settings };
    const found = await resolveCommit(server, {
      ...wanted,
      branch: branch ?? environment.gitBranch ?? undefined,
    }).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      throw invalidField(branch === undefined ? 'body.environmentId' : 'body.branch', error.message);
    });
    // Hosts list the tips of branches alone: a commit that was given is believed, and the agent says if it is not there.
    const source: CommitSource = { ...found, commit: commitSha ?? found.commit };
    const connected = source.commit === found.commit && (branch === undefined || branch === environment.gitBranch);
    return await once(async (effect) => {
      const id = await requestBuild(effect, { ...common, source, connected, trigger: 'manual' });
      return buildAnswer(await caller.see(theBuild, id, effect.kysely));
    });
  },
});

function refuseBoth({ branch, commitSha }: { branch?: string | undefined; commitSha?: string | undefined }): void {
  const message = 'is of a repository, and sourceId of an upload: give one';
  const given = Object.keys(defined({ branch, commitSha }));
  if (given.length > 0) throw invalidFields(given.map((name) => ({ location: `body.${name}`, message })));
}
