import { z } from 'zod';
import { command, commandBody } from './command.ts';
import { desired } from './desired.ts';
import { logReaders } from './logs.ts';
import { releaseProof, trust } from './release-proof.ts';
import { called, said } from './text.ts';
import { spokenVersion } from './version.ts';

const hold = z.object({ holds: z.boolean(), why: said(1000).optional() });

/** Capabilities of a machine. Those that its driver lacks are false. */
export const facts = z.object({
  driver: z.enum(['process', 'docker', 'kubernetes']),
  runtimeVersion: said(100),
  platform: z.object({ os: called(64), arch: called(64), libc: called(64).optional() }),
  nodes: z
    .array(
      z.object({ name: called(253), ready: z.boolean(), server: z.boolean(), cpuMilli: z.int(), memoryBytes: z.int() }),
    )
    .max(1000),
  /** Guarantees that a workload can ask for, each with the reason if the machine cannot give it. */
  holds: z.object({
    memoryLimit: hold.optional(),
    cpuLimit: hold.optional(),
    ownUser: hold.optional(),
    isolation: hold.optional(),
    /** Instances of one environment cannot be reached from those of another. */
    separation: hold.optional(),
    logRotation: hold.optional(),
    volumeUsage: hold.optional(),
    /** Programs that listen on one port whatever PORT says run here, several of them at a time. */
    fixedPorts: hold.optional(),
    /** Images are built here of sources without a Dockerfile. */
    builds: hold.optional(),
    /** Memory, processes and disk of each command of a build are limited. */
    buildLimits: hold.optional(),
  }),
  /** The most that a build may take here, unless its service says less. */
  buildLimits: z
    .object({
      memoryBytes: z.int().min(1),
      diskBytes: z.int().min(1),
      seconds: z.int().min(1),
      /** Thousandths of a core; missing: all of them. */
      cpuMilli: z.int().min(1).optional(),
    })
    .optional(),
  ingress: z.object({ port: z.int(), addresses: z.array(called(253)).max(200) }).optional(),
  /** Release commands are run here. */
  releaseCommand: z.boolean().optional(),
  /** Files are put into instances here. */
  files: z.boolean().optional(),
});
export type Facts = z.infer<typeof facts>;

/** A credential never crosses the wire when it is made: the agent makes it and tells its SHA-256 in hexadecimal. */
export const credentialHash = z.string().regex(/^[0-9a-f]{64}$/);

/** POST /agent/v1/enrol. With the token used up by the very same credential it is answered again: the answer may be lost. */
export const enrolRequest = z.object({
  token: z.string().min(1).max(200),
  credentialHash,
  protocol: spokenVersion,
  version: called(100),
  hostname: called(253),
});
export const enrolAnswer = z.object({
  clusterId: z.uuid(),
  clusterName: z.string(),
  /** Where the control plane is reached: what the agent joined by must be the same. */
  publicUrl: z.string(),
  controlPlaneVersion: z.string(),
});
export type EnrolAnswer = z.infer<typeof enrolAnswer>;

/** POST /agent/v1/hello: each start of an agent. */
export const helloRequest = z.object({
  protocol: spokenVersion,
  version: called(100),
  /** The release it runs from: `ballast-agent:<version>-<first 12 digits of the bundle's digest>`. */
  image: called(200),
  /** Made with the journal. Commands are taken up again only by who has their journal. */
  journalId: z.uuid(),
  /** Ids of the commands that the journal knows and that are not reported yet. */
  journalled: z.array(z.uuid()).max(10_000),
  facts,
  /** Set when an update was tried and this is the version from before it. */
  returned: z.object({ from: called(200), reason: said(2000) }).optional(),
});
export type HelloRequest = z.infer<typeof helloRequest>;
export const helloAnswer = z.object({
  incarnation: z.int().min(1),
  minor: z.int(),
  clusterId: z.uuid(),
  clusterName: z.string(),
  heartbeatSeconds: z.number(),
  ingressDomain: z.string(),
  /** The keys that the installation signs releases with: an agent that has pinned none takes the newest, once. */
  trust: trust.optional(),
});
export type HelloAnswer = z.infer<typeof helloAnswer>;

/** Every later request names the incarnation in this header; an older one is told to stop. */
export const incarnationHeader = 'x-ballast-incarnation';

/** POST /agent/v1/heartbeat. Commands named here are still at work: their lease is renewed. */
export const heartbeatRequest = z.object({ running: z.array(z.uuid()).max(10_000), facts: facts.optional() });
export const heartbeatAnswer = z.object({
  /** The credential is old: make a new one. */
  rotate: z.boolean(),
});

/**
 * GET /agent/v1/work?since=<revision>&wait=<seconds>&logs=<revision of the readers>: answered at once if there is
 * something, at the latest after `wait`.
 */
export const work = z.object({
  /** Missing if nothing changed after `since`. */
  desired: desired.optional(),
  commands: z.array(command),
  /** Commands to cancel. */
  cancelled: z.array(z.uuid()),
  /** Everybody who reads a log; missing if they are the ones that the agent knows. */
  logs: logReaders.optional(),
});
export type Work = z.infer<typeof work>;

/** POST /agent/v1/credential: from now on this one; the one it is sent with holds until the new one is used. */
export const credentialRequest = z.object({ credentialHash });

/** GET /agent/v1/release and POST answers that name one: a bundle that `GET /agent/v1/bundles/<digest>` serves. */
export const release = z.object({
  image: z.string(),
  version: z.string(),
  digest: z.string(),
  sizeBytes: z.int(),
  proof: releaseProof.optional(),
});
export type Release = z.infer<typeof release>;

export { command, commandBody };
