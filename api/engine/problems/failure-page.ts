import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../../domain/problems.ts';
import { html, prose } from '../../../pages/html.ts';
import { page, pageHeaders } from '../../../pages/page.ts';

/** Whether it is a person's browser that asks, and not a program. */
export function acceptsHtml(request: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(request.headers.accept ?? '');
}

/** Why it did not work, in a sentence, and the way back. */
export function sendFailurePage(reply: FastifyReply, problem: Problem): void {
  reply.code(problem.status).headers(pageHeaders()).send(failurePage(problem));
}

function failurePage({ code, message }: Problem): string {
  const title = code === 'not-found' ? 'Not found' : code === 'unavailable' ? 'Not at the moment' : 'This did not work';
  return page({
    title,
    body: html`<h1>${title}</h1>
${prose(message)}
<p class="actions"><a class="button" href="/sign-in">Back to the sign-in page</a></p>`,
  });
}
