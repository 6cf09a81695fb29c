import { z } from 'zod';

/** Lower case letters, digits and hyphens, so that it can be part of a host name, a file name and a container's name. */
export const partName = z
  .string()
  .regex(/^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/, 'must be 1 to 40 lower case letters, digits and hyphens, a letter first');

export const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits');
export type Digest = z.infer<typeof digest>;

/** An image: a layout in a directory of the agent's machine, or a repository of a registry. */
export const image = z.union([
  z.strictObject({ layout: z.string().min(1).max(4096), digest: digest.optional() }),
  z.strictObject({
    /** `registry.example.com/team/app`, without tag and digest. */
    repository: z.string().min(1).max(512),
    digest: digest.optional(),
    tag: z.string().min(1).max(128).optional(),
    credential: z.strictObject({ username: z.string().max(256), password: z.string().max(8192) }).optional(),
    /** Speak http to the registry. Only loopback registries are spoken to so without being told. */
    insecure: z.boolean().optional(),
  }),
  /** `organization/project/service` in the registry of the control plane, which the agent reaches by its link. */
  z.strictObject({ own: z.string().min(1).max(255), digest }),
]);
export type Image = z.infer<typeof image>;

const seconds = z.int().min(1).max(3600);
const timing = {
  everySeconds: seconds.default(5),
  timeoutSeconds: seconds.default(2),
  failures: z.int().min(1).max(100).default(3),
};

/** How a process is asked whether it is well. */
export const check = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('http'),
    path: z.string().regex(/^\//, 'must begin with a slash').max(2048),
    ...timing,
  }),
  z.strictObject({ kind: z.literal('tcp'), ...timing }),
  z.strictObject({ kind: z.literal('command'), command: z.array(z.string()).min(1).max(100), ...timing }),
]);
export type Check = z.infer<typeof check>;

export const processKinds = ['http', 'tcp', 'worker', 'cron'] as const;

export const process = z.strictObject({
  name: partName,
  kind: z.enum(processKinds),
  /** Instead of the image's entry point; empty keeps it. */
  command: z.array(z.string().max(32_768)).max(1000).default([]),
  /** Instead of the image's arguments; empty keeps them unless `command` is given. */
  args: z.array(z.string().max(32_768)).max(1000).default([]),
  /** Where it listens, told to it as PORT. The process driver may tell it another one, because a machine has one of each. */
  port: z.int().min(1).max(65_535).optional(),
  /** It listens on `port` whatever PORT says, so each instance needs a network in which that one is free. */
  fixedPort: z.boolean().optional(),
  /** A port of the machine's loopback that leads to it, on machines where services have no names of their own. */
  internalPort: z.int().min(1).max(65_535).optional(),
  upstream: z.enum(['http1', 'h2c']).default('http1'),
  replicas: z.int().min(0).max(200).default(1),
  /** When a cron process runs: five fields, in `timeZone`. */
  schedule: z.string().max(200).optional(),
  /** When it is due while it still runs: `skip` it, run both (`allow`), or end the one that runs (`replace`). Missing: skip. */
  overlap: z.enum(['allow', 'skip', 'replace']).optional(),
  timeZone: z.string().max(64).default('UTC'),
  checks: z
    .strictObject({ startup: check.optional(), readiness: check.optional(), liveness: check.optional() })
    .default({}),
  /** How long it may take to end what it is doing after it was asked to stop. */
  drainSeconds: z.int().min(0).max(3600).default(30),
  /** How long it must have been ready, or have run if nothing is asked, before it counts. */
  stabilizationSeconds: z.int().min(0).max(3600).default(5),
  /** How long a new one may take to become ready before the change counts as failed. */
  readyWithinSeconds: z.int().min(1).max(86_400).default(300),
  cpuLimitMilli: z.int().min(10).max(1_000_000).optional(),
  memoryLimitBytes: z.int().min(4_194_304).optional(),
  runAsUser: z.int().min(1).max(65_535).optional(),
  mounts: z
    .array(
      z.strictObject({
        volume: partName,
        path: z.string().regex(/^\//, 'must begin with a slash').max(1024),
        /** As people call it, where `volume` is an id: told to the process as VOLUME_<NAME>. */
        name: partName.optional(),
      }),
    )
    .max(50)
    .default([]),
});
export type Process = z.infer<typeof process>;

/** A program of the release that runs once, to its end, before instances of it start. */
export const releaseCommand = z.strictObject({
  command: z.array(z.string().max(32_768)).min(1).max(1000),
  timeoutSeconds: z.int().min(1).max(86_400),
  /** The journal of the agent that it was meant for: one with another cannot know whether it ran. Missing: nobody was there yet. */
  journal: z.uuid().optional(),
});
export type ReleaseCommand = z.infer<typeof releaseCommand>;

/** A release is put in place as a whole: its instances beside the old ones, all routes in one step, or none at all. */
export const rollout = z.strictObject({
  /** Of the deployment. Another one is another attempt; one that was returned is never tried again under its own. */
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/),
  /** Of the release's content, told back with each report. */
  digest: z.string().min(1).max(200),
  /** So many new instances at most are on their way to be ready at one time; missing: all. */
  maxParallel: z.int().min(1).max(1000).optional(),
  /** Missing: none, or it is not to run in this rollout. */
  releaseCommand: releaseCommand.optional(),
});
export type Rollout = z.infer<typeof rollout>;

/** Names by which the services of one environment find each other. No traffic passes between environments. */
export const network = z.strictObject({
  environment: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  /** Of this service; each process is found as `<process>.<alias>`, too. */
  aliases: z.array(partName).max(20).default([]),
});

/** The desired state of one service in one environment: one slice of a cluster's. */
export const workload = z.strictObject({
  /** Another value is another release: what runs is replaced, replica by replica unless there is a `rollout`. */
  release: z.string().min(1).max(128),
  rollout: rollout.optional(),
  network: network.optional(),
  image,
  processes: z.array(process).max(50),
  /** Variables of the environment. The agent gets them in clear; they rest encrypted. */
  environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/), z.string().max(131_072)).default({}),
  volumes: z
    .array(z.strictObject({ name: partName, sizeBytes: z.int().min(1).optional() }))
    .max(50)
    .default([]),
  /** Files of every instance, each made of one of the variables: readable by its user alone, and gone with it. */
  files: z
    .array(
      z.strictObject({
        /** Absolute, or from the directory that the program works in. */
        path: z.string().min(1).max(1024),
        variable: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/),
      }),
    )
    .max(20)
    .optional(),
  /** Host names that lead to a process. */
  routes: z
    .array(z.strictObject({ host: z.string().min(1).max(253), process: partName }))
    .max(200)
    .default([]),
});
export type Workload = z.infer<typeof workload>;
