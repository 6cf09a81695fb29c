import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { Refusal } from '../supervisor/refusal.ts';
import { compareVersions, historyShards, homeLayout, postgresMajor, temporalVersion } from '../supervisor/versions.ts';

/** Those of Temporal, which cannot listen on unix sockets. */
export const temporalPorts = [
  'temporal',
  'temporalHistory',
  'temporalMatching',
  'temporalFrontendMembership',
  'temporalHistoryMembership',
  'temporalMatchingMembership',
  'temporalWorkerMembership',
] as const;
export type TemporalPort = (typeof temporalPorts)[number];

export const innerPorts = [...temporalPorts, 'worker', 'ingress'] as const;
export type InnerPort = (typeof innerPorts)[number];

/** `home.json`: the versions that this home's data were created with. */
const homeRecord = z.object({
  layout: z.literal(homeLayout),
  installation: z.uuid(),
  createdAt: z.iso.datetime(),
  postgresMajor: z.int().optional(),
  temporalVersion: z.string().optional(),
  historyShards: z.int().optional(),
  namespaceId: z.string().optional(),
  ports: z.record(z.string(), z.int().min(1).max(65_535)).transform(knownPorts),
  /** Directories of unix sockets. */
  sockets: z.object({ own: z.string(), postgres: z.string().optional() }).optional(),
});
export type HomeRecord = z.infer<typeof homeRecord>;

/** A home of an older version has ports for parts that listen on sockets by now. */
function knownPorts(ports: Record<string, number>): Partial<Record<InnerPort, number>> {
  return Object.fromEntries(Object.entries(ports).filter(([name]) => innerPorts.some((known) => known === name)));
}

export function newHomeRecord(): HomeRecord {
  return { layout: homeLayout, installation: randomUUID(), createdAt: new Date().toISOString(), ports: {} };
}

/** Reads `home.json`; refuses one that this version of Ballast must not touch. */
export function readHomeRecord(path: string, content: string): HomeRecord {
  const json = parseJson(content);
  const layout = z.object({ layout: z.int() }).safeParse(json).data?.layout;
  if (layout !== undefined && layout > homeLayout) {
    throw new Refusal(
      `${path} was written by a newer Ballast (layout ${layout}, this one knows ${homeLayout}); start the newer version.`,
    );
  }
  const parsed = homeRecord.safeParse(json);
  if (!parsed.success) {
    throw new Refusal(`${path} is damaged; restore it from a backup, or set BALLAST_HOME to another directory.`);
  }
  refuseOtherVersions(path, parsed.data);
  return parsed.data;
}

function refuseOtherVersions(path: string, record: HomeRecord): void {
  if (record.postgresMajor !== undefined && record.postgresMajor !== postgresMajor) {
    throw new Refusal(
      `${path} belongs to PostgreSQL ${record.postgresMajor} and this Ballast brings ${postgresMajor}; migrate the data as docs/operating.md says ("Upgrading"), or start the Ballast that made them.`,
    );
  }
  if (record.historyShards !== undefined && record.historyShards !== historyShards) {
    throw new Refusal(
      `${path} belongs to a Temporal with ${record.historyShards} history shards and this Ballast uses ${historyShards}, which cannot be changed; start the Ballast that made the home.`,
    );
  }
  if (record.temporalVersion !== undefined && compareVersions(record.temporalVersion, temporalVersion) > 0) {
    throw new Refusal(
      `${path} was used with Temporal ${record.temporalVersion} and this Ballast brings ${temporalVersion}; start the newer Ballast, since Temporal does not go back.`,
    );
  }
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
