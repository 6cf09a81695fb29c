import { type Kind, nodeKind, packageJson } from './kind.ts';

const react = { react: '19.1.1', 'react-dom': '19.1.1' };

const express = nodeKind('express', {
  'package.json': packageJson({
    ...{ name: 'hello', dependencies: { express: '5.1.0' }, scripts: { start: 'node server.js' } },
  }),
  'server.js': `const app = require('express')();
app.get('/', (_, answer) => answer.send('Hello from express'));
app.listen(process.env.PORT || 3000);
`,
});

const nest = nodeKind('nest', {
  'package.json': packageJson({
    name: 'hello',
    scripts: { build: 'nest build', start: 'nest start', 'start:prod': 'node dist/main' },
    dependencies: {
      ...{ '@nestjs/common': '11.1.6', '@nestjs/core': '11.1.6', '@nestjs/platform-express': '11.1.6' },
      ...{ 'reflect-metadata': '0.2.2', rxjs: '7.8.2' },
    },
    devDependencies: { '@nestjs/cli': '11.0.10', '@types/node': '20.19.17', typescript: '5.9.2' },
  }),
  'tsconfig.json': `${JSON.stringify({
    compilerOptions: {
      ...{ module: 'commonjs', target: 'es2022', outDir: 'dist', rootDir: 'src', skipLibCheck: true },
      ...{ experimentalDecorators: true, emitDecoratorMetadata: true },
    },
  })}\n`,
  'src/app.module.ts': `import { Controller, Get, Module } from '@nestjs/common';

@Controller()
class Hello {
  @Get()
  say(): string {
    return 'Hello from nest';
  }
}

@Module({ controllers: [Hello] })
export class AppModule {}
`,
  'src/main.ts': `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

NestFactory.create(AppModule).then((app) => app.listen(process.env.PORT ?? 3000));
`,
});

const next = nodeKind(
  'next',
  {
    'package.json': packageJson({
      ...{ name: 'hello', scripts: { dev: 'next dev', build: 'next build', start: 'next start' } },
      dependencies: { next: '15.5.4', ...react },
    }),
    'app/layout.jsx': `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`,
    'app/page.jsx': `const name = 'next';

export default function Page() {
  return <h1>{\`Hello from \${name}\`}</h1>;
}
`,
  },
  { differs: 'the build id and the keys of previews' },
);

const reactRouter = nodeKind('react-router', {
  'package.json': packageJson({
    ...{ name: 'hello', type: 'module' },
    scripts: {
      ...{ dev: 'react-router dev', build: 'react-router build' },
      start: 'react-router-serve ./build/server/index.js',
    },
    dependencies: {
      ...{ '@react-router/node': '7.9.2', '@react-router/serve': '7.9.2', 'react-router': '7.9.2' },
      ...{ isbot: '5.1.31', ...react },
    },
    devDependencies: { '@react-router/dev': '7.9.2', vite: '7.1.7' },
  }),
  'vite.config.js': `import { reactRouter } from '@react-router/dev/vite';

export default { plugins: [reactRouter()] };
`,
  'app/routes.js': `import { index } from '@react-router/dev/routes';

export default [index('home.jsx')];
`,
  'app/root.jsx': `import { Outlet, Scripts } from 'react-router';

export default function Root() {
  return <html lang="en"><body><Outlet /><Scripts /></body></html>;
}
`,
  'app/home.jsx': `export const loader = () => ({ name: 'react-router' });

export default function Home({ loaderData }) {
  return <h1>{\`Hello from \${loaderData.name}\`}</h1>;
}
`,
});

const sveltekit = nodeKind(
  'sveltekit',
  {
    'package.json': packageJson({
      ...{ name: 'hello', type: 'module', scripts: { dev: 'vite dev', build: 'vite build', preview: 'vite preview' } },
      devDependencies: {
        ...{ '@sveltejs/adapter-node': '5.3.2', '@sveltejs/kit': '2.43.5', '@sveltejs/vite-plugin-svelte': '6.2.0' },
        ...{ svelte: '5.39.6', vite: '7.1.7' },
      },
    }),
    'svelte.config.js': `import adapter from '@sveltejs/adapter-node';

export default { kit: { adapter: adapter() } };
`,
    'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';

export default { plugins: [sveltekit()] };
`,
    'src/app.html': `<!doctype html>
<html lang="en"><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>
`,
    'src/routes/+page.server.js': `export const load = () => ({ name: 'sveltekit' });
`,
    'src/routes/+page.svelte': `<script>
  let { data } = $props();
</script>

<h1>Hello from {data.name}</h1>
`,
  },
  { differs: 'the version of the application, which is the time' },
);

const nuxt = nodeKind(
  'nuxt',
  {
    'package.json': packageJson({
      ...{ name: 'hello', type: 'module', scripts: { dev: 'nuxt dev', build: 'nuxt build' } },
      dependencies: { nuxt: '4.1.2', vue: '3.5.22' },
    }),
    'app/app.vue': `<script setup>
const name = 'nuxt';
</script>

<template>
  <h1>Hello from {{ name }}</h1>
</template>
`,
  },
  { differs: 'the build id' },
);

const astroServer = nodeKind(
  'astro-server',
  {
    'package.json': packageJson({
      ...{ name: 'hello', type: 'module', scripts: { dev: 'astro dev', build: 'astro build' } },
      dependencies: { astro: '5.14.1', '@astrojs/node': '9.4.4' },
    }),
    'astro.config.mjs': `import node from '@astrojs/node';

export default { output: 'server', adapter: node({ mode: 'standalone' }) };
`,
    'src/pages/index.astro': `---
const { pathname } = Astro.url;
---
<html lang="en"><body><h1>{\`Hello from astro-server\${pathname}\`}</h1></body></html>
`,
  },
  { framework: 'astro', port: 4321, differs: 'the key of the server, which is random' },
);

export const serverKinds: readonly Kind[] = [express, nest, sveltekit, reactRouter, astroServer, next, nuxt];
