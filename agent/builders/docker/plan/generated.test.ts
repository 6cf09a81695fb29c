import { expect, test } from 'vitest';
import { detect } from '../../../../domain/detection/detect.ts';
import { treeOf } from '../../../../test/kinds/tree-of.ts';
import { baseImagesOf, baseNames } from './base-images.ts';
import { usualCertificates } from './certificates.ts';
import { commandsOf, generatedDockerfile } from './generated.ts';

/** The Dockerfile of a source, its scripts as text: words of JSON are unquoted. */
async function dockerfileOf(files: Record<string, string>, own: readonly string[] = []): Promise<string> {
  const { plan, message } = detect(treeOf(files));
  expect(message).toBe('');
  if (plan === undefined) throw new Error('There is no plan.');
  const given = {
    bases: baseImagesOf(own),
    cacheKey: 'key',
    cacheSecret: 'secret',
    variables: {},
    server: 'server.mjs',
  };
  const text = await generatedDockerfile(plan, { ...given, certificates: usualCertificates });
  return text.replaceAll('\\n', '\n').replaceAll('\\"', '"');
}

const laravel = {
  'composer.json': JSON.stringify({
    require: { php: '^8.2', 'laravel/framework': '^12', 'ext-gd': '*', 'ext-json': '*' },
  }),
  'public/index.php': '<?php',
  'package.json': JSON.stringify({ scripts: { build: 'vite build' }, devDependencies: { vite: '7' } }),
};

test('a site of PHP has its extensions, Composer and Node in the image of FrankenPHP, whose server starts without rights', async () => {
  const text = await dockerfileOf(laravel);
  expect(text).toContain('FROM dunglas/frankenphp:1-php8.4 AS tools\n');
  expect(text).toContain('COPY --from=node:24-slim /usr/local/bin /usr/local/bin\n');
  expect(text).toContain('COPY --from=composer:2 /usr/bin/composer /usr/local/bin/composer\n');
  // What every PHP has is not installed; databases that such a framework is used with are.
  expect(text).toContain('\ninstall-php-extensions gd opcache pdo_mysql pdo_pgsql zip\n');
  expect(text).toContain('\nmv /usr/local/bin/frankenphp.plain /usr/local/bin/frankenphp"');
  expect(text).toMatch(/composer install --no-dev [\s\S]*npm install[\s\S]*npm run build/);
  expect(text).toMatch(/^FROM tools$/m);
  expect(text).toContain('exec frankenphp php-server --root public --listen :$PORT');
  expect(text).toContain('\nEXPOSE 8080\n');
});

test('pages of PHP that nothing has to install are served by the same server', async () => {
  const text = await dockerfileOf({ 'index.php': '<?php', 'wp-load.php': '<?php' });
  expect(text).toMatch(/^FROM dunglas\/frankenphp:1-php8\.4$/m);
  expect(text).toContain('install-php-extensions mysqli opcache zip');
  expect(text).not.toContain('composer');
});

test.each([
  ['8.3.*', '1-php8.3'],
  ['^8.1', '1-php8.4'],
  ['>=8.5', '1-php8.5'],
])('PHP %s begins with %s', async (php, tag) => {
  const composer = JSON.stringify({ require: { php } });
  expect(await dockerfileOf({ 'composer.json': composer, 'index.php': '' })).toContain(
    `FROM dunglas/frankenphp:${tag} AS tools`,
  );
});

const rails = {
  Gemfile: "source 'https://rubygems.org'\nruby '3.3.6'\ngem 'rails'\ngem 'puma'\n",
  'Gemfile.lock': '',
  'config/application.rb': '',
};
const phoenix = {
  'mix.exs': 'app: :shop,\nelixir: "~> 1.17",\n{:phoenix, "~> 1.8"},\n"assets.deploy": ["phx.digest"]',
  'config/runtime.exs': '',
};
const aspnet = {
  'shop.sln': '',
  'src/Shop/Shop.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web"><TargetFramework>net9.0</TargetFramework></Project>',
};

test.each([
  ['Ruby', rails, 'FROM ruby:3.3.6 AS tools', 'bundle install', 'exec bundle exec rails server -b 0.0.0.0 -p $PORT'],
  ['Elixir', phoenix, 'FROM elixir:1.18 AS tools', 'mix release', 'exec _build/prod/rel/shop/bin/shop start'],
  [
    'Deno',
    { 'deno.json': '{"tasks":{"build":"deno run -A build.ts"}}', 'main.ts': '' },
    'FROM denoland/deno:debian-2.5.4 AS tools',
    'deno task build',
    'exec deno run -A main.ts',
  ],
  [
    '.NET',
    aspnet,
    'FROM mcr.microsoft.com/dotnet/sdk:9.0 AS tools',
    'dotnet publish src/Shop/Shop.csproj -c Release -o src/Shop/bin/publish',
    "cd 'src/Shop/bin/publish' && ASPNETCORE_URLS=http://0.0.0.0:$PORT dotnet Shop.dll",
  ],
])('a program of %s is built in the image of its language, and started there', async (_, files, from, step, start) => {
  const text = await dockerfileOf(files);
  expect(text).toContain(`${from}\n`);
  expect(text).toContain(step);
  expect(text).toContain(start);
});

test('pages of Hugo are built by its image, and served like all others', async () => {
  const text = await dockerfileOf({ 'hugo.toml': '', 'package.json': '{"name":"site"}' });
  expect(text).toContain('FROM hugomods/hugo:exts-0.152.2 AS tools\nUSER 0\n');
  expect(text).not.toContain('COPY --from=node');
  expect(text).toContain('hugo --gc --minify');
  expect(text).toContain('CMD ["node","server.mjs","public"]'.replaceAll('"', '"'));
});

test.each([
  ['python', { 'requirements.txt': '' }, 'celery work', ['.venv/bin/python', '-m', 'celery', 'work']],
  ['python', { 'requirements.txt': '' }, 'cd a && celery', ['/bin/sh', '-c', 'cd a && .venv/bin/python -m celery']],
  ['a Dockerfile', { Dockerfile: '' }, 'bin/worker --all', ['bin/worker', '--all']],
  ['a Dockerfile', { Dockerfile: '' }, 'A=1 worker', ['/bin/sh', '-c', 'A=1 worker']],
])('of %s %#, what is proposed is run as its image has it', (_, files, line, command) => {
  const { plan } = detect(treeOf({ ...files, Procfile: `web: serve\nworker: ${line}\n` }));
  expect(plan && commandsOf(plan).get('worker')).toEqual(command);
});

test('what is proposed of a package in a workspace is run in its folder', () => {
  const member = JSON.stringify({ scripts: { start: 'node .' } });
  const files = {
    'package.json': '{"workspaces":["*"]}',
    'web/package.json': member,
    'web/Procfile': 'worker: node w.js\n',
  };
  const { plan } = detect(treeOf(files), 'web');
  expect(plan && [...commandsOf(plan)]).toEqual([['worker', ['/bin/sh', '-c', "cd 'web' && exec node w.js"]]]);
});

test('every image can be another one', async () => {
  const own = baseNames.map((name) => `${name}=registry.example.com/${name}:{version}`);
  const text = await dockerfileOf(laravel, own);
  expect(text).toContain('FROM registry.example.com/php:8.4 AS tools\n');
  expect(text).toContain('COPY --from=registry.example.com/composer: ');
  expect(text).toContain('COPY --from=registry.example.com/node:24 ');
});
