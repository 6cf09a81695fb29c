import { z } from 'zod';
import { said } from './text.ts';

/** A place in one stream of an instance's log. The log is only appended to, so it means the same for ever. */
export const logPosition = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** How far each stream of a log was read: everything in front of these positions. */
export const logCursor = z.object({ stdout: logPosition, stderr: logPosition });
export type LogCursor = z.infer<typeof logCursor>;

export const logStreams = ['stdout', 'stderr'] as const;
export const logStream = z.enum(logStreams);
export type LogStream = z.infer<typeof logStream>;

const milliseconds = z.number().min(0).max(8.64e15);

/** How a run ended; without code and signal nobody saw it. */
export const logExit = z.object({
  at: milliseconds,
  code: z.int().optional(),
  signal: z.string().max(32).optional(),
  outOfMemory: z.literal(true).optional(),
});

/** One start of an instance. Its lines begin at `from`; once it has ended, nothing of it stands behind `to`. */
export const logRun = z.object({
  run: z.int().min(1),
  from: logCursor,
  startedAt: milliseconds.optional(),
  exit: logExit.optional(),
  to: logCursor.optional(),
});
export type LogRun = z.infer<typeof logRun>;
export const mostRuns = 500;

/** Somebody who reads the log of an instance: the agent sends it chunks for as long as `work` names it. */
export const logReader = z.object({
  id: z.uuid(),
  instance: z.string().max(128),
  /** Where to begin; without it with the last `tail` lines, and without both with the oldest line that is kept. */
  from: logCursor.optional(),
  tail: z.int().min(0).optional(),
  /** Where to end: the last `tail` lines in front of it. Only without `follow`. */
  to: logCursor.optional(),
  follow: z.boolean(),
});
export type LogReader = z.infer<typeof logReader>;

/** All readers of a cluster's logs. Answered when their `revision` is not the one that the agent asked with. */
export const logReaders = z.object({ revision: z.string().max(64), readers: z.array(logReader).max(1000) });
export type LogReaders = z.infer<typeof logReaders>;

/** Bytes that go into one request at most. */
export const largestBatch = 256 * 1024;
export const longestLine = 65_536;
const base64Of = (bytes: number) => Math.ceil(bytes / 3) * 4;
/**
 * Bytes of one stream. From each mark on positions count bytes again: a mark says where in the bytes, which position and
 * when it was written. A line that no line break ends here is a line of its own.
 */
export const logChunk = z.object({
  stream: logStream,
  position: logPosition,
  /** The position behind the chunk. */
  next: logPosition,
  at: milliseconds,
  marks: z
    .array(z.tuple([z.int().min(0).max(largestBatch), logPosition, milliseconds]))
    .max(20_000)
    .optional(),
  /** Base64. */
  data: z.string().max(base64Of(largestBatch)),
});
export type LogChunk = z.infer<typeof logChunk>;

/** Part of a log that was deleted before it was read. */
export const logGap = z.object({ stream: logStream, missing: z.object({ from: logPosition, to: logPosition }) });
export type LogGap = z.infer<typeof logGap>;

/**
 * POST /agent/v1/logs/{reader}: what stands between two cursors, in the order in which it is to be read. A batch that
 * comes twice counts once; one that begins behind what came before is noticed.
 */
export const logBatch = z.object({
  from: logCursor,
  to: logCursor,
  chunks: z.array(z.union([logGap, logChunk])).max(2_000),
  /** Runs that began or ended since the batch before; in the first batch all that are known, none included. */
  runs: z.array(logRun).max(mostRuns).optional(),
  /** Nothing follows; the message says why if that is not the log's end. */
  end: z.object({ message: said(1000).optional() }).optional(),
});
export type LogBatch = z.infer<typeof logBatch>;

/** Not taken: the reader is behind. The same batch is sent again. */
export const logAnswer = z.object({ taken: z.boolean() });
