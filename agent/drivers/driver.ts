import type { Listening } from '../../domain/deployments/listening.ts';
import type { Facts } from '../../protocol/agent.ts';
import type { LogCursor, LogGap, LogRun, LogStream } from '../../protocol/logs.ts';
import type { Process } from '../../protocol/workload.ts';
import type { ReadyImage } from './image.ts';
import type { Volumes } from './process/volumes.ts';

/** The specification of an instance; kept whole with the instance, so that any later agent can read it back. */
export interface InstanceSpec {
  /** `<process>-<8 letters and digits>`, unique on this machine for ever. */
  id: string;
  /** The slice it belongs to. */
  key: string;
  release: string;
  process: Process;
  image: ReadyImage;
  /** Exactly these variables, and PORT if the process has one. */
  environment: Readonly<Record<string, string>>;
  /** `called`: as people know it, if that is not its name. */
  volumes: readonly { name: string; path: string; called?: string; sizeBytes?: number | undefined }[];
  /** Files made of variables, for its user alone; those of before there were files have none. */
  files?: readonly { path: string; variable: string }[] | undefined;
  /** Its instances reach each other, and no others, on machines where that can be enforced. */
  environmentId?: string | undefined;
}

/** A name by which instances are found within an environment, by those that are asked under it now. */
export interface EnvironmentName {
  environment: string;
  name: string;
  instances: readonly string[];
}

/** How a run ended. Without code and signal nobody saw it: the machine was switched off, say. */
export interface Exit {
  run: number;
  code?: number;
  signal?: string;
  at: Date;
  /** Killed because the instance, or something it started, exceeded its memory limit. */
  outOfMemory?: true;
}

export interface Instance {
  id: string;
  key: string;
  release: string;
  process: Process;
  imageDigest: string;
  state: 'created' | 'running' | 'ended';
  /** 0 before the first start, and one more with each. */
  run: number;
  startedAt?: Date;
  /** Where it listens, once it runs and if it has a port: as seen from this machine. */
  address?: { host: string; port: number };
  exit?: Exit;
  memoryBytes?: number;
}

/** Whole lines of one stream that were written at the same time, as far as anybody looked. */
export interface LogLines {
  stream: LogStream;
  /** Where the first line begins: grows along the stream and never repeats, also across restarts of the process. */
  position: number;
  /** The position behind the last line. */
  next: number;
  at: Date;
  /** A line at the end that no line break ends is a line of its own: nobody finishes it, or it is too long. */
  bytes: Buffer;
}

/**
 * First where the log is read from, then what stands there. Part of it may have been deleted before it was read. Runs are
 * told when they begin and when they end, not later than their lines.
 */
export type LogNews = { begin: LogCursor } | { runs: LogRun[] } | LogLines | LogGap;

export interface LogRequest {
  /** Where to begin: behind what was read before, at the last so many lines, or at the oldest line there is. */
  start: { from: LogCursor } | { tail: number } | 'oldest';
  /** Where to end; only without `follow`. */
  to?: LogCursor | undefined;
  follow: boolean;
  signal: AbortSignal;
}

export interface Running {
  /**
   * Called before the program begins, with what `endExec` needs to end it: nothing runs until this is written down,
   * since whoever called may be killed at any moment.
   */
  began?(mark: string): void;
  /** Called with what it says, as it says it. */
  output(stream: 'stdout' | 'stderr', bytes: Buffer): void;
  signal: AbortSignal;
}

/**
 * Runs instances on a machine. The agent can be killed between any two calls, and its successor remembers nothing: so
 * every call can be repeated, and `list` names every instance, whichever agent created it.
 */
export interface Driver {
  readonly name: Facts['driver'];
  /** Looks at the machine; cheap enough to be asked every minute. */
  facts(): Promise<Pick<Facts, 'runtimeVersion' | 'holds'>>;
  /** Makes the image runnable here, or says in a `Refusal` why it never will be. */
  prepare(image: ReadyImage, signal: AbortSignal): Promise<void>;
  /** Makes the instance with its volumes, not running yet. One that is there already is left as it is. */
  create(spec: InstanceSpec): Promise<void>;
  /** Begins the next run; nothing if it runs. */
  start(id: string): Promise<void>;
  /** Asks it to end, kills it with all it has started when the time is over, and resolves when nothing of it runs. */
  stop(id: string, graceSeconds: number): Promise<void>;
  /** Forgets it with its logs; stops it first, without grace. Volumes stay. Nothing if there is none. */
  remove(id: string): Promise<void>;
  list(): Promise<Instance[]>;
  /** Makes names lead to instances, in one step, and forgets environments that are not named. Missing: names lead nowhere. */
  setNames?(environments: ReadonlySet<string>, names: readonly EnvironmentName[]): Promise<void>;
  /** Tells that something may have changed, early. `list` says what; polling once a second stands behind it. */
  watch(onChange: () => void): () => void;
  exec(id: string, command: readonly string[], running: Running): Promise<{ code: number }>;
  /** Ends what an `exec` of an agent that is gone has left, and resolves when nothing of it runs. */
  endExec(mark: string): Promise<void>;
  /** Where its programs listen, while it runs and has a port. Undefined where this agent cannot see it. */
  listening(id: string): Promise<Listening | undefined>;
  logs(id: string, request: LogRequest): AsyncGenerator<LogNews, void, undefined>;
  /** Keeps the logs of all instances within their limit; within an eighth of it while the disk is under pressure. */
  rotateLogs(pressure?: boolean): Promise<void>;
  readonly volumes: Volumes;
  /** Frees what was prepared from images that are not named. */
  forgetImages(kept: ReadonlySet<string>): Promise<void>;
}
