import { type Fields, messagesIn, numberIn, readFields, textIn } from '../session/messages.ts';

/** A part of the work: an instruction of the Dockerfile, or something that BuildKit does for itself. */
export interface Vertex {
  digest: string;
  name: string;
  cached: boolean;
  startedAt: Date | undefined;
  completedAt: Date | undefined;
  error: string;
}

export interface VertexLog {
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
