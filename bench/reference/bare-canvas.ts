import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A page with a canvas of 200 plain nodes, by the same library and nothing else, as one document. */
export async function bareCanvas(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('canvas.ts', import.meta.url)), '@xyflow/react/dist/style.css'],
    bundle: true,
    minify: true,
    write: false,
    outdir: '/bare-canvas',
    format: 'iife',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const text = (kind: string) => outputFiles.find(({ path }) => path.endsWith(kind))?.text ?? '';
  return `<!doctype html><style>${text('.css')} html, body, #page { height: 100%; margin: 0 }</style><div id="page"></div><script>${text('.js').replaceAll('</script', '<\\/script')}</script>`;
}
