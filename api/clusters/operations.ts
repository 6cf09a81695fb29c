import { z } from 'zod';
import { currentRelease } from '../../db/agent-updates/agent-releases.ts';
import { requestClusterDeletion } from '../../db/clusters/cluster-deletion.ts';
import {
  type ClusterView,
  changeCluster as change,
  listClusters as clustersOf,
  lockCluster,
  createCluster as newCluster,
} from '../../db/clusters/clusters.ts';
import { createEnrollmentToken as newToken } from '../../db/clusters/enrollment-tokens.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { organizationSshKey } from '../../db/organizations/organization-ssh-key.ts';
import { Problem } from '../../domain/problems.ts';
import { soughtText } from '../engine/input/line.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import {
  clusterCreatedSchema,
  clusterName,
  clusterRegion,
  clusterSchema,
  enrollmentTokenSchema,
  factsOf,
  presentCluster,
  presentClusters,
  signingFingerprint,
  summaryOf,
  theCluster,
} from './cluster.ts';

const changeCluster = operation({
  method: 'PATCH',
  url: '/api/v1/clusters/{id}',
  summary: 'Update a cluster',
  description:
    'Omitted fields keep their values; the slug never changes. A cluster that is not schedulable accepts no new workloads; existing ones can be changed.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['changed-meanwhile'],
  of: theCluster,
  body: withWas(
    z.strictObject({
      name: clusterName.optional(),
      region: clusterRegion.optional(),
      schedulable: z.boolean().optional(),
    }),
  ),
  result: clusterSchema,
  async handle({ found: cluster, caller, path, body, effect }) {
    const before = await lockCluster(effect, cluster);
    const { was, ...wanted } = body;
    const subject = { organizationId: caller.organization.id, kind: 'cluster', id: cluster.id };
    if (before !== undefined) await refuseChangedMeanwhile(effect.kysely, subject, { is: before, was, wanted });
    const changed = await change(effect, cluster, wanted);
    return presentCluster(changed ?? (await caller.see(theCluster, path.id, effect.kysely)));
  },
});

/**
 * The command that joins a machine to the cluster. The token is given on standard input, so that it is in no
 * list of processes. The fingerprint is of the key that the machine trusts from then on. The token, the address and the slug are made of characters that mean nothing to a shell. A script that could
 * not be fetched fails as a whole: curl has said why.
 */
export function installCommand(
  publicUrl: string,
  cluster: { slug: string },
  token: string,
  fingerprint: string | undefined,
): string {
  const script = `${publicUrl}/agent/v1/install.sh`;
  return `printf '%s\\n' ${quoted(token)} | sh -c "$(curl -fsSL ${quoted(script)} || echo exit 1)" ballast-install${trusting(fingerprint)}${beside(publicUrl, cluster)}`;
}

/** Missing as long as no release is signed; the script says then what to do. */
function trusting(fingerprint: string | undefined): string {
  return fingerprint === undefined ? '' : ` --trust ${fingerprint}`;
}

/** An address that only this machine can reach: the agent comes to live here, beside that of the local cluster. */
function beside(publicUrl: string, { slug }: { slug: string }): string {
  const { hostname } = new URL(publicUrl);
  const here = hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.|^\[::1\]$/.test(hostname);
  return here ? ` --home "$HOME/ballast-agent-${slug}" --ingress-port 0` : '';
}

/** A token that enrols one agent, with the command that takes it. */
async function joining(effect: Effect, cluster: ClusterView, { settings }: ServerParts) {
  const { secret: token, expiresAt } = await newToken(effect, cluster);
  const fingerprint = await signingFingerprint(effect.kysely);
  return { expiresAt, installCommand: installCommand(settings.PUBLIC_URL, cluster, token, fingerprint), token };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const createCluster = operation({
  method: 'POST',
  url: '/api/v1/clusters',
  summary: 'Create a cluster',
  description:
    'Run `installCommand` on the machine that becomes the cluster, before the token expires. The slug is derived from the name and never changes.',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: ['not-found'],
  body: z.strictObject({ name: clusterName, region: clusterRegion.optional() }),
  status: 201,
  result: clusterCreatedSchema,
  secretAnswer: ({ cluster }) => cluster.id,
  async handle({ caller, body, effect, server }) {
    const cluster = await newCluster(effect, { organizationId: caller.organization.id, ...body });
    return { cluster: presentCluster(cluster), ...(await joining(effect, cluster, server)) };
  },
});

const createEnrollmentToken = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/enrollment-token',
  summary: 'Create an enrollment token',
  description: 'An enrolled agent is replaced by the one that uses the token.',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: ['already-decided'],
  of: theCluster,
  status: 201,
  result: enrollmentTokenSchema,
  secretAnswer: ({ expiresAt }) => `an enrollment token that expires at ${expiresAt}`,
  async handle({ found: cluster, effect, server }) {
    return await joining(effect, cluster, server);
  },
});

const installDbOperator = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/db-operator',
  summary: "Get the command that installs the database operator on a cluster's machine",
  description: 'For clusters whose driver runs databases by an operator; for others the answer is 409.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['capability-missing'],
  of: theCluster,
  result: z
    .object({ command: z.string(), expiresAt: z.iso.datetime(), token: z.string() })
    .meta({ id: 'HostScriptCommand' }),
  async handle({ found: cluster }) {
    const driver = factsOf(cluster)?.driver;
    throw new Problem(
      'capability-missing',
      driver === undefined
        ? `No agent has told what the cluster "${cluster.name}" can do (capability dbOperator); enrol its agent first.`
        : `The cluster "${cluster.name}" lacks the capability dbOperator: its driver, ${driver}, runs databases without an operator; only a Kubernetes cluster has one.`,
    );
  },
});

const deleteCluster = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}',
  summary: 'Delete an empty cluster',
  description:
    'The agent is refused from then on. While the cluster has workloads, running instances, or data of what was deleted that its agent could delete, the answer is 409 and names them.',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'deletions',
  problems: ['conflict', 'cluster-in-use', 'already-decided'],
  of: theCluster,
  async handle({ found: cluster, effect, server }) {
    if (cluster.local && server.settings.LOCAL_CLUSTER) {
      throw new Problem(
        'conflict',
        `The cluster "${cluster.name}" belongs to this installation, which would create it again: start it with LOCAL_CLUSTER=false first.`,
      );
    }
    await requestClusterDeletion(effect, cluster);
  },
});

const getCluster = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}',
  summary: 'Get a cluster',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theCluster,
  result: clusterSchema,
  async handle({ found: cluster, caller, server }) {
    return (await presentClusters(server, caller.organization.id, [cluster]))(cluster);
  },
});

const getSshKey = operation({
  method: 'GET',
  url: '/api/v1/clusters/ssh-key',
  summary: "Get the organization's public SSH key",
  description: 'For `authorized_keys` of machines that the control plane reaches by SSH.',
  role: 'viewer',
  projectTokens: 'refused',
  result: z.object({ publicKey: z.string() }).meta({ id: 'SshKey' }),
  async handle({ caller, server }) {
    return { publicKey: await organizationSshKey(server.keyring, caller.organization) };
  },
});

export const listClusters = operation({
  method: 'GET',
  url: '/api/v1/clusters',
  summary: 'List clusters, oldest first',
  role: 'viewer',
  projectTokens: 'allowed',
  query: z.strictObject({
    q: soughtText('its name or region'),
    summary: z.boolean().optional().describe('Whether each tells its `summary`.'),
  }),
  paged: { after: createdPosition },
  result: clusterSchema,
  async handle({ caller, query, database, server, page }) {
    const clusters = await clustersOf(database.kysely, caller.organization.id, { ...oneMore(page), q: query.q });
    const present = await presentClusters(server, caller.organization.id, clusters);
    if (query.summary !== true) return pageOf(clusters, page, present);
    const available = (await currentRelease(database.kysely))?.image;
    return pageOf(clusters, page, (cluster) => ({
      ...present(cluster),
      summary: summaryOf(cluster, available),
    }));
  },
});

export const clusters = {
  list: listClusters,
  create: createCluster,
  sshKey: getSshKey,
  get: getCluster,
  change: changeCluster,
  delete: deleteCluster,
  createEnrollmentToken,
  installDbOperator,
};
