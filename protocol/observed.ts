import { z } from 'zod';
import { answerFaultKinds, hostChecks } from '../domain/deployments/answer-faults.ts';
import { mostSockets } from '../domain/deployments/listening.ts';
import { releaseCommandFailures } from '../domain/deployments/release-command.ts';
import { rolloutPhases } from '../domain/deployments/states.ts';
import { sliceKey } from './desired.ts';
import { called, said } from './text.ts';

export const instanceStates = [
  'preparing',
  'starting',
  'running',
  'ready',
  'failing',
  'draining',
  'waiting',
  'ended',
] as const;

/** Where the programs of an instance listen, while nobody answers where it is asked. */
export const listening = z.object({
  /** Given to it as PORT. */
  port: z.int().min(1).max(65_535),
  /** A container's: its loopback is reached by nobody else. */
  ownNetwork: z.boolean(),
  /** Its process has a fixed port, or the machine could give it one. */
  fixedPort: z.enum(['used', 'possible']).optional(),
  sockets: z.array(z.object({ address: called(64), port: z.int().min(0).max(65_535) })).max(mostSockets),
});

/** An answer that shows a setting of the program, or of the service, which does not fit. */
export const answerFault = z.object({
  kind: z.enum(answerFaultKinds),
  status: z.int().min(0).max(999),
  path: said(2048),
  host: called(253),
  /** The framework that refuses the host. */
  by: z.enum(hostChecks).optional(),
  /** Of GET / where `path` is not there. */
  rootStatus: z.int().min(0).max(999).optional(),
});

/** One instance of a process, as the agent sees it. */
export const observedInstance = z.object({
  id: called(200),
  process: called(100),
  release: called(400),
  node: called(253),
  /**
   * preparing: its image or volume is being made ready. starting: not yet past its startup check. running: not asked for
   * readiness, or not yet ready. ready: gets requests. failing: was ready, now is not. draining: ends what it is doing.
   * waiting: ended, is started again later. ended: ended for good.
   */
  state: z.enum(instanceStates),
  /** Counts how often it was started; one more each time. */
  run: z.int().min(0),
  startedAt: z.iso.datetime().optional(),
  /** How its last finished run ended; `code` is missing if nobody saw it. */
  exit: z
    .object({ run: z.int(), code: z.int().optional(), signal: called(32).optional(), at: z.iso.datetime() })
    .optional(),
  /** Why it is as it is, in a sentence. */
  message: said(2000).optional(),
  listening: listening.optional(),
  memoryBytes: z.int().optional(),
});
export type ObservedInstance = z.infer<typeof observedInstance>;

/** How far the rollout of a slice is. */
export const observedRollout = z.object({
  id: called(100),
  digest: called(200),
  /**
   * preparing: images and volumes. releasing: the release command runs. starting: new instances start. checking: all are ready, and have to stay so. switching:
   * routes lead to them. draining: the old ones end what they are doing. done. returned: the old release serves as before.
   */
  phase: z.enum(rolloutPhases),
  message: said(2000).optional(),
  /** Why it was returned: the instance that failed, how its last run ended, and its last lines. */
  failure: z
    .object({
      process: called(100),
      instance: called(200).optional(),
      exit: z
        .object({ code: z.int().optional(), signal: called(32).optional(), outOfMemory: z.boolean().optional() })
        .optional(),
      lines: z.array(said(2000)).max(20),
      /** The release command failed: by its exit, by time, before it was started, or nobody knows whether it ran. */
      releaseCommand: z.enum(releaseCommandFailures).optional(),
      listening: listening.optional(),
      answer: answerFault.optional(),
    })
    .optional(),
  /** Of a release that serves: what visitors get instead of it. */
  warnings: z.array(answerFault).max(5).optional(),
  /** When each phase began. */
  at: z.partialRecord(z.enum(rolloutPhases), z.iso.datetime()),
});
export type ObservedRollout = z.infer<typeof observedRollout>;

/** One slice as it is. */
export const observedSlice = z.object({
  key: sliceKey,
  /** The last revision that is fully in effect here; 0 for what the agent found without being told of it. */
  appliedRevision: z.int().min(0),
  /** The revision that was wanted when it was looked at: an error before it says nothing of that revision. */
  revision: z.int().min(0).optional(),
  /** The reason why the slice cannot reach its desired state, in a sentence. */
  error: said(2000).optional(),
  /** Processes that end again and again, a moment after each start. */
  crashLoops: z
    .array(
      z.object({
        process: called(64),
        instance: called(128),
        restarts: z.int().min(1),
        seconds: z.number().min(0),
        how: said(4000),
      }),
    )
    .max(50)
    .optional(),
  rollout: observedRollout.optional(),
  instances: z.array(observedInstance).max(10_000),
  volumes: z
    .array(z.object({ name: called(253), usedBytes: z.int() }))
    .max(1000)
    .default([]),
  traffic: z
    .array(
      z.object({
        host: called(253),
        /** Requests so far by class of status, and how long they took. Count from the start of the ingress. */
        requests: z.partialRecord(z.enum(['1xx', '2xx', '3xx', '4xx', '5xx']), z.int()),
        milliseconds: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }),
      }),
    )
    .max(10_000)
    .default([]),
});
export type ObservedSlice = z.infer<typeof observedSlice>;

/**
 * Changes since the last report; with `full` everything, and anything not named is deleted. Numbers count within an
 * incarnation: a repeated number is answered and changes nothing.
 */
export const report = z.object({
  number: z.int().min(1),
  full: z.boolean(),
  appliedRevision: z.int().min(0),
  error: said(2000).optional(),
  /** The file system of the agent's home, where images, logs and volumes are. Under pressure what is of no use goes early. */
  disk: z.object({ availableBytes: z.int().min(0), capacityBytes: z.int().min(0), pressure: z.boolean() }).optional(),
  slices: z.array(observedSlice).max(10_000),
  removed: z.array(sliceKey).max(10_000).default([]),
});
export type Report = z.infer<typeof report>;

/** The state of a machine at its agent's last look, which reports are made of. */
export type Observed = Pick<Report, 'appliedRevision' | 'error' | 'slices' | 'disk'>;
