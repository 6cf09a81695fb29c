import { z } from 'zod';
import { said } from './text.ts';

/** The command that has an agent make an image of a source and push it: docs/builds.md. Its id is that of the build. */
export const buildBody = z.object({
  kind: z.literal('build'),
  /** `<organization>/<project>/<service>` in the registry of the control plane: the image goes there by its digest. */
  repository: z.string(),
  /** Builds of an organization share caches with those of no other. Absent: the first part of `repository` names it. */
  organizationId: z.string().optional(),
  /** Builds with this key share caches: those of a service in an environment. */
  cacheKey: z.string(),
  builder: z.enum(['auto', 'dockerfile']),
  /** The folder within the source, relative; empty: all of it. */
  context: z.string(),
  dockerfile: z.string(),
  target: z.string(),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('upload'), sizeBytes: z.int().min(0) }),
    z.object({
      kind: z.literal('git'),
      /** https, without a user name. */
      url: z.string(),
      /** `refs/heads/main` or `refs/tags/v1.2`: for a host that gives no commit by its name. */
      ref: z.string(),
      commit: z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/),
      /** Of the connection; empty: the repository is read without one. */
      username: z.string(),
      password: z.string(),
    }),
  ]),
  /** Variables that its commands see: those of the service that are said to be for builds, as they are applied in the environment. */
  variables: z.record(z.string(), z.string()).optional(),
  /** Of these the names of secret ones: their values appear in no log and in no layer. */
  secrets: z.array(z.string()).optional(),
  /** Further secrets that appear nowhere: those that values of variables are made of. */
  masked: z.array(z.string()).optional(),
  /**
   * Plain variables that nobody has said to be for builds or not, since they are older than that: a Dockerfile that declares one by ARG
   * is given it, and the agent tells so.
   */
  arguments: z.record(z.string(), z.string()).optional(),
  limits: z.object({
    seconds: z.int().min(1),
    memoryBytes: z.int().min(1),
    diskBytes: z.int().min(1),
    processes: z.int().min(1),
    /** Of the machine alone: the control plane asks for none. */
    cpuMilli: z.int().min(1).optional(),
  }),
  /** Those of `limits` that the service has not set: the agent takes its own. Absent: the control plane is older than that. */
  unset: z.array(z.enum(['memoryBytes', 'diskBytes', 'seconds'])).optional(),
});
export type BuildBody = z.infer<typeof buildBody>;

const signal = z.object({ path: said(500), detail: said(500) });

/** The agent's finding of what the source is: `DetectedBuild` of the API. */
export const detectedBuild = z.object({
  provider: said(100),
  framework: said(100),
  packageManager: said(100),
  packageManagerPinned: said(100),
  nodeVersion: said(100),
  installCommand: said(2000),
  buildCommand: said(2000),
  startCommand: said(2000),
  outputDir: said(500),
  portSource: said(100),
  port: z.int().min(0).max(65_535),
  static: z.boolean(),
  monorepo: z.boolean(),
  buildable: z.boolean(),
  signals: z.array(signal).max(100),
  /** From here on agents of before tell nothing. */
  envTemplate: said(500).default(''),
  requiredVariables: z.array(said(256)).max(100).default([]),
  proposed: z
    .array(z.object({ name: said(100), line: said(2000), command: z.array(said(4000)).max(200) }))
    .max(50)
    .default([]),
});

export const buildStep = z.object({
  name: said(100),
  status: z.enum(['running', 'succeeded', 'failed', 'cancelled', 'skipped']),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().optional(),
});

/** A piece of the stream `progress`: all that is known of what has changed. `image` comes last, once it is pushed. */
export const buildProgress = z.object({
  engine: said(100).optional(),
  /** Of a commit that was fetched: the first line of its message. */
  commit: z.object({ message: said(500) }).optional(),
  detection: detectedBuild.optional(),
  /** Names of those that were given as `arguments` and that the Dockerfile takes. */
  arguments: z.array(said(256)).max(1_000).optional(),
  /**
   * The configuration file of the source, told before anything is built of it: an empty path where there is none; no text where
   * it is no text or too large; `beside` is a second one in its folder.
   */
  repositoryConfig: z
    .object({ path: said(2_000), text: z.string().max(65_536).optional(), beside: said(2_000).optional() })
    .optional(),
  kind: z.enum(['image', 'static']).optional(),
  /** All of them, in their order. */
  steps: z.array(buildStep).max(100).optional(),
  cache: z.object({ cachedSteps: z.int().min(0).max(10_000), totalSteps: z.int().min(0).max(10_000) }).optional(),
  image: z.object({ digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) }).optional(),
});
export type BuildProgress = z.infer<typeof buildProgress>;
