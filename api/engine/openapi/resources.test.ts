import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../../domain/settings/settings.ts';
import { operations } from '../../operations.ts';
import type { JsonSchema } from '../input/json-schema.ts';
import { namedOperations } from '../registry.ts';
import { openapiDocument } from './document.ts';

/** s text, b boolean, i integer, n number, t time, j any JSON, as the specification has them; lists and objects as they are. */
type Kind = 's' | 'b' | 'i' | 'n' | 't' | 'j';
type Shape = Kind | readonly [Shape] | { readonly [field: string]: Shape };
type Fields = Readonly<Record<string, Shape>>;

const named = { id: 's', name: 's' } as const;
const amount = { count: 'i', sizeBytes: 'i' } as const;
const stages = [{ detail: 's', endedAt: 't', stage: 's', startedAt: 't' }] as const;
const stagedIn = { changeSetId: 's', environmentId: 's', stagedBy: named } as const;
const environment = { ...named, production: 'b', slug: 's' } as const;

const texts = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, 's']));

const changeSet: Fields = {
  ...texts('id', 'approvalId', 'environmentId', 'message', 'reason', 'sourceCommit', 'source', 'state'),
  ...{ createdAt: 't', appliedAt: 't', downtimeAccepted: 'b' },
};
const item: Fields = {
  ...texts('id', 'from', 'key', 'kind', 'label', 'processId', 'serviceId', 'serviceSlug', 'to', 'volumeId'),
  ...{ createdAt: 't', managed: 'b', secret: 'b', toEmpty: 'b' },
};
const summary: Fields = { affectedServiceIds: ['s'], needsApproval: 'b', requiresDowntime: 'b' };
const approval: Fields = {
  ...texts('id', 'changeSetId', 'decidedBy', 'decision', 'environmentId', 'reason', 'requestedBy', 'kind'),
  ...{ createdAt: 't', decidedAt: 't', expiresAt: 't', diff: 'j', impact: 'j', target: 'j' },
};

const effective: Fields = {
  ...texts('builder', 'dockerfile', 'target'),
  ...{ buildArgs: 'j', env: 'j', dependsOn: ['s'], hasProcesses: 'b', releaseCommand: ['s'] },
  releaseCommandTimeoutSeconds: 'i',
  mounts: [{ ...texts('destination', 'source'), initialSize: 'i', processes: ['s'] }],
  processes: [
    {
      ...{ ...texts('kind', 'name', 'schedule'), cmd: ['s'], entrypoint: ['s'] },
      ...{ checks: texts('liveness', 'readiness', 'startup'), cpu: { limit: 'i', request: 'i' } },
      ...{ memory: { limit: 'i', request: 'i' }, metrics: { enabled: 'b', path: 's', port: 'i' } },
      ...{ drainSeconds: 'i', stabilizationSeconds: 'i', port: 'i', replicas: 'i', runAsUser: 'i' },
    },
  ],
};

/** The rows of the specification, with the fields that it gives each. */
const specified: Readonly<Record<string, Fields>> = {
  Project: {
    ...texts('id', 'name', 'slug', 'description'),
    ...{ createdAt: 't', deployConcurrency: 'i', owner: texts('id', 'name', 'email', 'picture'), team: named },
  },
  Environment: {
    ...texts('id', 'projectId', 'name', 'slug', 'namespace', 'clusterId', 'gitBranch', 'kind'),
    ...{ autoDeploy: 'b', production: 'b', createdAt: 't' },
    preview: {
      ...texts('author', 'baseEnvironmentId', 'headRef', 'headSha', 'title', 'url'),
      ...{ expiresAfterSeconds: 'i', expiresAt: 't', lastActivityAt: 't', number: 'i' },
    },
  },
  EnvironmentDeletionImpact: {
    ...{ archives: 'i', backups: amount, cluster: { ...named, removesNamespace: 'b' } },
    ...{ databases: [texts('engine', 'id', 'name')], domains: [texts('exposure', 'hostname')], environment },
    ...{ inFlightDeployments: 'i', lastEnvironment: 'b', namespace: 's', pendingApprovals: 'i', previewBase: 'b' },
    ...{ previews: 'i', services: [named], stagedServices: [named], variables: 'i', volumes: amount },
  },
  ProjectDeletionImpact: {
    ...{ archives: 'i', backups: amount, databases: 'i', domains: 'i', environments: [environment] },
    ...{ project: texts('id', 'name', 'slug'), services: 'i', volumes: amount },
  },
  ClusterRecommendation: texts('clusterId', 'clusterName', 'clusterSlug', 'reason'),
  EnvTemplateKey: {
    ...texts('key', 'comment', 'example', 'providedBy'),
    ...{ existing: 'b', generateSuggested: 'b', placeholder: 'b', required: 'b', secretSuggested: 'b' },
  },
  OverviewService: {
    ...texts('serviceId', 'serviceName', 'serviceSlug', 'activeReleaseId', 'activeReleaseDigest', 'blocker', 'health'),
    ...texts('lastDeploymentId', 'lastDeploymentKind', 'message'),
    ...{ activeDeployedAt: 't', activeReleaseNumber: 'i', domainCount: 'i', replicasDesired: 'i', replicasReady: 'i' },
    ...{ suspended: 'b', stagedIn, stages, repositoryConfig: { ...texts('commit', 'path'), effective } },
    failedDeployment: { ...texts('blocker', 'id', 'message'), finishedAt: 't', releaseNumber: 'i' },
    pendingDeployment: { ...texts('id', 'kind', 'state'), releaseNumber: 'i' },
  },
  Service: {
    ...texts('id', 'projectId', 'name', 'slug', 'template', 'skipProductionApprovalBy'),
    ...{
      createdAt: 't',
      canvasX: 'n',
      canvasY: 'n',
      dependsOn: ['s'],
      dependsOnFromFile: { ...texts('commit', 'path'), slugs: ['s'] },
      stagedIn,
    },
    deployAfter: [{ ...texts('id', 'kind', 'name', 'slug', 'via'), keys: ['s'] }],
    ...{ files: [texts('path', 'variable')], releaseCommand: ['s'], releaseCommandTimeoutSeconds: 'i' },
    ...{ skipProductionApproval: 'b', skipProductionApprovalAt: 't' },
    source: {
      ...texts('builder', 'context', 'dockerfile', 'gitConnectionId', 'gitUrl', 'imageRepository', 'kind'),
      ...texts('registryCredentialId', 'repository', 'target'),
      trigger: {},
    },
  },
  Process: {
    ...texts('id', 'serviceId', 'name', 'kind', 'livenessPath', 'readinessPath', 'startupPath', 'metricsPath'),
    ...{ ...texts('schedule', 'upstream'), command: ['s'], args: ['s'], port: 'i', replicas: 'i', runAsUser: 'i' },
    ...{ drainSeconds: 'i', stabilizationSeconds: 'i', cpuLimitMilli: 'i', cpuRequestMilli: 'i' },
    ...{ memoryLimitBytes: 'i', memoryRequestBytes: 'i', metricsEnabled: 'b', metricsPort: 'i', nodePrivateNet: 'b' },
    createdAt: 't',
  },
  Volume: {
    ...{ ...texts('id', 'processId', 'name', 'mountPath', 'storageClass'), sizeBytes: 'i', createdAt: 't' },
    usage: {
      ...{ capacityBytes: 'i', filesystem: { availableBytes: 'i', capacityBytes: 'i' }, observedAt: 't' },
      ...{ sizeEnforced: 'b', usedBytes: 'i' },
    },
  },
  ChangeSet: changeSet,
  ChangeSetItem: item,
  ChangeSetSummary: summary,
  ChangeSetView: { changeSet, environmentId: 's', items: [item], projectConfig: {}, summary },
  ApplyResult: {
    approval: { ...texts('decision', 'id', 'kind'), decidedAt: 't', expiresAt: 't' },
    ...{ changeSet, deployments: [texts('approvalId', 'id', 'releaseId', 'serviceId', 'state')] },
    ...{ firstDeploys: [texts('buildId', 'deploymentId', 'serviceId')], unreleasedServiceIds: ['s'] },
  },
  Approval: approval,
  ApprovalDetail: {
    ...approval,
    blastRadius: [texts('id', 'name', 'slug')],
    checks: [{ ...texts('detail', 'id', 'status'), durationSeconds: 'n' }],
    commits: [{ ...texts('author', 'message', 'sha', 'url'), at: 't' }],
  },
  DeletedItem: {
    ...texts('id', 'context', 'detail', 'name', 'projectId', 'slug', 'kind'),
    ...{ deletedAt: 't', deletedBy: texts('id', 'name', 'type'), restorable: 'b', restoreUntil: 't' },
  },
  GitConnection: {
    ...texts('id', 'accountLogin', 'host', 'kind', 'label', 'lastDeliveryStatus', 'lastError', 'manageUrl'),
    ...{ organizationId: 's', installed: 'b', missingPermissions: ['s'] },
    ...{ createdAt: 't', lastDeliveryAt: 't', verifiedAt: 't' },
  },
  GitRepository: { ...texts('cloneUrl', 'defaultBranch', 'fullName'), private: 'b' },
  DetectedBuild: {
    ...texts('buildCommand', 'framework', 'installCommand', 'nodeVersion', 'outputDir', 'packageManager'),
    ...texts('packageManagerPinned', 'provider', 'startCommand', 'portSource'),
    ...{ buildable: 'b', monorepo: 'b', static: 'b', port: 'i', signals: [texts('detail', 'path')] },
  },
  RepositoryConfigEffective: effective,
  ProjectConfigProblem: { line: 'i', message: 's', path: 's' },
  BuildRepositoryConfig: {
    ...texts('commit', 'path', 'source', 'status', 'summary'),
    problems: [{ line: 'i', message: 's', path: 's' }],
  },
  FrozenRepositoryConfig: { ...texts('commit', 'path'), effective },
  Restored: { ...texts('id', 'kind', 'name', 'projectId', 'slug'), stopped: 'b' },
};

/** Fields of parts of the product that do not exist yet. */
const later = ['Environment.preview', 'Service.source.trigger', 'ChangeSetView.projectConfig'];

const { components } = openapiDocument(namedOperations(operations), '1.0.0', readSettings({}));
const { schemas } = components as { schemas: Record<string, JsonSchema> };
const additions = readFileSync(new URL('../../../docs/http-api-additions.md', import.meta.url), 'utf8');

describe.each(Object.entries(specified))('%s', (name, fields) => {
  test('has every field of the specification, of its type, and no other that is not described', () => {
    expect(faults(schemas[name] ?? {}, fields, name)).toEqual([]);
  });

  test('leaves out ids, times, numbers and objects at most: other texts are empty, and lists are there', () => {
    expect(absences(schemas[name] ?? {}, name)).toEqual([]);
  });
});

/** Absent by the specification or the rules of delivery, beside a time or id that is absent with it, or where no environment was asked for. */
const mayBeAbsent = [
  'Service.template',
  'Service.skipProductionApprovalBy',
  'OverviewService.lastDeploymentKind',
  'Approval.decision',
  'ApprovalDetail.decision',
  'Service.volumes',
];

function absences(schema: JsonSchema, at: string): string[] {
  const { properties = {}, required = [] } = resolved(schema);
  return Object.entries(properties).flatMap(([field, one]) => {
    const here = `${at}.${field}`;
    const { type, format } = resolved(one);
    const text = type === 'string' && format === undefined && !/(^id|Id)$/.test(field);
    if (required.includes(field) || mayBeAbsent.includes(here)) return [];
    return text || type === 'array' ? [`${here} must not be absent`] : [];
  });
}

function faults(schema: JsonSchema, shape: Shape, at: string): string[] {
  if (later.includes(at)) return [];
  const found = resolved(schema);
  if (typeof shape === 'string') return kindsOf(found).includes(shape) ? [] : [`${at} is not of the type ${shape}`];
  if (Array.isArray(shape)) {
    if (found.type !== 'array') return [`${at} is no list`];
    return faults(found.items as JsonSchema, (shape as readonly [Shape])[0], `${at}[]`);
  }
  const properties = found.properties as Record<string, JsonSchema> | undefined;
  if (properties === undefined) return [`${at} is no object`];
  const fields = shape as Fields;
  return [
    ...Object.entries(fields).flatMap(([field, inner]) => {
      const one = properties[field];
      const here = `${at}.${field}`;
      if (one === undefined) return later.includes(here) ? [] : [`${here} is missing`];
      return faults(one, inner, here);
    }),
    ...Object.keys(properties).flatMap((field) =>
      field in fields || new RegExp(`\\b${field}\\b`).test(additions) ? [] : [`${at}.${field} is not described`],
    ),
  ];
}

function resolved(schema: JsonSchema): JsonSchema & { properties?: Record<string, JsonSchema>; required?: string[] } {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema as never;
  return { ...(schemas[$ref.split('/').at(-1) ?? ''] as JsonSchema), ...{ description: '' } } as never;
}

function kindsOf({ type, format, anyOf }: JsonSchema): Kind[] {
  if (anyOf !== undefined) return ['j', ...(anyOf as JsonSchema[]).flatMap((one) => kindsOf(resolved(one)))];
  if (type === 'string') return [format === 'date-time' ? 't' : 's', 'j'];
  if (type === 'boolean') return ['b', 'j'];
  if (type === 'integer') return ['i', 'j'];
  return type === 'number' ? ['n', 'j'] : ['j'];
}
