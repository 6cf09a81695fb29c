import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Paths that the API answers while `vite` serves the sources of the console during development. */
const ofTheApi = /^\/(?:api|trpc|assets|oidc|docs|sign-in|sign-in-link|signed-out|invitations)(?:[/?]|$)/;
const api = process.env.BALLAST_URL ?? 'http://localhost:8088';

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  base: command === 'build' ? '/console/' : '/',
  plugins: [react(), tailwindcss()],
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsDir: 'files',
    // A file as data in a style sheet could not be kept by browsers, and the policy would have to allow it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { [ofTheApi.source]: { target: api, changeOrigin: true } } },
}));
