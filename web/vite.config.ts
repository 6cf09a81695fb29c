import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Paths that the API answers while `vite` serves the sources of the console during development. */
const ofTheApi = /^\/(?:api|trpc|assets|oidc|docs|sign-in|sign-in-link|signed-out|invitations)(?:[/?]|$)/;
const api = process.env.BALLAST_URL ?? 'http://localhost:8088';

/** Icons carry a second drawing for 24 pixels and more, a size that nothing here has. */
const smallIcons: Plugin = {
  name: 'small-icons',
  transform: (code, id) =>
    /octicons-react\/dist\/icons\/\w+\.mjs$/.test(id) && code.includes('["16", "24"]')
      ? code.replace('["16", "24"]', '["16"]').replace(/,\n\t"24": \{[\s\S]*?\n\t\}/, '')
      : undefined,
};

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  base: command === 'build' ? '/console/' : '/',
  plugins: [react(), tailwindcss(), smallIcons],
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsDir: 'files',
    // A file as data in a style sheet could not be kept by browsers, and the policy would have to allow it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Few files: each one of a page costs a request, and browsers make six at a time. All that every page waits for is one.
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name }) => `files/${name.replace(/~.*/, '')}-[hash].js`,
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            // Beneath all pages. Merging small files would otherwise make two that wait for each other, and run in the wrong order.
            { name: 'words', test: /\/workflows\/(?:[\w-]+\/)?(?:words|descriptors?)\.ts/, priority: 1 },
            { name: 'changes', test: /\/web\/(?:control-plane|live)\//, priority: 1 },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 4_000 },
          ],
        },
      },
    },
  },
  server: { proxy: { [ofTheApi.source]: { target: api, changeOrigin: true } } },
}));
