import { z } from 'zod';
import { findCluster } from '../../db/clusters/clusters.ts';
import { clusterStates } from '../../domain/clusters/clusters.ts';
import { nameText } from '../engine/input/line.ts';
import { resource } from '../engine/resource.ts';
import { asOfSchema } from './as-of.ts';

export const theCluster = resource('cluster', findCluster);

const flag = z.boolean();
const texts = z.array(z.string());

export const clusterCapabilitiesSchema = z
  .object({
    buildOptions: flag,
    buildRegistry: flag,
    builderAuto: flag,
    certificateSecrets: flag,
    dbOperator: flag,
    dbOperatorBackupPlugin: flag,
    databaseRestore: flag,
    edgeFronting: flag,
    fileMounts: flag,
    fixedPorts: flag,
    heldSpecs: flag,
    heldSuspend: flag,
    kindMetrics: flag,
    metricsServer: flag,
    nodePrivateNet: flag,
    processArgs: flag,
    autoBuilds: flag,
    releaseCommand: flag,
    privateNet: flag,
    ingressController: flag,
    trafficMetrics: flag,
    defaultStorageClass: z.string(),
    privateNetEgressProxyGroup: z.string(),
    edgeIngressIPs: texts,
    expandableStorageClasses: texts,
    ingressIPs: texts,
    storageClasses: texts,
    ingressCertResolvers: texts,
  })
  .describe('What operations of today can do with the cluster: true only where one uses it.')
  .meta({ id: 'ClusterCapabilities' });

export const clusterSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    slug: z.string(),
    region: z.string(),
    status: z.enum(clusterStates),
    message: z.string().describe('The reason for its state; may be empty.'),
    notes: texts.describe('Limitations of this cluster that matter when you deploy to it.'),
    local: z.boolean().describe('The one on the machine of the installation itself.'),
    schedulable: z.boolean().describe('Whether it accepts new workloads.'),
    driver: z
      .string()
      .describe('The driver that runs instances: process or docker; empty before the agent has reported.'),
    agentVersion: z.string(),
    runtimeVersion: z.string(),
    runtimeUpdate: z.object({
      current: z.string(),
      minor: z.object({ version: z.string() }),
      patch: z.object({ version: z.string() }),
    }),
    apiServerUrl: z.string(),
    podCidr: z.string(),
    serviceCidr: z.string(),
    meshIndex: z.int(),
    haState: z.enum(['single']),
    highlyAvailable: z.boolean(),
    nodeCount: z.int(),
    nodes: z
      .array(
        z.object({
          name: z.string(),
          ready: z.boolean(),
          server: z.boolean(),
          cpuMilli: z.int(),
          memoryBytes: z.int(),
        }),
      )
      .describe('Its machines, as the agent last reported them.'),
    serverCount: z.int(),
    appliedRevision: z.int(),
    desiredRevision: z.int(),
    reconcileError: z
      .string()
      .describe('The error that keeps the agent from the desired state; empty if there is none.'),
    compileError: z.string().describe('The error that keeps the desired state from the agent; empty if there is none.'),
    buildLimits: z
      .object({
        memoryBytes: z.int(),
        diskBytes: z.int(),
        seconds: z.int(),
        cpuMilli: z.int().optional().describe('Thousandths of a core; absent: all of them.'),
      })
      .optional()
      .describe('The most that a build may take there, unless its service says less. Absent: nothing is built there.'),
    createdAt: z.iso.datetime(),
    lastHeartbeatAt: z.iso.datetime().optional().describe('Absent: no agent was ever heard of.'),
    asOf: asOfSchema.optional(),
    capabilities: clusterCapabilitiesSchema,
    summary: z
      .object({
        agentUpdateAvailable: z.boolean(),
        nodesReady: z.int(),
        nodesTotal: z.int(),
        workloads: z.int(),
      })
      .optional()
      .describe('Only in the list, and if it was asked for.'),
  })
  .meta({ id: 'Cluster' });

const joining = {
  expiresAt: z.iso.datetime(),
  installCommand: z.string().describe('To be run on the machine: installs the agent and enrols it.'),
  token: z.string().describe('Enrols one agent, once.'),
};
export const clusterCreatedSchema = z.object({ cluster: clusterSchema, ...joining }).meta({ id: 'ClusterCreated' });
export const enrollmentTokenSchema = z.object(joining).meta({ id: 'EnrollmentToken' });

export const clusterPath = z.strictObject({ id: z.guid().toLowerCase() });
export const clusterName = nameText();
export const clusterRegion = nameText(0).describe('Where its machines are, in your own words.');
