import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../../domain/problems.ts';
import type { Settings } from '../../../domain/settings/settings.ts';
import { invalidField } from '../input/input.ts';
import { deepest, tooDeep } from '../input/text.ts';
import type { AnyOperation } from '../operation.ts';
import { malformedJson } from '../problems/failure.ts';

/** Of those who have shown no credential. */
export const strangersBody = 64 * 1024;

/** How much of a body is read: of a public operation's less, since anybody can send it. */
export function bodyLimitOf(operation: AnyOperation, settings: Settings): number {
  const { MAX_BODY_BYTES } = settings;
  if (operation.access.scope === 'public') return Math.min(strangersBody, MAX_BODY_BYTES);
  return Math.max(MAX_BODY_BYTES, operation.largeBody?.(settings).bytes ?? 0);
}

/** Bodies are JSON in UTF-8 and nothing else; an empty one is none. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, raw, done) => {
    try {
      done(null, parse(Buffer.isBuffer(raw) ? raw : Buffer.from(raw), request.headers['content-type'] ?? ''));
    } catch (error) {
      done(error instanceof Error ? error : malformedJson());
    }
  });
}

function parse(raw: Buffer, contentType: string): unknown {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new Problem('unsupported-media-type', 'The body must be encoded in UTF-8; leave the charset out.');
  }
  if (raw.length === 0) return undefined;
  if (!isUtf8(raw)) throw malformedJson();
  if (isTooDeep(raw)) throw invalidField('body', tooDeep);
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    throw malformedJson();
  }
}

const [quote, backslash] = ['"', '\\'].map((sign) => sign.charCodeAt(0));
const opening = new Set([...'{['].map((sign) => sign.charCodeAt(0)));
const closing = new Set([...'}]'].map((sign) => sign.charCodeAt(0)));

/** By its brackets outside of texts: to make values of hundreds of thousands of levels takes a third of a second. */
function isTooDeep(raw: Buffer): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < raw.length; at += 1) {
    const byte = raw[at] as number;
    if (isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (opening.has(byte)) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (closing.has(byte)) depth -= 1;
  }
  return false;
}
