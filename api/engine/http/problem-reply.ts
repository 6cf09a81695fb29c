import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../../domain/problems.ts';
import { problemOf } from '../problems/failure.ts';
import { acceptsHtml, sendFailurePage } from '../problems/failure-page.ts';
import { problemBody } from '../problems/problem-answer.ts';
import { keepOpen } from './discard.ts';

/** Answers a failure as a problem, and tells the log what a defect was. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const problem = noted(request, error);
  if (reply.sent) return;
  reply.code(problem.status).header('content-type', 'application/problem+json');
  const wait = problem.retryAfterSeconds;
  if (wait !== undefined) reply.header('retry-after', String(wait));
  if (request.routeOptions.config?.operation?.operation.redirects && acceptsHtml(request)) {
    sendFailurePage(reply, problem);
    return;
  }
  keepOpen(reply);
  // As bytes: to a text the framework would add a charset, and the type of problems is promised to be exactly this.
  reply.send(Buffer.from(JSON.stringify(problemBody(problem))));
}

/** The problem that a failure is, noted for the request's line in the log. */
export function noted(request: FastifyRequest, error: unknown): Problem {
  const problem = problemOf(error, request.id);
  request.problem = problem.code;
  if (problem.code === 'defect') request.log.error({ requestId: request.id, err: error }, 'A request met a defect');
  else if (problem.code === 'unavailable' && error !== problem) {
    request.log.warn({ requestId: request.id, err: error }, 'A request could not be answered');
  }
  return problem;
}
