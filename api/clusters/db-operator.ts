import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { clusterPath, theCluster } from './cluster.ts';
import { factsOf } from './present-cluster.ts';

export const installDbOperator = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/db-operator',
  summary: "Get the command that installs the database operator on a cluster's machine",
  description: 'For clusters whose driver runs databases by an operator; for others the answer is 409.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'capability-missing'],
  path: clusterPath,
  result: z
    .object({ command: z.string(), expiresAt: z.iso.datetime(), token: z.string() })
    .meta({ id: 'HostScriptCommand' }),
  async handle({ caller, path, effect }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    const driver = factsOf(cluster)?.driver;
    throw new Problem(
      'capability-missing',
      driver === undefined
        ? `No agent has told what the cluster "${cluster.name}" can do (capability dbOperator); enrol its agent first.`
        : `The cluster "${cluster.name}" lacks the capability dbOperator: its driver, ${driver}, runs databases without an operator; only a Kubernetes cluster has one.`,
    );
  },
});
