import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem, ProblemCode } from '../../domain/problems.ts';
import { keepOpen } from '../engine/http/discard.ts';
import { noted } from '../engine/http/problem-reply.ts';

/** The codes of the distribution specification, each with its usual status. */
const codes = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 404,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  SIZE_INVALID: 400,
  UNAUTHORIZED: 401,
  DENIED: 403,
  UNSUPPORTED: 405,
  TOOMANYREQUESTS: 429,
} as const;

export type RegistryCode = keyof typeof codes;

/** A failure as clients of registries know it. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly code: RegistryCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RegistryCode, message: string, more: { status?: number; headers?: Record<string, string> } = {}) {
    super(message);
    this.code = code;
    this.status = more.status ?? codes[code];
    this.headers = more.headers ?? {};
  }
}

/** Problems of the rest of the API that can be met here, in the codes of this surface. */
const ofProblem: Partial<Record<ProblemCode, RegistryCode>> = {
  'no-credential': 'UNAUTHORIZED',
  'cluster-deleted': 'UNAUTHORIZED',
  'not-found': 'NAME_UNKNOWN',
  'too-many-requests': 'TOOMANYREQUESTS',
  'quota-reached': 'DENIED',
  'role-too-low': 'DENIED',
  'project-restricted': 'DENIED',
};

export function sendRegistryError(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (error instanceof RegistryError) {
    request.problem = error.code;
    send(request, reply.headers(error.headers), error.status, error.code, error.message);
    return;
  }
  const problem: Problem = noted(request, error);
  const code = ofProblem[problem.code];
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
  send(request, reply, code === undefined ? problem.status : codes[code], code ?? 'UNKNOWN', problem.message);
}

function send(request: FastifyRequest, reply: FastifyReply, status: number, code: string, message: string): void {
  if (reply.sent) return;
  // Docker and its kin send their credential only to one who asks for it like this.
  if (status === 401) reply.header('www-authenticate', `Basic realm="Ballast", charset="UTF-8"`);
  keepOpen(reply);
  reply.code(status).type('application/json');
  const body = Buffer.from(JSON.stringify({ errors: [{ code, message, detail: null }] }));
  if (request.method === 'HEAD') reply.header('content-length', body.length).send();
  else reply.send(body);
}
