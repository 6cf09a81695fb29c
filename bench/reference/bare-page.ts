import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

/** Serves the page of React alone, compressed as the console's files are. */
export async function serveBarePage(): Promise<AsyncDisposable & { url: string }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const files: Record<string, [type: string, text: string]> = {
    '/': [
      'text/html; charset=utf-8',
      '<!doctype html><div id="page"></div><script type="module" src="/page.js"></script>',
    ],
    '/page.js': ['text/javascript; charset=utf-8', outputFiles[0]?.text ?? ''],
    '/names': ['application/json', '["local"]'],
  };
  const packed = new Map(
    Object.entries(files).map(([path, [type, text]]) => {
      const body = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
      return [path, { headers: { 'content-type': type, 'content-encoding': 'br' }, body }];
    }),
  );
  const server = createServer((request, answer) => {
    const found = packed.get(request.url ?? '');
    if (found === undefined) answer.writeHead(404).end();
    else answer.writeHead(200, found.headers).end(found.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
