import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ownerExists } from '../../db/sign-in/sign-in-links.ts';
import { html } from '../../pages/html.ts';
import { page, pageHeaders } from '../../pages/page.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import type { Next, PageRoutes } from '../sign-in/visitor.ts';
import type { ConsoleFile } from './console-files.ts';
import { acceptedEncoding, consolePaths } from './console-files.ts';

/**
 * Nothing from elsewhere, no script and no style in the page itself, never in a frame. Scripts may not turn text into
 * markup or code either.
 */
const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The console's pages, for signed-in people; everybody else is redirected to the sign-in page. */
export function consolePages({ server, get }: PageRoutes): void {
  for (const path of consolePaths) {
    get(path, async ({ session, request }): Promise<Next> => {
      if ((await session()) !== undefined) return consoleDocument(server);
      if (path === '/' && !(await ownerExists(server.database.kysely))) {
        return { page: page({ title: 'Welcome', body: welcome }) };
      }
      return { to: request.url === '/' ? '/sign-in' : `/sign-in?return_to=${encodeURIComponent(request.url)}` };
    });
  }
  // Addresses of earlier versions, in bookmarks and messages.
  get('/o/*', async ({ request }) => ({
    to: request.url.replace(/^\/o\/+/, '/').replace(/^(\/[^/?]*)\/operations\b/, '$1/workflows'),
  }));
}

function consoleDocument({ consoleFiles }: ServerParts): Next {
  const { index } = consoleFiles;
  if (index === undefined) return { page: page({ title: 'One moment', body: moment, refreshSeconds: 1 }), status: 503 };
  return { page: index, headers: { ...pageHeaders(), 'content-security-policy': consolePolicy } };
}

/** The files of the console. What is named after its content never changes; the others are asked for again. */
export function consoleFileRoutes(app: FastifyInstance, { consoleFiles }: ServerParts): void {
  app.get<{ Params: { '*': string } }>('/console/*', async (request, reply) => {
    const name = request.params['*'];
    const file = name === 'index.html' ? undefined : consoleFiles.find(name);
    if (file === undefined) return reply.callNotFound();
    const lasting = name.startsWith('files/') ? 'public, max-age=31536000, immutable' : 'public, max-age=300';
    return send(request, reply.header('cache-control', lasting), file);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, { type, bytes, encoded }: ConsoleFile): FastifyReply {
  reply.type(type).header('vary', 'accept-encoding');
  const ours = (['br', 'gzip'] as const).filter((encoding) => encoded[encoding] !== undefined);
  const encoding = acceptedEncoding(String(request.headers['accept-encoding'] ?? ''), ours);
  if (encoding === undefined) return reply.send(bytes);
  return reply.header('content-encoding', encoding).send(encoded[encoding]);
}

const moment = html`<h1>One moment</h1>
<p>The console is being built. That happens once after an installation or an update, and takes some seconds; this page reloads by itself.</p>
<p class="aside"><a href="/docs">API reference</a></p>`;

const welcome = html`<h1>Welcome to Ballast</h1>
<p>This installation has no owner yet. Open the sign-in link that was printed when it was started (<code>npm start</code>) to create your account.</p>
<p>The link expires after 15 minutes. <code>./ballast sign-in-link</code> prints another one.</p>
<p>You created your account with it already? <a href="/sign-in">Sign in</a>.</p>
<p class="aside"><a href="/docs">API reference</a></p>`;
