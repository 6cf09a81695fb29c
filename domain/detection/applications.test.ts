import { expect, test } from 'vitest';
import { treeOf } from '../../test/kinds/tree-of.ts';
import { detect, withoutDockerfiles } from './detect.ts';

const json = (value: unknown): string => JSON.stringify(value);

test('libraries of a workspace are no applications, and neither are pages that a Gradle build takes in', () => {
  const workspace = {
    'package.json': json({ workspaces: ['*'] }),
    'web/package.json': json({ name: 'web', scripts: { build: 'vite build' }, dependencies: { vite: '7', ui: '1' } }),
    'web/index.html': '',
    'ui/package.json': json({
      name: 'ui',
      main: 'dist/ui.js',
      scripts: { build: 'vite build' },
      dependencies: { vite: '7' },
    }),
  };
  expect(detect(treeOf(workspace)).plan).toMatchObject({ kind: 'static', keep: ['web/dist'] });
  const gradle = {
    'settings.gradle': "include 'app', 'api', 'pages'",
    'build.gradle': '',
    'app/build.gradle': "id 'org.springframework.boot'",
    'api/build.gradle': "id 'java-library'\napi 'org.springframework.boot:spring-boot-starter-web'",
    'pages/build.gradle': "id 'base'",
    'pages/package.json': json({ scripts: { build: 'vite build' }, dependencies: { vite: '7' } }),
  };
  expect(detect(treeOf(gradle)).detected.buildCommand).toBe('gradle :app:bootJar');
});

test('a Dockerfile in a folder of its own is of the project around it', () => {
  const { message } = detect(treeOf({ 'shard.yml': '', 'docker/Dockerfile': 'FROM scratch' }));
  expect(message).toBe(
    'shard.yml is of Crystal, which is not built without a Dockerfile: name docker/Dockerfile as the Dockerfile of the service.',
  );
});

test('a module of Go that is a tool of the others beside it is not built in their place', () => {
  const module = (name: string) => `module ${name}\ngo 1.25.0\nrequire github.com/gofiber/fiber/v3 v3.0.0\n`;
  const recipes = {
    'go.mod': 'module recipes\n\ngo 1.25.0\n',
    'overview.go': 'package main',
    'jwt/go.mod': module('jwt'),
    'jwt/main.go': 'package main',
    'spa/go.mod': module('spa'),
    'spa/main.go': 'package main',
  };
  expect(detect(treeOf(recipes)).message).toMatch(/--context DIR\): jwt, spa\.$/);
  const serving = { ...recipes, 'overview.go': 'package main\nimport "net/http"' };
  expect(detect(treeOf(serving)).detected.startCommand).toBe('bin/app');
});

test('a front end whose bundler writes into a Python project is built before it', () => {
  const project = {
    'requirements.txt': 'django\ngunicorn\n',
    'manage.py': '',
    'shop/wsgi.py': '',
    'front/package.json': json({ scripts: { build: 'vite build' }, devDependencies: { vite: '7' } }),
    'front/vite.config.ts': "export default { build: { outDir: '../shop/static' } }",
    'docs/package.json': json({ scripts: { build: 'vite build' }, devDependencies: { vite: '7' } }),
  };
  const { detected, plan } = detect(treeOf(project));
  expect(detected).toMatchObject({ provider: 'python', buildCommand: '(cd front && npm run build)' });
  expect(plan?.steps.map(({ command }) => command)).toContain('(cd front && npm install --include=dev)');
});

test('pages that a module of Go embeds are built before it, unless they are there', () => {
  const module = {
    'go.mod': 'module shop\ngo 1.25.0\n',
    'main.go': 'package main',
    'ui/package.json': json({ scripts: { build: 'vite build' }, devDependencies: { vite: '7' } }),
    'ui/embed.go': 'package ui\n\n//go:embed all:dist/*\nvar files embed.FS\n',
  };
  const { detected, plan } = detect(treeOf(module));
  expect(detected.buildCommand).toBe('(cd ui && npm run build) && go build -trimpath -o bin/app .');
  expect(plan?.steps.map(({ name }) => name)).toEqual(['install assets', 'build assets', 'build']);
  expect(plan?.toolchain.map(({ name }) => name)).toEqual(['go', 'node']);
  expect(plan?.drop).toContain('ui/node_modules');
  const built = detect(treeOf({ ...module, 'ui/dist/index.html': '' }));
  expect(built.detected.buildCommand).toBe('go build -trimpath -o bin/app .');
});

test('the Dockerfile beside a program says its port where no engine builds it, unless the program heeds PORT', () => {
  const go = { 'go.mod': 'module a\ngo 1.25.0\n', 'main.go': 'package main' };
  const port = (text: string) => detect(withoutDockerfiles(treeOf({ ...go, Dockerfile: text }))).detected.port;
  expect(port('FROM scratch\nEXPOSE 9000')).toBe(9000);
  expect(port('FROM scratch\nENV PORT=9000\nEXPOSE 9000')).toBe(8080);
});

test('a Procfile beside the manifest of another language is not of Node', () => {
  const files = {
    Procfile: 'web: bin/shop serve -p $PORT',
    'package.json': json({ dependencies: { prettier: '3' } }),
    'go.mod': 'module shop\ngo 1.25.0\n',
    'main.go': 'package main',
  };
  expect(detect(treeOf(files)).detected).toMatchObject({ provider: 'go', startCommand: 'bin/app serve -p $PORT' });
  const node = { ...files, Procfile: 'web: node server.js' };
  expect(detect(treeOf(node)).detected.provider).toBe('node');
});

test('ports of settings are read by their whole key, of the first document', () => {
  const port = (name: string, text: string) =>
    detect(treeOf({ 'pom.xml': 'spring-boot-starter', [`src/main/resources/${name}`]: text })).detected.port;
  expect(port('application.properties', 'management.server.port=9001\nserver.port=8090')).toBe(8090);
  expect(
    port('application.yml', 'management:\n  server:\n    port: 9001\nserver:\n  port: 8090\n---\nserver:\n  port: 1'),
  ).toBe(8090);
  expect(port('application.yml', 'server:\n  port: ${PORT:8085}\n')).toBe(8085);
});
