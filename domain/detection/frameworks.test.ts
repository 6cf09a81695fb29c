import { expect, test } from 'vitest';
import { treeOf } from '../../test/kinds/tree-of.ts';
import { dotnetFrameworks } from './compiled/dotnet.ts';
import { elixirFrameworks } from './compiled/elixir.ts';
import { goFrameworks } from './compiled/go.ts';
import { javaFrameworks } from './compiled/java.ts';
import { rustFrameworks } from './compiled/rust.ts';
import { detect } from './detect.ts';
import { denoFrameworks } from './interpreted/deno.ts';
import { phpFrameworks } from './interpreted/php.ts';
import { rubyFrameworks } from './interpreted/ruby.ts';
import { builders, bundlers, servers } from './node/frameworks.ts';
import { packageManagers } from './node/package-managers.ts';
import { pythonFrameworks } from './python/application.ts';

/** A package.json with these packages and scripts, `build` being one of them. */
const node = (packages: string, scripts: Record<string, string> = {}, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify({
    dependencies: Object.fromEntries(packages.split(' ').map((name) => [name, '1.0.0'])),
    scripts: { build: 'make', ...scripts },
  }),
  ...more,
});
const python = (packages: string, more: Record<string, string>) => ({
  'requirements.txt': packages.replaceAll(' ', '\n'),
  ...more,
});
const go = (module: string) => ({
  'go.mod': `module a/b\ngo 1.25.0\nrequire ${module} v1.0.0\n`,
  'main.go': 'package main',
});
const rust = (crate: string) => ({
  'Cargo.toml': `[package]\nname = "shop"\n[dependencies]\n${crate} = "1"\n`,
  'src/main.rs': 'fn main() {}',
});
const php = (packages: string, root: string) => ({
  'composer.json': JSON.stringify({ require: { [packages]: '*' } }),
  [`${root}/index.php`]: '<?php',
});
const franken = (root: string) => listens(`frankenphp php-server --root ${root} --listen :$PORT`, 8080);
const ruby = (gems: string, file: string) => ({
  Gemfile: gems
    .split(' ')
    .map((gem) => `gem '${gem}'\n`)
    .join(''),
  [file]: '',
});
const puma = 'bundle exec puma -b tcp://0.0.0.0:$PORT';
const deno = (name: string) => ({ 'deno.json': JSON.stringify({ imports: { [name]: 'jsr:x' } }), 'main.ts': '' });
const listens = (start: string, port: number) => ({ start, port });
const serves = (out: string) => ({ out });
const bin = (rest: string): string => `node_modules/.bin/${rest}`;

type End = { start: string; port: number } | { out: string };

/** One fixture each: its name, its files, and its end. */
const fixtures: readonly [string, Record<string, string>, End][] = [
  ['next', node('next react'), listens(bin('next start'), 3000)],
  ['next', node('next', {}, { 'next.config.ts': "export default { output: 'export' }" }), serves('out')],
  ['nuxt', node('nuxt', { start: 'nuxt start' }), listens('node .output/server/index.mjs', 3000)],
  ['nuxt', node('nuxt', { build: 'nuxt generate' }), serves('.output/public')],
  [
    'react-router',
    node('@react-router/dev @react-router/serve'),
    listens(bin('react-router-serve ./build/server/index.js'), 3000),
  ],
  [
    'react-router',
    node('@react-router/dev', {}, { 'react-router.config.ts': '{ ssr: false }' }),
    serves('build/client'),
  ],
  [
    'remix',
    node('@remix-run/dev @remix-run/serve', { build: 'remix vite:build' }),
    listens(bin('remix-serve build/server/index.js'), 3000),
  ],
  ['sveltekit', node('@sveltejs/kit @sveltejs/adapter-node'), listens('node build', 3000)],
  ['sveltekit', node('@sveltejs/kit @sveltejs/adapter-auto'), listens('node build', 3000)],
  ['sveltekit', node('@sveltejs/kit @sveltejs/adapter-static'), serves('build')],
  ['astro', node('astro', { start: 'astro dev' }), serves('dist')],
  ['astro', node('astro @astrojs/node'), listens('node ./dist/server/entry.mjs', 4321)],
  ['tanstack-start', node('@tanstack/react-start vite'), listens('node .output/server/index.mjs', 3000)],
  ['solid-start', node('@solidjs/start'), listens('node .output/server/index.mjs', 3000)],
  ['gatsby', node('gatsby', { start: 'gatsby develop' }), serves('public')],
  ['docusaurus', node('@docusaurus/core', { start: 'docusaurus start' }), serves('build')],
  ['vitepress', node('vitepress', { build: 'vitepress build docs' }), serves('docs/.vitepress/dist')],
  ['eleventy', node('@11ty/eleventy', { start: 'eleventy --serve' }), serves('_site')],
  ['angular', node('@angular/core', { start: 'ng serve' }), serves('dist')],
  ['vue-cli', node('@vue/cli-service', { serve: 'vue-cli-service serve' }), serves('dist')],
  ['create-react-app', node('react-scripts', { start: 'react-scripts start' }), serves('build')],
  ['strapi', node('@strapi/strapi', { start: 'strapi develop' }), listens(bin('strapi start'), 1337)],
  ['vite', node('vite', { dev: 'vite', preview: 'vite preview', start: 'vite' }), serves('dist')],
  ['parcel', node('parcel', { start: 'parcel src/index.html' }), serves('dist')],
  [
    'nest',
    node('@nestjs/core', { start: 'nest start', 'start:prod': 'node dist/main' }),
    listens('npm run start:prod', 3000),
  ],
  ['fastify', node('fastify', { start: 'node server.js --port 4000' }), listens('npm run start', 4000)],
  ['hono', node('hono', { start: 'PORT=8787 node dist/index.js' }), listens('npm run start', 8787)],
  ['koa', node('koa', {}, { 'server.js': 'app.listen(5000)' }), listens('node server.js', 5000)],
  ['express', node('express', { start: 'nodemon app.js' }, { 'app.js': '' }), listens('node app.js', 3000)],
  ['elysia', node('elysia', { start: 'bun run src/index.ts' }), listens('npm run start', 3000)],
  ['hapi', node('@hapi/hapi', { start: 'node .' }), listens('npm run start', 3000)],
  [
    'django',
    python('Django gunicorn', { 'manage.py': '', 'shop/wsgi.py': '', 'shop/settings.py': '' }),
    listens('gunicorn shop.wsgi --bind 0.0.0.0:$PORT', 8000),
  ],
  [
    'fastapi',
    python('fastapi[standard]', { 'main.py': 'app = FastAPI()' }),
    listens('uvicorn main:app --host 0.0.0.0 --port $PORT', 8000),
  ],
  [
    'starlette',
    python('starlette', { 'app.py': 'site = Starlette(routes)' }),
    listens('uvicorn app:site --host 0.0.0.0 --port $PORT', 8000),
  ],
  [
    'flask',
    python('flask', { 'shop/__init__.py': 'def create_app():' }),
    listens("gunicorn 'shop:create_app()' --bind 0.0.0.0:$PORT", 8000),
  ],
  [
    'streamlit',
    python('streamlit', { 'app.py': '' }),
    listens('streamlit run app.py --server.address 0.0.0.0 --server.port $PORT', 8501),
  ],
  ['sphinx', python('sphinx', { 'docs/conf.py': '' }), serves('docs/_build/html')],
  ['mkdocs', python('mkdocs-material', { 'mkdocs.yml': '' }), serves('site')],
  ['gin', go('github.com/gin-gonic/gin'), listens('bin/app', 8080)],
  ['echo', go('github.com/labstack/echo/v4'), listens('bin/app', 8080)],
  ['fiber', go('github.com/gofiber/fiber/v3'), listens('bin/app', 8080)],
  ['chi', go('github.com/go-chi/chi/v5'), listens('bin/app', 8080)],
  ['rocket', rust('rocket'), listens('ROCKET_PORT=$PORT bin/app', 8000)],
  ['actix', rust('actix-web'), listens('bin/app', 8080)],
  ...['axum', 'poem', 'salvo', 'warp', 'tide', 'hyper'].map((name): [string, Record<string, string>, End] => [
    name,
    rust(name),
    listens('bin/app', 8080),
  ]),
  [
    'spring-boot',
    { 'pom.xml': '<artifactId>spring-boot-starter-web</artifactId>' },
    listens('java -Dserver.port=$PORT -jar target/*.jar', 8080),
  ],
  [
    'quarkus',
    { 'build.gradle': "id 'io.quarkus'" },
    listens('java -Dquarkus.http.host=0.0.0.0 -Dquarkus.http.port=$PORT -jar build/quarkus-app/quarkus-run.jar', 8080),
  ],
  [
    'micronaut',
    { 'pom.xml': '<artifactId>micronaut-parent</artifactId>' },
    listens('MICRONAUT_SERVER_PORT=$PORT java -jar target/*.jar', 8080),
  ],
  ['ktor', { 'build.gradle.kts': 'id("io.ktor.plugin")' }, listens('java -jar build/libs/*-all.jar', 8080)],
  ['laravel', php('laravel/framework', 'public'), franken('public')],
  ['symfony', php('symfony/framework-bundle', 'public'), franken('public')],
  ['wordpress', { 'index.php': '', 'wp-load.php': '' }, franken('.')],
  ['slim', php('slim/slim', 'public'), franken('public')],
  ['cakephp', php('cakephp/cakephp', 'webroot'), franken('webroot')],
  ['yii', php('yiisoft/yii2', 'web'), franken('web')],
  ['codeigniter', php('codeigniter4/framework', 'public'), franken('public')],
  ['rails', ruby('rails puma', 'config/application.rb'), listens('bundle exec rails server -b 0.0.0.0 -p $PORT', 3000)],
  ['hanami', ruby('hanami puma', 'config.ru'), listens(puma, 2300)],
  ['sinatra', ruby('sinatra puma', 'config.ru'), listens(puma, 9292)],
  ['rack', ruby('rack rackup', 'config.ru'), listens('bundle exec rackup --host 0.0.0.0 --port $PORT', 9292)],
  [
    'phoenix',
    { 'mix.exs': 'app: :shop,\n{:phoenix, "~> 1.8"},', 'config/runtime.exs': '' },
    listens('_build/prod/rel/shop/bin/shop start', 4000),
  ],
  ['plug', { 'mix.exs': 'app: :shop,\n{:bandit, "~> 1.0"},' }, listens('mix run --no-halt', 4000)],
  ['fresh', deno('$fresh/'), listens('deno run -A main.ts', 8000)],
  ['oak', deno('@oak/oak'), listens('deno run -A main.ts', 8000)],
  ['hono', deno('@hono/hono'), listens('deno run -A main.ts', 8000)],
  [
    'aspnet',
    { 'Shop.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web">' },
    listens('cd bin/publish && ASPNETCORE_URLS=http://0.0.0.0:$PORT dotnet Shop.dll', 8080),
  ],
  ['hugo', { 'hugo.toml': '' }, serves('public')],
];

test('each framework has a fixture', () => {
  const known = [
    ...[builders, bundlers, servers, pythonFrameworks, goFrameworks, rustFrameworks, javaFrameworks].flat(),
    ...[phpFrameworks, rubyFrameworks, elixirFrameworks, denoFrameworks, dotnetFrameworks, [{ name: 'hugo' }]].flat(),
  ];
  expect([...new Set(known.map(({ name }) => name))].toSorted()).toEqual(
    [...new Set(fixtures.map(([name]) => name))].toSorted(),
  );
});

test.each(fixtures)('%s', (name, files, end) => {
  const { detected, plan, message } = detect(treeOf(files));
  expect(message).toBe('');
  expect(detected.framework).toBe(name);
  if ('out' in end) {
    expect(detected).toMatchObject({ static: true, outputDir: end.out, startCommand: '', port: 0 });
    expect(plan).toMatchObject({ kind: 'static', keep: [end.out], start: '' });
  } else {
    expect(detected).toMatchObject({ static: false, startCommand: end.start, port: end.port });
    expect(plan).toMatchObject({ kind: 'image', keep: ['.'], port: end.port });
    expect(plan?.start).not.toBe('');
  }
  expect(detected.signals.map(({ detail }) => detail)).toContain(
    detected.provider === 'go' ? `The module b, made with ${name}` : `It is made with ${name}`,
  );
});

test.each(packageManagers.map((one) => [one.name, one] as const))(
  '%s by its lockfile, and by its pin',
  (name, { lockfiles }) => {
    for (const lockfile of lockfiles) {
      const { detected, plan } = detect(treeOf(node('express', { start: 'node app.js' }, { [lockfile]: '' })));
      expect(detected).toMatchObject({
        packageManager: name,
        packageManagerPinned: '',
        startCommand: `${name} run start`,
      });
      expect(plan?.steps.map(({ command }) => command)).toEqual([detected.installCommand, `${name} run build`]);
      expect(detected.installCommand).toMatch(/ ci |frozen-lockfile/);
    }
    const pinned = { packageManager: `${name}@9.1.2+sha512.00`, scripts: { start: 'node app.js' } };
    const { detected, plan } = detect(
      treeOf({ 'package.json': JSON.stringify(pinned), 'package-lock.json': '', 'yarn.lock': '' }),
    );
    expect(detected).toMatchObject({ packageManager: name, packageManagerPinned: '9.1.2' });
    expect(plan?.toolchain).toEqual([
      { name: 'node', version: '' },
      ...(name === 'npm' ? [] : [{ name, version: '9.1.2' }]),
    ]);
    const others = detected.signals.filter(({ detail }) => detail.includes('since the pinned one counts'));
    expect(others.length).toBe(name === 'npm' || name === 'yarn' ? 1 : 2);
  },
);
