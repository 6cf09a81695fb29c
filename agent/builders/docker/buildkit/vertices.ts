import type { Mask } from '../../../../domain/variables/mask.ts';
import type { BuildProgress } from '../../../../protocol/build.ts';
import { type BuildLog, LineFolder } from '../../build-log.ts';
import { type Fields, messagesIn, numberIn, readFields, textIn } from '../session/messages.ts';

/** A part of the work: an instruction of the Dockerfile, or something that BuildKit does for itself. */
interface Vertex {
  digest: string;
  name: string;
  cached: boolean;
  startedAt: Date | undefined;
  completedAt: Date | undefined;
  error: string;
}

interface VertexLog {
  vertex: string;
  stream: 'stdout' | 'stderr';
  bytes: Buffer;
}

/** A piece of what BuildKit tells of a build: `StatusResponse`. */
export interface Trace {
  vertexes: Vertex[];
  logs: VertexLog[];
}

const stderr = 2;

export function readTrace(bytes: Buffer): Trace {
  const told = readFields(bytes);
  return {
    vertexes: messagesIn(told, 1).map((vertex) => ({
      digest: textIn(vertex, 1),
      name: textIn(vertex, 3),
      cached: numberIn(vertex, 4) === 1,
      startedAt: timeIn(vertex, 5),
      completedAt: timeIn(vertex, 6),
      error: textIn(vertex, 7),
    })),
    logs: messagesIn(told, 3).map((log) => {
      const text = log.get(4)?.at(-1);
      return {
        vertex: textIn(log, 1),
        stream: numberIn(log, 3) === stderr ? 'stderr' : 'stdout',
        bytes: Buffer.isBuffer(text) ? text : Buffer.alloc(0),
      };
    }),
  };
}

function timeIn(fields: Fields, field: number): Date | undefined {
  const [time] = messagesIn(fields, field);
  if (time === undefined) return undefined;
  return new Date(numberIn(time, 1) * 1_000 + Math.floor(numberIn(time, 2) / 1_000_000));
}

type ReportedStep = NonNullable<BuildProgress['steps']>[number];

const lastLines = 20;
/** A build has at most 100 steps, of which the others are ours. */
const mostSteps = 80;
const longestName = 100;
/** Names that the driver gives to images that it has loaded. */
const ofServices = /^\[internal\] load metadata for \S*?(ballast\/[0-9a-f]{64}:\S+)/;

interface Followed {
  vertex: Vertex;
  number: number;
  step: ReportedStep | undefined;
  folders: { stdout: LineFolder; stderr: LineFolder };
  last: string[];
  ended: boolean;
}

interface Parts {
  log: BuildLog;
  mask: Mask;
  told(steps: readonly ReportedStep[], cache: NonNullable<BuildProgress['cache']>): void;
  /** Told of an image of the engine that no build may begin with. */
  refused(image: string): void;
  /** Images by the names that the Dockerfile has for them. */
  plain(text: string): string;
}

/** The instructions of a Dockerfile as they run, several at once: steps with their times, and lines with the number of theirs. */
export class Vertices {
  readonly #parts: Parts;
  readonly #followed = new Map<string, Followed>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  take({ vertexes: told, logs }: Trace): void {
    const vertexes = told.map((vertex) => ({
      ...vertex,
      name: this.#parts.plain(vertex.name),
      error: this.#parts.plain(vertex.error),
    }));
    let changed = false;
    for (const vertex of vertexes) changed = this.#see(vertex) || changed;
    for (const { vertex, stream, bytes } of logs) {
      const found = this.#followed.get(vertex);
      if (found !== undefined) this.#say(found, found.folders[stream].take(bytes));
    }
    // The end of one is told after its last lines.
    for (const vertex of vertexes) changed = this.#end(vertex) || changed;
    if (changed) this.#tell();
  }

  /** The instruction that failed, with its last lines. */
  failed(): { name: string; error: string; lines: readonly string[] } | undefined {
    const found = [...this.#followed.values()].find(
      ({ vertex }) => vertex.error !== '' && !/context canceled/.test(vertex.error),
    );
    return found && { name: nameOf(found.vertex), error: found.vertex.error, lines: found.last };
  }

  /** Ends what still runs: the build has ended. */
  close(status: 'failed' | 'cancelled'): void {
    for (const { step, ended } of this.#followed.values()) {
      if (step === undefined || ended) continue;
      step.status = status;
      step.finishedAt = new Date().toISOString();
    }
    this.#tell();
  }

  #see(vertex: Vertex): boolean {
    const image = ofServices.exec(vertex.name)?.[1];
    if (image !== undefined) this.#parts.refused(image);
    const known = this.#followed.get(vertex.digest);
    if (vertex.startedAt === undefined) return false;
    if (known !== undefined) {
      // The same instruction may start again: with another part of the cache, say.
      known.vertex = { ...vertex, error: vertex.error || known.vertex.error };
      return false;
    }
    const name = nameOf(vertex);
    const isStep = isInstruction(vertex) && this.#steps().length < mostSteps;
    const step: ReportedStep | undefined = isStep
      ? { name: name.slice(0, longestName), status: 'running', startedAt: vertex.startedAt.toISOString() }
      : undefined;
    const mask = this.#parts.mask;
    const folders = { stdout: new LineFolder(mask), stderr: new LineFolder(mask) };
    const number = this.#followed.size + 1;
    this.#followed.set(vertex.digest, { vertex, number, step, folders, last: [], ended: false });
    this.#parts.log.say(`#${number} ${name}`);
    return step !== undefined;
  }

  #end(vertex: Vertex): boolean {
    const found = this.#followed.get(vertex.digest);
    if (found === undefined || found.ended || vertex.completedAt === undefined) return false;
    found.ended = true;
    this.#say(found, [...found.folders.stdout.end(), ...found.folders.stderr.end()]);
    const seconds =
      Math.max(0, vertex.completedAt.getTime() - (vertex.startedAt ?? vertex.completedAt).getTime()) / 1_000;
    const how =
      vertex.error !== '' ? `ERROR: ${vertex.error}` : vertex.cached ? 'CACHED' : `DONE ${seconds.toFixed(1)}s`;
    this.#parts.log.say(`#${found.number} ${how}`);
    if (found.step === undefined) return false;
    const cancelled = /context canceled/.test(vertex.error);
    found.step.status = vertex.error === '' ? 'succeeded' : cancelled ? 'cancelled' : 'failed';
    found.step.finishedAt = vertex.completedAt.toISOString();
    return true;
  }

  #say({ number, last }: Followed, lines: readonly string[]): void {
    for (const line of lines) this.#parts.log.say(`#${number} ${line}`);
    last.push(...lines.filter((line) => line.trim() !== ''));
    last.splice(0, last.length - lastLines);
  }

  #steps(): ReportedStep[] {
    return [...this.#followed.values()].flatMap(({ step }) => step ?? []);
  }

  #tell(): void {
    const counted = [...this.#followed.values()].filter(({ vertex }) => isInstruction(vertex));
    const cachedSteps = counted.filter(({ vertex }) => vertex.cached).length;
    this.#parts.log.flush();
    this.#parts.told(this.#steps(), { cachedSteps, totalSteps: counted.length });
  }
}

/** `[2/5] RUN npm ci`, `[build 1/3] FROM …`: BuildKit's own work has no such number. */
function isInstruction({ name }: Vertex): boolean {
  return /^\[(?:\S+ )?\d+\/\d+\] /.test(name);
}

/** An instruction that we have written is called by the step that it runs. */
function nameOf({ name }: Vertex): string {
  const [, number, step] = /^(\[[^\]]*\] )RUN .*?# ballast: (.*?)(?:\n|\\n|$)/s.exec(name) ?? [];
  if (number !== undefined) return `${number}${step}`;
  return name.replace(/\s+/g, ' ').trim();
}
