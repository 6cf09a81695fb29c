import { configOf, type Project, plainFolder, publishedFolder, saidOf } from './project.ts';
import { angularSite } from './run.ts';

/** One framework, one entry: how it is known, what its build leaves, and what starts that. */
export interface Framework {
  name: string;
  /** One of them is needed; of servers, not only for development. */
  packages: readonly string[];
  /** A command in the build that shows it, where the package is another one's. */
  command?: RegExp;
  port: number;
  /** The folder that is served, if this project is built into files; undefined if it is a server. */
  site?(project: Project): string | undefined;
  /** The start of the build's result, where no script does it. A program of a package is in `node_modules/.bin`. */
  start?(project: Project): string | undefined;
  /** Why it runs on another platform only. */
  refusal?(project: Project): string | undefined;
  /** Folders that a build may find again, below the package. */
  caches?: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

const has = ({ manifest }: Project, ...names: string[]): boolean => names.some((name) => manifest.packages.has(name));
const bin = (name: string, rest: string): string => `node_modules/.bin/${name} ${rest}`;
const onCloudflare = (project: Project): string | undefined =>
  has(project, 'wrangler', '@cloudflare/vite-plugin', '@sveltejs/adapter-cloudflare')
    ? 'It is built for Cloudflare Workers.'
    : undefined;

/** Frameworks that build, whose own server or files are deployed. The first that fits is taken. */
export const builders: readonly Framework[] = [
  {
    name: 'next',
    packages: ['next'],
    port: 3000,
    site: (project) => {
      const config = configOf(project, 'next.config');
      return saidOf(config, 'output') === 'export' ? (plainFolder(saidOf(config, 'distDir')) ?? 'out') : undefined;
    },
    start: () => bin('next', 'start'),
    caches: ['.next/cache'],
    environment: { NEXT_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'nuxt',
    packages: ['nuxt', 'nuxt3'],
    port: 3000,
    site: ({ buildText }) => (/\bnuxt generate\b/.test(buildText) ? '.output/public' : undefined),
    start: () => 'node .output/server/index.mjs',
    environment: { NUXT_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'react-router',
    packages: ['@react-router/dev'],
    port: 3000,
    site: (project) =>
      /\bssr\s*:\s*false\b/.test(configOf(project, 'react-router.config')) ? 'build/client' : undefined,
    start: (project) =>
      has(project, '@react-router/serve') ? bin('react-router-serve', './build/server/index.js') : undefined,
    refusal: onCloudflare,
  },
  {
    name: 'remix',
    packages: ['@remix-run/dev', '@remix-run/react'],
    port: 3000,
    start: (project) => {
      if (!has(project, '@remix-run/serve')) return undefined;
      const built = /\bvite build\b|remix vite:build/.test(project.buildText)
        ? 'build/server/index.js'
        : 'build/index.js';
      return bin('remix-serve', built);
    },
    refusal: onCloudflare,
  },
  {
    name: 'sveltekit',
    packages: ['@sveltejs/kit'],
    port: 3000,
    site: (project) =>
      adapterOf(project) === 'static'
        ? (plainFolder(saidOf(configOf(project, 'svelte.config'), 'pages')) ?? 'build')
        : undefined,
    start: (project) => (['node', 'auto'].includes(adapterOf(project)) ? 'node build' : undefined),
    refusal: (project) =>
      `SvelteKit builds a server with @sveltejs/adapter-node, and this uses adapter-${adapterOf(project)}: install and configure @sveltejs/adapter-node, or adapter-static for files alone.`,
    // By it adapter-auto takes adapter-node.
    environment: { GCP_BUILDPACKS: '1' },
  },
  {
    name: 'astro',
    packages: ['astro'],
    port: 4321,
    site: (project) => {
      const config = configOf(project, 'astro.config');
      const servers = has(project, '@astrojs/node') || /\boutput\s*:\s*["'](?:server|hybrid)/.test(config);
      return servers ? undefined : (plainFolder(saidOf(config, 'outDir')) ?? 'dist');
    },
    start: (project) => (has(project, '@astrojs/node') ? 'node ./dist/server/entry.mjs' : undefined),
    refusal: () => 'Astro builds a server with @astrojs/node: install and configure it.',
    environment: { HOST: '0.0.0.0', ASTRO_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'tanstack-start',
    packages: ['@tanstack/react-start', '@tanstack/solid-start'],
    port: 3000,
    start: () => 'node .output/server/index.mjs',
    refusal: onCloudflare,
  },
  {
    name: 'solid-start',
    packages: ['@solidjs/start'],
    port: 3000,
    start: () => 'node .output/server/index.mjs',
  },
  { name: 'gatsby', packages: ['gatsby'], port: 0, site: () => 'public', caches: ['.cache'] },
  { name: 'docusaurus', packages: ['@docusaurus/core'], port: 0, site: () => 'build' },
  {
    name: 'vitepress',
    packages: ['vitepress'],
    port: 0,
    site: ({ buildText }) => {
      const root = plainFolder(/\bvitepress build[ \t]+([\w./-]+)/.exec(buildText)?.[1]);
      return root === undefined ? '.vitepress/dist' : `${root}/.vitepress/dist`;
    },
  },
  {
    name: 'eleventy',
    packages: ['@11ty/eleventy'],
    port: 0,
    site: (project) => {
      const config = configOf(project, 'eleventy.config') || configOf(project, '.eleventy');
      return plainFolder(saidOf(config, 'output')) ?? '_site';
    },
  },
  {
    name: 'angular',
    packages: ['@angular/core'],
    port: 4000,
    site: (project) => angularSite(project)?.files,
    start: (project) => angularSite(project)?.server,
  },
  { name: 'vue-cli', packages: ['@vue/cli-service'], port: 0, site: () => 'dist' },
  { name: 'create-react-app', packages: ['react-scripts'], port: 0, site: () => 'build' },
  {
    name: 'strapi',
    packages: ['@strapi/strapi', 'strapi'],
    port: 1337,
    start: () => bin('strapi', 'start'),
    environment: { HOST: '0.0.0.0', STRAPI_TELEMETRY_DISABLED: 'true' },
  },
];

/** Bundlers, which leave files behind; a server beside them is looked for first. */
export const bundlers: readonly Framework[] = [
  {
    name: 'vite',
    packages: ['vite'],
    command: /(?:^|[\s&|;])vite(?:-ssg)? build\b/m,
    port: 0,
    site: (project) =>
      publishedFolder(project) ?? plainFolder(saidOf(configOf(project, 'vite.config'), 'outDir')) ?? 'dist',
    refusal: onCloudflare,
  },
  { name: 'parcel', packages: ['parcel', 'parcel-bundler'], port: 0, site: () => 'dist' },
];

/** Libraries by which a program answers requests: what starts it is for its scripts to say. */
export const servers: readonly Framework[] = [
  { name: 'nest', packages: ['@nestjs/core'], port: 3000, start: () => 'node dist/main' },
  { name: 'fastify', packages: ['fastify'], port: 3000 },
  { name: 'hono', packages: ['hono'], port: 3000, refusal: onCloudflare },
  { name: 'koa', packages: ['koa'], port: 3000 },
  { name: 'express', packages: ['express'], port: 3000 },
  { name: 'elysia', packages: ['elysia'], port: 3000 },
  { name: 'hapi', packages: ['@hapi/hapi'], port: 3000 },
];

/** The adapter of SvelteKit that its configuration imports, or else the one that is installed. */
function adapterOf(project: Project): string {
  const imported = /@sveltejs\/adapter-([\w-]+)/.exec(configOf(project, 'svelte.config'))?.[1];
  const installed = [...project.manifest.packages].find((name) => name.startsWith('@sveltejs/adapter-'));
  return imported ?? installed?.slice('@sveltejs/adapter-'.length) ?? 'auto';
}
