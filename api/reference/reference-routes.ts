import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { OpenapiDocument } from '../engine/openapi/document.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { referencePage } from './page.ts';

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The API reference at /docs: a page, a style sheet and a script, all from here. */
export function referenceRoutes(
  app: FastifyInstance,
  { settings }: Pick<ServerParts, 'settings'>,
  openapi: () => OpenapiDocument,
): void {
  let page: string | undefined;
  const pageText = (): string => {
    const document = openapi();
    page ??= referencePage(document, document.info, settings.PUBLIC_URL);
    return page;
  };
  const asset = (name: string, type: string): void => {
    app.get(`/docs/${name}`, async (_, reply) =>
      reply.type(type).send(await readFile(new URL(name, import.meta.url), 'utf8')),
    );
  };
  app.get('/docs', async (_, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(pageText()),
  );
  asset('reference.css', 'text/css; charset=utf-8');
  asset('reference.js', 'text/javascript; charset=utf-8');
}
