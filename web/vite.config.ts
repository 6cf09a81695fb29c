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
    // Few files: each one costs a request, and browsers make six at a time. All that every page waits for is one.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            // Small, wanted by many pages, and importing no page: merging by size would make files that wait for each other.
            {
              name: 'small',
              test: /octicons-react|\/web\/(?:control-plane|live|components\/(?:rows|timeline|times)|pages\/(?!workflows).*(?:words|text|status|state|name)\.)/,
              minShareCount: 2,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { [ofTheApi.source]: { target: api, changeOrigin: true } } },
}));
